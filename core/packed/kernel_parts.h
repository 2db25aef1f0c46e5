// Internal to the kernels of packed matrices: what those of several instruction sets and layouts
// have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cospadi {

// Calls kernel(tokens) with the number as a constant, from 1 to Most.
template <int Most, typename Kernel>
void withTokens(std::int64_t tokens, const Kernel& kernel) {
    if constexpr (Most > 1) {
        if (tokens < Most) {
            withTokens<Most - 1>(tokens, kernel);
            return;
        }
    }
    kernel(std::integral_constant<int, Most>());
}

#if defined(__x86_64__)

// For every mask of eight bits the sources of eight lanes as bytes, the first lane's the lowest;
// 0x80 where the entry is zero.
inline constexpr std::array<std::uint64_t, 256> kExpandSources = [] {
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

// Of a line of 16 pairs of bfloat16 the first of each, and the second, as floats.
__attribute__((target("avx512f"))) inline __m512 firstOfPairs(__m512i line) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(line, 16));
}

__attribute__((target("avx512f"))) inline __m512 secondOfPairs(__m512i line) {
    return _mm512_castsi512_ps(_mm512_and_si512(line, _mm512_set1_epi32(-65536)));
}

// The pairs again: values that are bfloat16.
__attribute__((target("avx512f"))) inline __m512i pairsOf(__m512 first, __m512 second) {
    return _mm512_or_si512(
        _mm512_srli_epi32(_mm512_castps_si512(first), 16),
        _mm512_and_si512(_mm512_castps_si512(second), _mm512_set1_epi32(-65536)));
}

// Of eight pairs.
__attribute__((target("avx2"))) inline __m256 firstOfPairs(__m256i line) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(line, 16));
}

__attribute__((target("avx2"))) inline __m256 secondOfPairs(__m256i line) {
    return _mm256_castsi256_ps(_mm256_and_si256(line, _mm256_set1_epi32(-65536)));
}

constexpr int kHalves = 2;                  // of a group's columns, a vector of AVX2 each
constexpr std::int64_t kMostTokens256 = 4;  // whose sums AVX2 has registers for

__attribute__((target("avx2"))) inline void storeColumns(const __m256 sums[kHalves],
                                                         std::int64_t columns, float* to) {
    alignas(32) std::array<float, 16> entries;
    _mm256_store_ps(entries.data(), sums[0]);
    _mm256_store_ps(entries.data() + 8, sums[1]);
    std::copy_n(entries.data(), columns, to);
}

__attribute__((target("avx512f"))) inline __mmask16 firstColumns(std::int64_t count) {
    return static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U);
}

// Sums of a group's columns for some tokens, in chains that do not wait for each other: as many as
// there is room for in registers. x: the entry of the row of the first token, `rows` from it to
// that of the next.
template <int Tokens>
struct Sums256 {
    static constexpr int kChains = Tokens <= 2 ? 2 : 1;
    __m256 of[Tokens][kHalves][kChains];

    __attribute__((target("avx2,fma"))) void clear() {
        std::fill_n(&of[0][0][0], Tokens * kHalves * kChains, _mm256_setzero_ps());
    }
    __attribute__((target("avx2,fma"))) void addRow(int row, const __m256 v[kHalves],
                                                    const float* x, std::int64_t rows) {
        for (int t = 0; t < Tokens; ++t) {
            const __m256 input = _mm256_broadcast_ss(x + t * rows);
            for (int half = 0; half < kHalves; ++half) {
                __m256& sum = of[t][half][row % kChains];
                sum = _mm256_fmadd_ps(v[half], input, sum);
            }
        }
    }
    __attribute__((target("avx2,fma"))) void total(int t, __m256 sums[kHalves]) const {
        for (int half = 0; half < kHalves; ++half) {
            sums[half] = of[t][half][0];
            if constexpr (kChains == 2) {
                sums[half] = _mm256_add_ps(sums[half], of[t][half][1]);
            }
        }
    }
};

template <int Tokens>
struct Sums512 {
    static constexpr int kChains = Tokens <= 2 ? 4 : 2;
    __m512 of[Tokens][kChains];

    __attribute__((target("avx512f"))) void clear() {
        std::fill_n(&of[0][0], Tokens * kChains, _mm512_setzero_ps());
    }
    __attribute__((target("avx512f"))) void addRow(int row, __m512 v, const float* x,
                                                   std::int64_t rows) {
#pragma GCC unroll 8
        for (int t = 0; t < Tokens; ++t) {
            __m512& sum = of[t][row % kChains];
            sum = _mm512_fmadd_ps(v, _mm512_set1_ps(x[t * rows]), sum);
        }
    }
    // y[t · ldy + c], `columns` of them, each times its scale.
    __attribute__((target("avx512f"))) void store(__m512 scales, std::int64_t columns, float* y,
                                                  std::int64_t ldy) const {
        for (int t = 0; t < Tokens; ++t) {
            __m512 total = of[t][0];
            for (int chain = 1; chain < kChains; ++chain) {
                total = _mm512_add_ps(total, of[t][chain]);
            }
            _mm512_mask_storeu_ps(y + t * ldy, firstColumns(columns), _mm512_mul_ps(total, scales));
        }
    }
};

#endif

}  // namespace cospadi
