// CpuBackend: hard thresholding, normalised atoms.
#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "core/base/simd.h"
#include "core/linalg/cpu_backend.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kThresholdColumns = 32;
// Magnitudes as integers: for non-negative floats the order of the bit patterns is the order of
// the values.
COSPADI_AVX2_CLONES void candidateMagnitudes(const float* codes, const float* residual, float mu,
                                             std::int64_t n, float* values,
                                             std::uint32_t* magnitudes) {
    for (std::int64_t i = 0; i < n; ++i) {
        values[i] = codes[i] + mu * residual[i];
        magnitudes[i] = std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffU;
    }
}

struct Cut {
    std::uint32_t magnitude = 0;  // entries above it are kept
    std::int64_t ties = 0;        // and this many equal to it, lowest rows first
};

// The s-th largest of n magnitudes, bit by bit from the top: counting is what vectors do fastest.
COSPADI_AVX2_CLONES Cut cutOf(const std::uint32_t* magnitudes, std::int64_t n, std::int64_t s) {
    constexpr std::uint32_t kHighestBit = 1U << 30U;
    std::uint32_t cut = 0;
    std::int32_t above = 0;
    for (std::uint32_t bit = kHighestBit; bit != 0; bit >>= 1U) {
        const std::uint32_t trial = cut | bit;
        std::int32_t count = 0;
#pragma omp simd reduction(+ : count)
        for (std::int64_t i = 0; i < n; ++i) {
            count += magnitudes[i] >= trial ? 1 : 0;
        }
        if (count == s) {
            return {trial - 1, 0};
        }
        if (count > s) {
            cut = trial;
        } else {
            above = count;  // in the end of those larger than the cut
        }
    }
    return {cut, s - above};
}

COSPADI_AVX2_CLONES std::int64_t keepAbove(const float* values, const std::uint32_t* magnitudes,
                                           std::uint32_t cut, std::int64_t n, float* codes) {
    std::int32_t changes = 0;
#pragma omp simd reduction(+ : changes)
    for (std::int64_t i = 0; i < n; ++i) {
        const bool isKept = magnitudes[i] > cut;
        const std::int32_t was = codes[i] != 0 ? 1 : 0;
        const std::int32_t becomes = isKept && values[i] != 0 ? 1 : 0;
        changes += was ^ becomes;
        codes[i] = isKept ? values[i] : 0.0F;
    }
    return changes;
}

}  // namespace

std::int64_t CpuBackend::thresholdStep(const Matrix& r, float mu, std::int64_t s, Matrix& codes) {
    const std::int64_t k = codes.rows;
    std::atomic<std::int64_t> changes{0};
    forColumnRanges(
        m_pool, codes.cols, kThresholdColumns, [&](std::int64_t first, std::int64_t last) {
            std::vector<float> values(static_cast<std::size_t>(k));
            std::vector<std::uint32_t> magnitudes(static_cast<std::size_t>(k));
            std::int64_t changed = 0;
            for (std::int64_t j = first; j < last; ++j) {
                float* column = codes.data.get() + j * k;
                candidateMagnitudes(column, r.data.get() + j * k, mu, k, values.data(),
                                    magnitudes.data());
                Cut cut;
                if (s < k) {
                    cut = cutOf(magnitudes.data(), k, s);
                }
                if (cut.magnitude > 0 && cut.ties > 0) {
                    // Raise the ties that stay above the cut.
                    for (std::size_t i = 0; cut.ties > 0; ++i) {
                        if (magnitudes[i] == cut.magnitude) {
                            ++magnitudes[i];
                            --cut.ties;
                        }
                    }
                }
                changed += keepAbove(values.data(), magnitudes.data(), cut.magnitude, k, column);
            }
            changes += changed;
        });
    return changes;
}

void CpuBackend::normalizeAtoms(Matrix& d, std::initializer_list<Matrix> scaled) {
    std::vector<float> norms(static_cast<std::size_t>(d.cols));
    const std::vector<double> squares = squaredColumnNorms(d);
    for (std::int64_t i = 0; i < d.cols; ++i) {
        const auto n = static_cast<std::size_t>(i);
        norms[n] = static_cast<float>(std::sqrt(squares[n]));
        if (norms[n] > 0) {
            cblas_sscal(static_cast<blasint>(d.rows), 1 / norms[n], d.data.get() + i * d.rows, 1);
        }
    }
    const Eigen::Map<const Eigen::ArrayXf> factors(norms.data(), d.cols);
    for (const Matrix& a : scaled) {
        forColumns(m_pool, a.cols, [&](std::int64_t j) {
            Eigen::Map<Eigen::ArrayXf>(a.data.get() + j * a.rows, a.rows) *= factors;
        });
    }
}

}  // namespace cospadi
