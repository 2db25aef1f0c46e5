#include "core/packed/packed_kernels.h"

#include <algorithm>
#include <array>

#include "core/base/aligned_vector.h"
#include "core/base/bfloat16.h"
#include "core/packed/avx512_kernels.h"
#include "core/packed/grouped_kernels.h"
#include "core/packed/kernel_parts.h"
#include "core/packed/quantised_kernels.h"

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define COSPADI_X86 1
#define COSPADI_AVX2 __attribute__((target("avx2,fma,popcnt")))
#endif

namespace cospadi {

namespace {

// Calls use(line, entries) for every line of a group, as floats.
template <typename Use>
void forLines(const PackedGroups& a, std::int64_t group, const Use& use) {
    const std::uint16_t* values = a.valuesOf(group);
    const std::uint32_t* mask = a.maskOf(group);
    for (std::int64_t line = 0; line < a.lines(); ++line) {
        std::array<float, kPackedEntries> entries{};
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (mask == nullptr || (mask[line] >> i & 1U) != 0) {
                entries[i] = floatFromBf16(*values++);
            }
        }
        use(line, entries);
    }
}

void dotPlain(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
              std::int64_t tokens, float* y, std::int64_t ldy) {
    for (std::int64_t group = first; group < last; ++group) {
        std::array<std::array<float, kPackedEntries>, kMostPackedTokens> sums{};
        forLines(a, group, [&](std::int64_t line, const auto& entries) {
            for (std::int64_t t = 0; t < tokens; ++t) {
                const float* pair = x + t * a.rows() + 2 * line;
                for (std::size_t i = 0; i < entries.size(); ++i) {
                    sums[static_cast<std::size_t>(t)][i] += entries[i] * pair[i % 2];
                }
            }
        });
        for (std::int64_t t = 0; t < tokens; ++t) {
            const auto& sum = sums[static_cast<std::size_t>(t)];
            for (std::int64_t c = 0; c < a.columnsOf(group); ++c) {
                const auto even = static_cast<std::size_t>(2 * c);
                y[t * ldy + group * kPackedColumns + c] = sum[even] + sum[even + 1];
            }
        }
    }
}

void unpackPlain(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        forLines(a, group, [&](std::int64_t line, const auto& entries) {
            for (std::size_t i = 0; i < entries.size(); ++i) {
                to[(2 * line + static_cast<std::int64_t>(i % 2)) * width +
                   static_cast<std::int64_t>(i / 2)] = entries[i];
            }
        });
    }
}

#ifdef COSPADI_X86

// ---- AVX2, every entry stored: a word is a pair of rows of a column, eight columns a vector

constexpr std::int64_t kMostTokens256 = 4;

COSPADI_AVX2 inline __m256i words256(const std::uint16_t* line, int half) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line) + half);
}

template <int Tokens>
COSPADI_AVX2 void dotDense256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                              const float* x, float* y, std::int64_t ldy) {
    constexpr int kChains = Tokens <= 2 ? 2 : 1;  // as many additions at once as there is room for
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint16_t* values = a.valuesOf(group);
        __m256 sum[Tokens][kHalves][kChains];
        std::fill_n(&sum[0][0][0], Tokens * kHalves * kChains, _mm256_setzero_ps());
        for (std::int64_t line = 0; line < a.lines(); ++line, values += kPackedEntries) {
            const __m256i words[kHalves] = {words256(values, 0), words256(values, 1)};
            for (int odd = 0; odd < 2; ++odd) {
                const __m256 v[kHalves] = {odd ? secondOfPairs(words[0]) : firstOfPairs(words[0]),
                                           odd ? secondOfPairs(words[1]) : firstOfPairs(words[1])};
                for (int t = 0; t < Tokens; ++t) {
                    const __m256 input = _mm256_broadcast_ss(x + t * rows + 2 * line + odd);
                    for (int half = 0; half < kHalves; ++half) {
                        __m256& s = sum[t][half][odd % kChains];
                        s = _mm256_fmadd_ps(v[half], input, s);
                    }
                }
            }
        }
        for (int t = 0; t < Tokens; ++t) {
            __m256 total[kHalves];
            for (int half = 0; half < kHalves; ++half) {
                total[half] = sum[t][half][0];
                if constexpr (kChains == 2) {
                    total[half] = _mm256_add_ps(total[half], sum[t][half][1]);
                }
            }
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

// ---- AVX2, with a mask: a quarter of a line a step; a permutation from a table puts values in
// their places

constexpr int kQuarter = 8;  // entries

// For every mask of eight bits the eight lanes' sources as bytes; 0x80 where the entry is zero.
constexpr std::array<std::uint64_t, 256> kExpand = [] {
    std::array<std::uint64_t, 256> table{};
    for (std::size_t mask = 0; mask < 256; ++mask) {
        std::uint64_t source = 0;
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const bool set = (mask >> lane & 1U) != 0;
            table[mask] |= (set ? source : 0x80U) << (8 * lane);
            source += set ? 1 : 0;
        }
    }
    return table;
}();

COSPADI_AVX2 inline __m256 widened256(const std::uint16_t* values) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(packed), 16));
}

COSPADI_AVX2 inline __m256 expanded256(std::uint32_t byte, const std::uint16_t* values) {
    const __m256i source =
        _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(static_cast<std::int64_t>(kExpand[byte & 0xffU])));
    const __m256 placed = _mm256_permutevar8x32_ps(widened256(values), source);
    // The sign of the source says that the entry is zero.
    return _mm256_blendv_ps(placed, _mm256_setzero_ps(), _mm256_castsi256_ps(source));
}

// Quarters of a line from `first` on: v[q] holds eight entries of it, pairs of rows of four
// columns. Moves `values` on over the whole line.
template <int Quarters>
COSPADI_AVX2 inline void quarters256(std::uint32_t bits, const std::uint16_t*& values, int first,
                                     __m256 v[Quarters]) {
    for (int q = 0; q < Quarters; ++q) {
        const std::uint32_t before = (1U << static_cast<unsigned>((first + q) * kQuarter)) - 1U;
        v[q] = expanded256(bits >> static_cast<unsigned>((first + q) * kQuarter),
                           values + _mm_popcnt_u32(bits & before));
    }
    values += _mm_popcnt_u32(bits);
}

COSPADI_AVX2 inline __m256 pairOf(const float* x) {
    return _mm256_castpd_ps(_mm256_broadcast_sd(reinterpret_cast<const double*>(x)));
}

// All columns of a group for one token or two; for more, whose sums would not stay in registers,
// eight columns at a time.
template <int Tokens>
COSPADI_AVX2 void dotMasked256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                               const float* x, float* y, std::int64_t ldy) {
    constexpr int kAtOnce = Tokens <= 2 ? 4 : 2;  // quarters
    constexpr std::int64_t kColumns = kAtOnce * kQuarter / 2;
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::int64_t columns = a.columnsOf(group);
        for (int quarter = 0; quarter * kQuarter / 2 < columns; quarter += kAtOnce) {
            const std::uint16_t* values = a.valuesOf(group);
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
                    to[c] = entries[even] + entries[even + 1];
                }
            }
        }
    }
}

COSPADI_AVX2 void unpackMasked256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                  float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        const std::uint16_t* values = a.valuesOf(group);
        const std::uint32_t* mask = a.maskOf(group);
        for (std::int64_t line = 0; line < a.lines(); ++line) {
            __m256 v[4];
            quarters256<4>(mask[line], values, 0, v);
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

void dotFor256(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
               std::int64_t tokens, float* y, std::int64_t ldy) {
    withTokens<kMostTokens256>(tokens, [&](auto count) {
        a.mask != nullptr ? dotMasked256<count()>(a, first, last, x, y, ldy)
                          : dotDense256<count()>(a, first, last, x, y, ldy);
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

#endif

void dotOfFew(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
              std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy) {
    if (a.places != nullptr) {
        return groupedDot(instructions, a, first, last, x, tokens, y, ldy);
    }
    if (a.blocks != nullptr) {
        return quantisedDot(instructions, a, first, last, x, tokens, y, ldy);
    }
    switch (instructions) {
#ifdef COSPADI_X86
        case PackedInstructions::Avx512:
            return dot512(a, first, last, x, tokens, y, ldy);
        case PackedInstructions::Avx2:
            for (std::int64_t t = 0; t < tokens; t += kMostTokens256) {
                dotFor256(a, first, last, x + t * a.rows(), std::min(kMostTokens256, tokens - t),
                          y + t * ldy, ldy);
            }
            return;
#endif
        default:
            return dotPlain(a, first, last, x, tokens, y, ldy);
    }
}

}  // namespace

void packedDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
               std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy) {
#ifdef COSPADI_X86
    if (instructions == PackedInstructions::Avx2 && a.mask != nullptr && tokens > kMostTokens256) {
        return dotExpanded256(a, first, last, x, tokens, y, ldy);
    }
#endif
    for (std::int64_t t = 0; t < tokens; t += kMostPackedTokens) {
        dotOfFew(instructions, a, first, last, x + t * a.rows(),
                 std::min(kMostPackedTokens, tokens - t), y + t * ldy, ldy);
    }
}

void unpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
            std::int64_t last, float* to) {
    if (a.places != nullptr) {
        return groupedUnpack(instructions, a, first, last, to);
    }
    if (a.blocks != nullptr) {
        return quantisedUnpack(instructions, a, first, last, to);
    }
    switch (instructions) {
#ifdef COSPADI_X86
        case PackedInstructions::Avx512:
            return unpack512(a, first, last, to);
        case PackedInstructions::Avx2:
            return a.mask != nullptr ? unpackMasked256(a, first, last, to)
                                     : unpackDense256(a, first, last, to);
#endif
        default:
            return unpackPlain(a, first, last, to);
    }
}

void unpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last, std::uint16_t* to) {
    if (a.places != nullptr) {
        return groupedUnpackPairs(a, first, last, to);
    }
#ifdef COSPADI_X86
    unpackPairs512(a, first, last, to);
#else
    static_cast<void>(a), static_cast<void>(first), static_cast<void>(last), static_cast<void>(to);
#endif
}

}  // namespace cospadi
