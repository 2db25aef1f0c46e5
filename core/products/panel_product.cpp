#include "core/products/panel_product.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define COSPADI_X86 1
#endif

namespace cospadi {

namespace {

void subtractPlain(const float* a, std::int64_t n, std::int64_t t, const float* m, float* c) {
    for (std::int64_t p = 0; p < t; ++p) {
        for (std::int64_t b = 0; b < kPanelColumns; ++b) {
            for (std::int64_t i = 0; i < n; ++i) {
                c[b * n + i] -= a[p * n + i] * m[p * kPanelColumns + b];
            }
        }
    }
}

#ifdef COSPADI_X86

// A tile of `Vectors` times 16 rows and all eight columns stays in registers.
template <int Vectors>
__attribute__((target("avx512f"))) void tile512(const float* a, std::int64_t n, std::int64_t t,
                                                const float* m, float* c) {
    __m512 sum[Vectors][kPanelColumns];
    for (int v = 0; v < Vectors; ++v) {
        for (int b = 0; b < kPanelColumns; ++b) {
            sum[v][b] = _mm512_loadu_ps(c + b * n + 16 * v);
        }
    }
    for (std::int64_t p = 0; p < t; ++p) {
        __m512 column[Vectors];
        for (int v = 0; v < Vectors; ++v) {
            column[v] = _mm512_loadu_ps(a + p * n + 16 * v);
        }
        for (int b = 0; b < kPanelColumns; ++b) {
            const __m512 factor = _mm512_set1_ps(m[p * kPanelColumns + b]);
            for (int v = 0; v < Vectors; ++v) {
                sum[v][b] = _mm512_fnmadd_ps(column[v], factor, sum[v][b]);
            }
        }
    }
    for (int v = 0; v < Vectors; ++v) {
        for (int b = 0; b < kPanelColumns; ++b) {
            _mm512_storeu_ps(c + b * n + 16 * v, sum[v][b]);
        }
    }
}

__attribute__((target("avx512f"))) void subtract512(const float* a, std::int64_t n, std::int64_t t,
                                                    const float* m, float* c) {
    std::int64_t i = 0;
    for (; i + 48 <= n; i += 48) {
        tile512<3>(a + i, n, t, m, c + i);
    }
    for (; i < n; i += 16) {
        tile512<1>(a + i, n, t, m, c + i);
    }
}

__attribute__((target("avx2,fma"))) void subtract256(const float* a, std::int64_t n, std::int64_t t,
                                                     const float* m, float* c) {
    for (std::int64_t i = 0; i < n; i += 8) {
        __m256 sum[kPanelColumns];
        for (int b = 0; b < kPanelColumns; ++b) {
            sum[b] = _mm256_loadu_ps(c + b * n + i);
        }
        for (std::int64_t p = 0; p < t; ++p) {
            const __m256 column = _mm256_loadu_ps(a + p * n + i);
            for (int b = 0; b < kPanelColumns; ++b) {
                sum[b] = _mm256_fnmadd_ps(column, _mm256_broadcast_ss(m + p * kPanelColumns + b),
                                          sum[b]);
            }
        }
        for (int b = 0; b < kPanelColumns; ++b) {
            _mm256_storeu_ps(c + b * n + i, sum[b]);
        }
    }
}

#endif

}  // namespace

void subtractPanelProduct(const float* a, std::int64_t n, std::int64_t t, const float* m,
                          float* c) {
#ifdef COSPADI_X86
    static const bool hasAvx512 = __builtin_cpu_supports("avx512f") != 0;
    static const bool hasAvx2 =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    if (hasAvx512) {
        return subtract512(a, n, t, m, c);
    }
    if (hasAvx2) {
        return subtract256(a, n, t, m, c);
    }
#endif
    subtractPlain(a, n, t, m, c);
}

}  // namespace cospadi
