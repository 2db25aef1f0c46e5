// Internal to products on matrix units: vectors of 16 float32 with AVX-512. Only to be called where
// the processor has avx512f.
#pragma once

#if defined(__x86_64__)

// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstdint>

#define COSPADI_AVX512 __attribute__((target("avx512f")))

namespace cospadi::avx512 {

inline __mmask16 firstLanes(std::int64_t count) {
    return static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U);
}

COSPADI_AVX512 inline __m512 loadAligned(const float* from) { return _mm512_load_ps(from); }

// The first `count` lanes; zeros behind them.
COSPADI_AVX512 inline __m512 loadFirst(std::int64_t count, const float* from) {
    return _mm512_maskz_loadu_ps(firstLanes(count), from);
}
COSPADI_AVX512 inline void storeFirst(std::int64_t count, float* to, __m512 x) {
    _mm512_mask_storeu_ps(to, firstLanes(count), x);
}

COSPADI_AVX512 inline __m512 pairsLow(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

COSPADI_AVX512 inline __m512 pairsHigh(__m512 a, __m512 b) {
    return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// r[i][l] ↔ r[l][i]
COSPADI_AVX512 inline void transpose(__m512 r[16]) {
    constexpr int kEven = 0x88;
    constexpr int kOdd = 0xdd;
    __m512 t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        r[i] = pairsLow(t[i], t[i + 2]);
        r[i + 1] = pairsHigh(t[i], t[i + 2]);
        r[i + 2] = pairsLow(t[i + 1], t[i + 3]);
        r[i + 3] = pairsHigh(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], kEven);
        t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], kOdd);
        t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], kEven);
        t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], kOdd);
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], kEven);
        r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], kEven);
        r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], kOdd);
        r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], kOdd);
    }
}

}  // namespace cospadi::avx512

#pragma GCC diagnostic pop

#endif
