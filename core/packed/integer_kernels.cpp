#include "core/packed/integer_kernels.h"

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/aligned_vector.h"
#include "core/packed/kernel_parts.h"

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its own intrinsics for mistakes.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#define COSPADI_INTEGERS256 __attribute__((target("avx2,fma")))
#define COSPADI_INTEGERS512 __attribute__((target("avx512f,avx512bw")))
#endif

namespace cospadi {

namespace {

const std::uint8_t* rowsOf(const PackedGroups& a, std::int64_t group) {
    return a.bytes.values + group * a.rows() * kPackedColumns;
}

const float* columnScalesOf(const PackedGroups& a, std::int64_t group) {
    return a.bytes.columnScales + group * kPackedColumns;
}

float rowScaleOf(const PackedGroups& a, std::int64_t row) {
    return a.bytes.rowScales != nullptr ? a.bytes.rowScales[row] : 1.0F;
}

void integerDotPlain(const PackedGroups& a, std::int64_t first, std::int64_t last, const float* x,
                     std::int64_t tokens, float* y, std::int64_t ldy) {
    for (std::int64_t group = first; group < last; ++group) {
        const auto* values = reinterpret_cast<const std::int8_t*>(rowsOf(a, group));
        const float* scales = columnScalesOf(a, group);
        for (std::int64_t t = 0; t < tokens; ++t) {
            std::array<float, kPackedColumns> sums{};
            for (std::int64_t row = 0; row < a.rows(); ++row) {
                for (std::int64_t c = 0; c < kPackedColumns; ++c) {
                    sums[static_cast<std::size_t>(c)] +=
                        static_cast<float>(values[row * kPackedColumns + c]) *
                        x[t * a.rows() + row];
                }
            }
            for (std::int64_t c = 0; c < a.columnsOf(group); ++c) {
                y[t * ldy + group * kPackedColumns + c] =
                    sums[static_cast<std::size_t>(c)] * scales[c];
            }
        }
    }
}

void integerUnpackPlain(const PackedGroups& a, std::int64_t first, std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        const auto* values = reinterpret_cast<const std::int8_t*>(rowsOf(a, group));
        const float* scales = columnScalesOf(a, group);
        for (std::int64_t row = 0; row < a.rows(); ++row) {
            for (std::int64_t c = 0; c < kPackedColumns; ++c) {
                to[row * width + c] = static_cast<float>(values[row * kPackedColumns + c]) *
                                      (scales[c] * rowScaleOf(a, row));
            }
        }
    }
}

#if defined(__x86_64__)

// ---- AVX2: half a row a vector

COSPADI_INTEGERS256 inline __m256 integers256(const std::uint8_t* row, int half) {
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + half * 8))));
}

COSPADI_INTEGERS256 inline __m256 columnScales256(const PackedGroups& a, std::int64_t group,
                                                  int half) {
    return _mm256_loadu_ps(columnScalesOf(a, group) + 8 * half);
}

template <int Tokens>
COSPADI_INTEGERS256 void integerDot256(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                       const float* x, float* y, std::int64_t ldy) {
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint8_t* values = rowsOf(a, group);
        Sums256<Tokens> sums;
        sums.clear();
        for (std::int64_t row = 0; row < rows; row += 2) {
            for (int odd = 0; odd < 2; ++odd, values += kPackedColumns) {
                const __m256 v[kHalves] = {integers256(values, 0), integers256(values, 1)};
                sums.addRow(odd, v, x + row + odd, rows);
            }
        }
        for (int t = 0; t < Tokens; ++t) {
            __m256 total[kHalves];
            sums.total(t, total);
            for (int half = 0; half < kHalves; ++half) {
                total[half] = _mm256_mul_ps(total[half], columnScales256(a, group, half));
            }
            storeColumns(total, a.columnsOf(group), y + t * ldy + group * kPackedColumns);
        }
    }
}

COSPADI_INTEGERS256 void integerUnpack256(const PackedGroups& a, std::int64_t first,
                                          std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        const std::uint8_t* values = rowsOf(a, group);
        const __m256 columns[kHalves] = {columnScales256(a, group, 0),
                                         columnScales256(a, group, 1)};
        for (std::int64_t row = 0; row < a.rows(); ++row, values += kPackedColumns) {
            const __m256 rowScale = _mm256_set1_ps(rowScaleOf(a, row));
            for (int half = 0; half < kHalves; ++half) {
                _mm256_storeu_ps(to + row * width + 8 * half,
                                 _mm256_mul_ps(integers256(values, half),
                                               _mm256_mul_ps(rowScale, columns[half])));
            }
        }
    }
}

// ---- AVX-512: a row a vector

constexpr std::int64_t kIntegersAhead = 2048;  // bytes

COSPADI_INTEGERS512 inline __m512 integers512(const std::uint8_t* row) {
    return _mm512_cvtepi32_ps(
        _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row))));
}

template <int Tokens>
COSPADI_INTEGERS512 void integerDot512(const PackedGroups& a, std::int64_t first, std::int64_t last,
                                       const float* x, float* y, std::int64_t ldy) {
    const std::int64_t rows = a.rows();
    for (std::int64_t group = first; group < last; ++group) {
        const std::uint8_t* values = rowsOf(a, group);
        Sums512<Tokens> sums;
        sums.clear();
        for (std::int64_t row = 0; row < rows; row += 4, values += 4 * kPackedColumns) {
            _mm_prefetch(reinterpret_cast<const char*>(values + kIntegersAhead), _MM_HINT_T0);
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) {
                sums.addRow(i, integers512(values + i * kPackedColumns), x + row + i, rows);
            }
        }
        sums.store(_mm512_loadu_ps(columnScalesOf(a, group)), a.columnsOf(group),
                   y + group * kPackedColumns, ldy);
    }
}

// Calls use(row, values of two rows with all their scales) for every second row of a group.
template <typename Use>
COSPADI_INTEGERS512 inline void forScaledRows512(const PackedGroups& a, std::int64_t group,
                                                 const Use& use) {
    const std::uint8_t* values = rowsOf(a, group);
    const __m512 columns = _mm512_loadu_ps(columnScalesOf(a, group));
    const auto scaled = [&](std::int64_t row) COSPADI_INTEGERS512 {
        return _mm512_mul_ps(integers512(values + row * kPackedColumns),
                             _mm512_mul_ps(columns, _mm512_set1_ps(rowScaleOf(a, row))));
    };
    for (std::int64_t row = 0; row < a.rows(); row += 2) {
        use(row, scaled(row), scaled(row + 1));
    }
}

COSPADI_INTEGERS512 void integerUnpack512(const PackedGroups& a, std::int64_t first,
                                          std::int64_t last, float* to) {
    const std::int64_t width = (last - first) * kPackedColumns;
    for (std::int64_t group = first; group < last; ++group, to += kPackedColumns) {
        forScaledRows512(a, group,
                         [&](std::int64_t row, const __m512& even, const __m512& odd)
                             COSPADI_INTEGERS512 {
                                 _mm512_storeu_ps(to + row * width, even);
                                 _mm512_storeu_ps(to + (row + 1) * width, odd);
                             });
    }
}

COSPADI_INTEGERS512 void integerUnpackPairs512(const PackedGroups& a, std::int64_t first,
                                               std::int64_t last, std::uint16_t* to) {
    for (std::int64_t group = first; group < last; ++group) {
        forScaledRows512(
            a, group, [&](std::int64_t, const __m512& even, const __m512& odd) COSPADI_INTEGERS512 {
                _mm512_storeu_si512(to, pairsOf(even, odd));
                to += kPackedEntries;
            });
    }
}

#endif

// x with the scales of the rows in it.
const float* scaledInput(const PackedGroups& a, const float* x, std::int64_t tokens) {
    if (a.bytes.rowScales == nullptr) {
        return x;
    }
    thread_local AlignedVector<float> scaled;  // grown, never shrunk
    const std::int64_t rows = a.rows();
    scaled.resize(std::max(scaled.size(), static_cast<std::size_t>(rows * tokens)));
    for (std::int64_t t = 0; t < tokens; ++t) {
        std::transform(x + t * rows, x + (t + 1) * rows, a.bytes.rowScales,
                       scaled.begin() + t * rows, std::multiplies<>());
    }
    return scaled.data();
}

}  // namespace

void integerDot(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                std::int64_t last, const float* x, std::int64_t tokens, float* y,
                std::int64_t ldy) {
    x = scaledInput(a, x, tokens);
    switch (instructions) {
#if defined(__x86_64__)
        case PackedInstructions::Avx512:
            return withTokens<kMostPackedTokens>(
                tokens, [&](auto count) { integerDot512<count()>(a, first, last, x, y, ldy); });
        case PackedInstructions::Avx2:
            for (std::int64_t t = 0; t < tokens; t += kMostTokens256) {
                withTokens<kMostTokens256>(std::min(kMostTokens256, tokens - t), [&](auto count) {
                    integerDot256<count()>(a, first, last, x + t * a.rows(), y + t * ldy, ldy);
                });
            }
            return;
#endif
        default:
            return integerDotPlain(a, first, last, x, tokens, y, ldy);
    }
}

void integerUnpack(PackedInstructions instructions, const PackedGroups& a, std::int64_t first,
                   std::int64_t last, float* to) {
    switch (instructions) {
#if defined(__x86_64__)
        case PackedInstructions::Avx512:
            return integerUnpack512(a, first, last, to);
        case PackedInstructions::Avx2:
            return integerUnpack256(a, first, last, to);
#endif
        default:
            return integerUnpackPlain(a, first, last, to);
    }
}

void integerUnpackPairs(const PackedGroups& a, std::int64_t first, std::int64_t last,
                        std::uint16_t* to) {
#if defined(__x86_64__)
    integerUnpackPairs512(a, first, last, to);
#else
    static_cast<void>(a), static_cast<void>(first), static_cast<void>(last), static_cast<void>(to);
#endif
}

}  // namespace cospadi
