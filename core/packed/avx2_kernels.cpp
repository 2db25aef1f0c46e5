#include "core/packed/avx2_kernels.h"

#if defined(__x86_64__)

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/base/aligned_vector.h"
#include "core/packed/kernel_parts.h"
#include "core/packed/short_code_kernels.h"

#define COSPADI_AVX2 __attribute__((target("avx2,fma,popcnt,f16c,bmi2")))

namespace cospadi {

namespace {

// ---- every entry stored: a word is a pair of rows of a column, eight columns a vector

COSPADI_AVX2 inline __m256i words256(const std::uint16_t* line, int half) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line) + half);
}

template <int Tokens>
COSPADI_AVX2 void dotDense256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                              const float* x, float* y, std::int64_t ldy) {
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint16_t* values = a.valuesOf(group);
        Sums256<Tokens> sums;
        sums.clear();
        for (std::int64_t line = 0; line < a.lines(); ++line, values += kPackedEntries) {
            const __m256i words[kHalves] = {words256(values, 0), words256(values, 1)};
            const __m256 even[kHalves] = {firstOfPairs(words[0]), firstOfPairs(words[1])};
            const __m256 odd[kHalves] = {secondOfPairs(words[0]), secondOfPairs(words[1])};
            sums.addRow(0, even, x + 2 * line, rows);
            sums.addRow(1, odd, x + 2 * line + 1, rows);
        }
        for (int t = 0; t < Tokens; ++t) {
            __m256 total[kHalves];
            sums.total(t, total);
            storeColumns(total, a.columnsOf(group), y + t * ldy + group * kPackedColumns);
        }
    }
}

COSPADI_AVX2 void unpackDense256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                 float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        const std::uint16_t* values = a.valuesOf(group);
        float* row = to;
        for (std::int64_t line = 0; line < a.lines(); ++line, values += kPackedEntries) {
            for (int half = 0; half < kHalves; ++half) {
                const __m256i words = words256(values, half);
                _mm256_storeu_ps(row + 8 * half, firstOfPairs(words));
                _mm256_storeu_ps(row + width + 8 * half, secondOfPairs(words));
            }
            row += 2 * width;
        }
    }
}

// ---- with a mask: a quarter of a line a step; a permutation from a table puts values in
// their places

constexpr int kQuarter = 8;  // entries

COSPADI_AVX2 inline __m256 widened256(const std::uint16_t* values) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(packed), 16));
}

// The values of a group's masked entries, where the next ones stand.
struct Bfloat16Values {
    static constexpr float kScale = 1;

    const std::uint16_t* values;

    Bfloat16Values(const PackedGroups& a, std::int64_t group) : values(a.valuesOf(group)) {}
    void operator+=(int count) { values += count; }
};

COSPADI_AVX2 inline __m256 expanded256(const Bfloat16Values& next, int before, std::uint32_t mask) {
    const __m256i source = _mm256_cvtepi8_epi32(
        _mm_cvtsi64_si128(static_cast<std::int64_t>(kExpandSources[mask & 0xffU])));
    const __m256 placed = _mm256_permutevar8x32_ps(widened256(next.values + before), source);
    // The sign of the source says that the entry is zero.
    return _mm256_blendv_ps(placed, _mm256_setzero_ps(), _mm256_castsi256_ps(source));
}

// Quarters of a line from `first` on: v[q] holds eight entries of it, pairs of rows of four
// columns. Moves `values` on over the whole line.
template <int Quarters>
COSPADI_AVX2 inline void quarters256(std::uint32_t bits, Bfloat16Values& values, int first,
                                     __m256 v[Quarters]) {
    for (int q = 0; q < Quarters; ++q) {
        const auto shift = static_cast<unsigned>((first + q) * kQuarter);
        const auto before = static_cast<int>(_mm_popcnt_u32(bits & ((1U << shift) - 1U)));
        v[q] = expanded256(values, before, bits >> shift);
    }
    values += static_cast<int>(_mm_popcnt_u32(bits));
}

// ---- the same of short codes, half a line at a time

// Eight of those that come after the next `before`, in the places of `mask`, as bytes.
COSPADI_AVX2 inline __m128i placedBytes(const std::uint8_t* bytes, int before, std::uint32_t mask) {
    const __m128i sources =
        _mm_cvtsi64_si128(static_cast<std::int64_t>(kExpandSources[mask & 0xffU]));
    return _mm_shuffle_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + before)),
                            sources);
}

// Half a line, 16 entries, as float16 values. placed: of each plane the bits of the whole line.
template <int Planes>
COSPADI_AVX2 inline void halfLineOfCodes256(const ShortCodes<Planes>& codes, std::uint32_t mask,
                                            const __m256i* placed, int half, __m256 v[2]) {
    const auto before = [mask](int entries) COSPADI_AVX2 {
        return _mm_popcnt_u32(mask & ((1U << static_cast<unsigned>(entries)) - 1U));
    };
    const std::uint32_t own = mask >> static_cast<unsigned>(16 * half);
    const __m128i bytes =
        _mm_unpacklo_epi64(placedBytes(codes.bytes(), before(16 * half), own),
                           placedBytes(codes.bytes(), before(16 * half + 8), own >> 8U));
    __m256i halves = _mm256_and_si256(_mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 6),
                                      _mm256_set1_epi16(kShortCodeBits));
    // The byte of eight entries above each of their words; of it the entry's own bit, which a
    // product brings to its place.
    const __m256i byte =
        _mm256_set_m128i(_mm_set1_epi16(static_cast<std::int16_t>((2 * half + 1) << 8 | 0x80)),
                         _mm_set1_epi16(static_cast<std::int16_t>(2 * half << 8 | 0x80)));
    const __m128i bit = _mm_set_epi16(-0x8000, 0x4000, 0x2000, 0x1000, 0x800, 0x400, 0x200, 0x100);
    const __m128i power =
        _mm_set_epi16(1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13);
    for (int plane = 0; plane < Planes; ++plane) {
        const __m256i set =
            _mm256_and_si256(_mm256_shuffle_epi8(placed[plane], byte), _mm256_set_m128i(bit, bit));
        const __m128i moved = _mm_srli_epi16(power, plane);
        halves = _mm256_or_si256(halves, _mm256_mulhi_epu16(set, _mm256_set_m128i(moved, moved)));
    }
    v[0] = _mm256_cvtph_ps(_mm256_castsi256_si128(halves));
    v[1] = _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1));
}

// Quarters of a line from `first` on, an even number of them; moves `codes` on over the whole line.
template <int Quarters, int Planes>
COSPADI_AVX2 inline void quarters256(std::uint32_t mask, ShortCodes<Planes>& codes, int first,
                                     __m256 v[Quarters]) {
    __m256i placed[Planes + 1];
    for (int plane = 0; plane < Planes; ++plane) {
        placed[plane] = _mm256_set1_epi32(static_cast<std::int32_t>(
            _pdep_u32(static_cast<std::uint32_t>(codes.firstBits(plane)), mask)));
    }
    for (int quarter = 0; quarter < Quarters; quarter += 2) {
        halfLineOfCodes256(codes, mask, placed, (first + quarter) / 2, v + quarter);
    }
    codes += static_cast<int>(_mm_popcnt_u32(mask));
}

COSPADI_AVX2 inline __m256 pairOf(const float* x) {
    return _mm256_castpd_ps(_mm256_broadcast_sd(reinterpret_cast<const double*>(x)));
}

// All columns of a group for one token or two; for more, whose sums would not stay in registers,
// eight columns at a time.
template <typename Values, int Tokens>
COSPADI_AVX2 void dotMasked256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                               const float* x, float* y, std::int64_t ldy) {
    constexpr int kAtOnce = Tokens <= 2 ? 4 : 2;  // quarters
    constexpr std::int64_t kColumns = kAtOnce * kQuarter / 2;
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::int64_t columns = a.columnsOf(group);
        for (int quarter = 0; quarter * kQuarter / 2 < columns; quarter += kAtOnce) {
            Values values(a, group);
            const std::uint32_t* mask = a.maskOf(group);
            __m256 sum[Tokens][kAtOnce];
            for (auto& token : sum) {
                std::fill_n(token, kAtOnce, _mm256_setzero_ps());
            }
            for (std::int64_t line = 0; line < a.lines(); ++line) {
                __m256 v[kAtOnce];
                quarters256<kAtOnce>(mask[line], values, quarter, v);
                for (int t = 0; t < Tokens; ++t) {
                    const __m256 pair = pairOf(x + t * rows + 2 * line);
                    for (int q = 0; q < kAtOnce; ++q) {
                        sum[t][q] = _mm256_fmadd_ps(v[q], pair, sum[t][q]);
                    }
                }
            }
            for (int t = 0; t < Tokens; ++t) {
                alignas(32) std::array<float, 2 * kColumns> entries;
                for (int q = 0; q < kAtOnce; ++q) {
                    _mm256_store_ps(entries.data() + q * kQuarter, sum[t][q]);
                }
                const std::int64_t done = quarter * kQuarter / 2;
                float* to = y + t * ldy + group * kPackedColumns + done;
                for (std::int64_t c = 0; c < std::min(kColumns, columns - done); ++c) {
                    const auto even = static_cast<std::size_t>(2 * c);
                    to[c] = (entries[even] + entries[even + 1]) * Values::kScale;
                }
            }
        }
    }
}

template <typename Values>
COSPADI_AVX2 void unpackMaskedOf256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                    float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        Values values(a, group);
        const std::uint32_t* mask = a.maskOf(group);
        for (std::int64_t line = 0; line < a.lines(); ++line) {
            __m256 v[4];
            quarters256<4>(mask[line], values, 0, v);
            for (__m256& quarter : v) {
                quarter = _mm256_mul_ps(quarter, _mm256_set1_ps(Values::kScale));
            }
            for (int half = 0; half < 2; ++half) {
                // The middle columns still have to change places.
                const __m256 even = _mm256_shuffle_ps(v[2 * half], v[2 * half + 1], 0x88);
                const __m256 odd = _mm256_shuffle_ps(v[2 * half], v[2 * half + 1], 0xdd);
                float* row = to + 2 * line * width + half * kQuarter;
                _mm256_storeu_ps(
                    row, _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(even), 0xd8)));
                _mm256_storeu_ps(row + width, _mm256_castpd_ps(_mm256_permute4x64_pd(
                                                  _mm256_castps_pd(odd), 0xd8)));
            }
        }
    }
}

// Calls kernel(Values) for the kind of values that masked groups have.
template <typename Kernel>
void withMaskedValues(const PackedGroups& a, const Kernel& kernel) {
    if (!a.isShortCodes()) {
        return kernel(std::type_identity<Bfloat16Values>());
    }
    withPlanes(a, [&](auto planes) { kernel(std::type_identity<ShortCodes<planes()>>()); });
}

void unpackMasked256(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    withMaskedValues(a, [&](auto values) {
        unpackMaskedOf256<typename decltype(values)::type>(a, first, last, to);
    });
}

// For more tokens a group is expanded once.
template <int Tokens>
COSPADI_AVX2 void dotFloats256(const float* group, std::int64_t rows, std::int64_t columns,
                               const float* x, float* y, std::int64_t ldy) {
    __m256 sum[Tokens][kHalves];
    std::fill_n(&sum[0][0], Tokens * kHalves, _mm256_setzero_ps());
    for (std::int64_t row = 0; row < rows; ++row, group += kPackedColumns) {
        const __m256 v[kHalves] = {_mm256_loadu_ps(group), _mm256_loadu_ps(group + 8)};
        for (int t = 0; t < Tokens; ++t) {
            const __m256 input = _mm256_broadcast_ss(x + t * rows + row);
            for (int half = 0; half < kHalves; ++half) {
                sum[t][half] = _mm256_fmadd_ps(v[half], input, sum[t][half]);
            }
        }
    }
    for (int t = 0; t < Tokens; ++t) {
        storeColumns(sum[t], columns, y + t * ldy);
    }
}

void dotExpanded256(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                    std::int64_t tokens, float* y, std::int64_t ldy) {
    thread_local AlignedVector<float> expanded;  // grown, never shrunk
    expanded.resize(std::max(expanded.size(), static_cast<std::size_t>(a.rows() * kPackedColumns)));
    for (std::int64_t group = first; group < last; ++group) {
        unpackMasked256(a, group, group + 1, expanded.data());
        for (std::int64_t t = 0; t < tokens; t += kMostTokens256) {
            withTokens<kMostTokens256>(std::min(kMostTokens256, tokens - t), [&](auto count) {
                dotFloats256<count()>(expanded.data(), a.rows(), a.columnsOf(group),
                                      x + t * a.rows(), y + t * ldy + group * kPackedColumns, ldy);
            });
        }
    }
}

}  // namespace

void dot256(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
            std::int64_t tokens, float* y, std::int64_t ldy) {
    if (a.mask != nullptr && tokens > kMostTokens256) {
        return dotExpanded256(a, first, last, x, tokens, y, ldy);
    }
    for (std::int64_t t = 0; t < tokens; t += kMostTokens256) {
        const float* from = x + t * a.rows();
        float* to = y + t * ldy;
        withTokens<kMostTokens256>(std::min(kMostTokens256, tokens - t), [&](auto count) {
            if (a.mask == nullptr) {
                return dotDense256<count()>(a, first, last, from, to, ldy);
            }
            withMaskedValues(a, [&](auto values) {
                dotMasked256<typename decltype(values)::type, count()>(a, first, last, from, to,
                                                                       ldy);
            });
        });
    }
}

void unpack256(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    a.mask != nullptr ? unpackMasked256(a, first, last, to) : unpackDense256(a, first, last, to);
}

}  // namespace cospadi

#endif
