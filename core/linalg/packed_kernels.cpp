#include "core/linalg/packed_kernels.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/bfloat16.h"

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define COSPADI_X86 1
#endif

namespace cospadi {

namespace {

// ---- plain C++

void entries(const PackedColumns& a, std::int64_t column, float* to) {
    if (a.mask == nullptr) {
        const std::uint16_t* values = a.values + column * a.blocks * kPackedBlock;
        std::transform(values, values + a.blocks * kPackedBlock, to, floatFromBf16);
        return;
    }
    const std::uint16_t* value = a.values + a.begin[column];
    for (std::int64_t block = 0; block < a.blocks; ++block) {
        std::uint64_t bits = a.mask[column * a.blocks + block];
        std::fill_n(to + block * kPackedBlock, kPackedBlock, 0.0F);
        for (; bits != 0; bits &= bits - 1) {
            to[block * kPackedBlock + std::countr_zero(bits)] = floatFromBf16(*value++);
        }
    }
}

void dotPlain(const PackedColumns& a, std::int64_t first, std::int64_t last, const float* x,
              std::int64_t tokens, float* y, std::int64_t ldy) {
    const std::int64_t rows = a.blocks * kPackedBlock;
    std::vector<float> column(static_cast<std::size_t>(rows));
    for (std::int64_t c = first; c < last; ++c) {
        entries(a, c, column.data());
        for (std::int64_t t = 0; t < tokens; ++t) {
            float sum = 0;
            for (std::int64_t i = 0; i < rows; ++i) {
                sum += column[static_cast<std::size_t>(i)] * x[t * rows + i];
            }
            y[t * ldy + c] = sum;
        }
    }
}

#ifdef COSPADI_X86

// ---- AVX-512: sixteen entries a step; the values go to their places by an expand

// In bytes. Masked columns are read in uneven steps, which the processor guesses badly: a tenth of
// the time of decoding one token.
constexpr std::int64_t kReadAhead = 2048;

__attribute__((target("avx512f"))) inline __m512 widened512(const std::uint16_t* values) {
    const __m256i packed = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(packed), 16));
}

// The four sixteenths of a block: v[q] holds rows 16 q … 16 q + 15. Moves `values` on.
__attribute__((target("avx512f,popcnt"))) inline void block512(const std::uint64_t* mask,
                                                               const std::uint16_t*& values,
                                                               __m512 v[4]) {
    if (mask == nullptr) {
        for (int q = 0; q < 4; ++q) {
            v[q] = widened512(values + 16 * q);
        }
        values += kPackedBlock;
        return;
    }
    const std::uint64_t bits = *mask;
    const std::uint16_t* second = values + _mm_popcnt_u64(bits & 0xffffU);
    const std::uint16_t* third = values + _mm_popcnt_u64(bits & 0xffffffffU);
    const std::uint16_t* fourth = values + _mm_popcnt_u64(bits & 0xffffffffffffU);
    v[0] = _mm512_maskz_expand_ps(static_cast<__mmask16>(bits), widened512(values));
    v[1] = _mm512_maskz_expand_ps(static_cast<__mmask16>(bits >> 16U), widened512(second));
    v[2] = _mm512_maskz_expand_ps(static_cast<__mmask16>(bits >> 32U), widened512(third));
    v[3] = _mm512_maskz_expand_ps(static_cast<__mmask16>(bits >> 48U), widened512(fourth));
    values += _mm_popcnt_u64(bits);
}

template <bool Masked, int Tokens>
__attribute__((target("avx512f,popcnt"))) void dot512(const PackedColumns& a, std::int64_t first,
                                                      std::int64_t last, const float* x, float* y,
                                                      std::int64_t ldy) {
    const std::int64_t rows = a.blocks * kPackedBlock;
    for (std::int64_t c = first; c < last; ++c) {
        const std::uint16_t* values = a.values + (Masked ? a.begin[c] : c * rows);
        const std::uint64_t* mask = Masked ? a.mask + c * a.blocks : nullptr;
        __m512 even[Tokens];
        __m512 odd[Tokens];
        for (int t = 0; t < Tokens; ++t) {
            even[t] = _mm512_setzero_ps();
            odd[t] = _mm512_setzero_ps();
        }
        for (std::int64_t block = 0; block < a.blocks; ++block) {
            __m512 v[4];
            if (Masked) {
                _mm_prefetch(reinterpret_cast<const char*>(values) + kReadAhead, _MM_HINT_T0);
            }
            block512(Masked ? mask + block : nullptr, values, v);
            const float* at = x + block * kPackedBlock;
            for (int t = 0; t < Tokens; ++t) {
                const float* in = at + t * rows;
                even[t] = _mm512_fmadd_ps(v[0], _mm512_loadu_ps(in), even[t]);
                odd[t] = _mm512_fmadd_ps(v[1], _mm512_loadu_ps(in + 16), odd[t]);
                even[t] = _mm512_fmadd_ps(v[2], _mm512_loadu_ps(in + 32), even[t]);
                odd[t] = _mm512_fmadd_ps(v[3], _mm512_loadu_ps(in + 48), odd[t]);
            }
        }
        for (int t = 0; t < Tokens; ++t) {
            y[t * ldy + c] = _mm512_reduce_add_ps(_mm512_add_ps(even[t], odd[t]));
        }
    }
}

__attribute__((target("avx512f,popcnt"))) void unpack512(const PackedColumns& a, std::int64_t first,
                                                         std::int64_t last, float* to) {
    const std::int64_t rows = a.blocks * kPackedBlock;
    for (std::int64_t c = first; c < last; ++c) {
        const std::uint16_t* values = a.values + (a.mask != nullptr ? a.begin[c] : c * rows);
        for (std::int64_t block = 0; block < a.blocks; ++block, to += kPackedBlock) {
            __m512 v[4];
            block512(a.mask != nullptr ? a.mask + c * a.blocks + block : nullptr, values, v);
            for (int q = 0; q < 4; ++q) {
                _mm512_storeu_ps(to + 16 * q, v[q]);
            }
        }
    }
}

// ---- AVX2: eight entries a step; the values go to their places by a permutation from a table

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

__attribute__((target("avx2,fma"))) inline __m256 widened256(const std::uint16_t* values) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(packed), 16));
}

__attribute__((target("avx2,fma"))) inline __m256 expanded256(std::uint64_t byte,
                                                              const std::uint16_t* values) {
    const __m256i source =
        _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(static_cast<std::int64_t>(kExpand[byte & 0xffU])));
    const __m256 placed = _mm256_permutevar8x32_ps(widened256(values), source);
    // The sign of the source says that the entry is zero.
    return _mm256_blendv_ps(placed, _mm256_setzero_ps(), _mm256_castsi256_ps(source));
}

// Half a block: v[q] holds rows 8 q … 8 q + 7 of the 32 rows that `bits` begins with.
template <bool Masked>
__attribute__((target("avx2,fma,popcnt"))) inline void half256(std::uint64_t bits,
                                                               const std::uint16_t*& values,
                                                               __m256 v[4]) {
    if (!Masked) {
        for (int q = 0; q < 4; ++q) {
            v[q] = widened256(values + 8 * q);
        }
        values += 32;
        return;
    }
    v[0] = expanded256(bits, values);
    v[1] = expanded256(bits >> 8U, values + _mm_popcnt_u64(bits & 0xffU));
    v[2] = expanded256(bits >> 16U, values + _mm_popcnt_u64(bits & 0xffffU));
    v[3] = expanded256(bits >> 24U, values + _mm_popcnt_u64(bits & 0xffffffU));
    values += _mm_popcnt_u64(bits & 0xffffffffU);
}

__attribute__((target("avx2,fma"))) inline float sum256(__m256 a) {
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
}

template <bool Masked, int Tokens>
__attribute__((target("avx2,fma,popcnt"))) void dot256(const PackedColumns& a, std::int64_t first,
                                                       std::int64_t last, const float* x, float* y,
                                                       std::int64_t ldy) {
    const std::int64_t rows = a.blocks * kPackedBlock;
    for (std::int64_t c = first; c < last; ++c) {
        const std::uint16_t* values = a.values + (Masked ? a.begin[c] : c * rows);
        __m256 sum[Tokens];
        for (int t = 0; t < Tokens; ++t) {
            sum[t] = _mm256_setzero_ps();
        }
        for (std::int64_t half = 0; half < 2 * a.blocks; ++half) {
            const std::uint64_t bits =
                Masked ? a.mask[c * a.blocks + half / 2] >> (32 * (half & 1)) : 0;
            __m256 v[4];
            half256<Masked>(bits, values, v);
            const float* at = x + half * 32;
            for (int t = 0; t < Tokens; ++t) {
                const float* in = at + t * rows;
                const __m256 left = _mm256_fmadd_ps(v[1], _mm256_loadu_ps(in + 8),
                                                    _mm256_mul_ps(v[0], _mm256_loadu_ps(in)));
                const __m256 right = _mm256_fmadd_ps(v[3], _mm256_loadu_ps(in + 24),
                                                     _mm256_mul_ps(v[2], _mm256_loadu_ps(in + 16)));
                sum[t] = _mm256_add_ps(sum[t], _mm256_add_ps(left, right));
            }
        }
        for (int t = 0; t < Tokens; ++t) {
            y[t * ldy + c] = sum256(sum[t]);
        }
    }
}

template <bool Masked>
__attribute__((target("avx2,fma,popcnt"))) void unpack256(const PackedColumns& a,
                                                          std::int64_t first, std::int64_t last,
                                                          float* to) {
    const std::int64_t rows = a.blocks * kPackedBlock;
    for (std::int64_t c = first; c < last; ++c) {
        const std::uint16_t* values = a.values + (Masked ? a.begin[c] : c * rows);
        for (std::int64_t half = 0; half < 2 * a.blocks; ++half, to += 32) {
            const std::uint64_t bits =
                Masked ? a.mask[c * a.blocks + half / 2] >> (32 * (half & 1)) : 0;
            __m256 v[4];
            half256<Masked>(bits, values, v);
            for (int q = 0; q < 4; ++q) {
                _mm256_storeu_ps(to + 8 * q, v[q]);
            }
        }
    }
}

// The kernel for this number of tokens, made at compile time for each.
template <bool Wide, bool Masked, int Tokens = kMostPackedTokens>
void dotFor(const PackedColumns& a, std::int64_t first, std::int64_t last, const float* x,
            std::int64_t tokens, float* y, std::int64_t ldy) {
    if constexpr (Tokens > 1) {
        if (tokens < Tokens) {
            dotFor<Wide, Masked, Tokens - 1>(a, first, last, x, tokens, y, ldy);
            return;
        }
    }
    if constexpr (Wide) {
        dot512<Masked, Tokens>(a, first, last, x, y, ldy);
    } else {
        dot256<Masked, Tokens>(a, first, last, x, y, ldy);
    }
}

#endif

}  // namespace

std::vector<PackedInstructions> packedInstructions() {
    std::vector<PackedInstructions> result{PackedInstructions::Plain};
#ifdef COSPADI_X86
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
        __builtin_cpu_supports("popcnt") != 0) {
        result.push_back(PackedInstructions::Avx2);
        if (__builtin_cpu_supports("avx512f") != 0) {
            result.push_back(PackedInstructions::Avx512);
        }
    }
#endif
    return result;
}

PackedInstructions bestPackedInstructions() {
    static const PackedInstructions best = packedInstructions().back();
    return best;
}

const char* name(PackedInstructions instructions) {
    switch (instructions) {
        case PackedInstructions::Avx2:
            return "AVX2";
        case PackedInstructions::Avx512:
            return "AVX-512";
        case PackedInstructions::Plain:
            break;
    }
    return "plain";
}

void packedDot(PackedInstructions instructions, const PackedColumns& a, std::int64_t first,
               std::int64_t last, const float* x, std::int64_t tokens, float* y, std::int64_t ldy) {
    const bool masked = a.mask != nullptr;
    switch (instructions) {
#ifdef COSPADI_X86
        case PackedInstructions::Avx512:
            return masked ? dotFor<true, true>(a, first, last, x, tokens, y, ldy)
                          : dotFor<true, false>(a, first, last, x, tokens, y, ldy);
        case PackedInstructions::Avx2:
            return masked ? dotFor<false, true>(a, first, last, x, tokens, y, ldy)
                          : dotFor<false, false>(a, first, last, x, tokens, y, ldy);
#endif
        default:
            return dotPlain(a, first, last, x, tokens, y, ldy);
    }
}

void unpack(PackedInstructions instructions, const PackedColumns& a, std::int64_t first,
            std::int64_t last, float* to) {
    switch (instructions) {
#ifdef COSPADI_X86
        case PackedInstructions::Avx512:
            return unpack512(a, first, last, to);
        case PackedInstructions::Avx2:
            return a.mask != nullptr ? unpack256<true>(a, first, last, to)
                                     : unpack256<false>(a, first, last, to);
#endif
        default:
            for (std::int64_t c = first; c < last; ++c, to += a.blocks * kPackedBlock) {
                entries(a, c, to);
            }
    }
}

}  // namespace cospadi
