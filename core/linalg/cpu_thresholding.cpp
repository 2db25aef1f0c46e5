// CpuBackend: the matrix–matrix family of sparse coding: hard thresholding, masked conjugate
// gradients, normalised atoms.
#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/simd.h"
#include "core/linalg/column_tasks.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi {

namespace {

constexpr std::int64_t kThresholdColumns = 32;
constexpr std::int64_t kCgColumns = 128;  // G and four such panels stay in a core's cache
// Magnitudes as integers: for non-negative floats the order of the bit patterns is the order of
// the values.
COSPADI_SIMD_CLONES void candidateMagnitudes(const float* codes, const float* residual, float mu,
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
COSPADI_SIMD_CLONES Cut cutOf(const std::uint32_t* magnitudes, std::int64_t n, std::int64_t s) {
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

COSPADI_SIMD_CLONES std::int64_t keepAbove(const float* values, const std::uint32_t* magnitudes,
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

// r ← r − step q and p·p products of one column, on the support only.
COSPADI_SIMD_CLONES float descend(float step, const float* direction, const float* image,
                                  const float* mask, std::int64_t n, float* codes,
                                  float* residual) {
    float norm = 0;
#pragma omp simd reduction(+ : norm)
    for (std::int64_t i = 0; i < n; ++i) {
        codes[i] += step * direction[i];
        residual[i] -= step * image[i] * mask[i];
        norm += residual[i] * residual[i];
    }
    return norm;
}

COSPADI_SIMD_CLONES float maskedResidual(const float* target, const float* mask, std::int64_t n,
                                         float* residual) {
    float norm = 0;
#pragma omp simd reduction(+ : norm)
    for (std::int64_t i = 0; i < n; ++i) {
        residual[i] = (target[i] - residual[i]) * mask[i];
        norm += residual[i] * residual[i];
    }
    return norm;
}

COSPADI_SIMD_CLONES void combine(const float* residual, float beta, std::int64_t n,
                                 float* direction) {
    for (std::int64_t i = 0; i < n; ++i) {
        direction[i] = residual[i] + beta * direction[i];
    }
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

double CpuBackend::maskedCg(const Matrix& g, const Matrix& p, int steps, double tolerance,
                            Matrix& codes) {
    const std::int64_t k = codes.rows;
    const auto limit = static_cast<float>(tolerance * tolerance);
    std::vector<double> overlap(static_cast<std::size_t>(codes.cols));  // ⟨S, P − G S⟩ by column
    forColumnRanges(m_pool, codes.cols, kCgColumns, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t width = last - first;
        const auto size = static_cast<std::size_t>(k * width);
        std::vector<float> mask(size);
        std::vector<float> residual(size);
        std::vector<float> direction(size);
        std::vector<float> image(size);
        float* s = codes.data.get() + first * k;
        const float* target = p.data.get() + first * k;
        for (std::size_t i = 0; i < size; ++i) {
            mask[i] = s[i] != 0 ? 1.0F : 0.0F;
        }
        const auto applyGram = [&](const float* from, float* to) {
            multiplyBlock(Op::None, Op::None, k, width, k, 1, g.data.get(), k, from, k, 0, to, k);
        };
        applyGram(s, residual.data());
        std::vector<float> norm(static_cast<std::size_t>(width));
        std::vector<float> goal(static_cast<std::size_t>(width));
        for (std::int64_t j = 0; j < width; ++j) {
            const auto c = static_cast<std::size_t>(j);
            norm[c] =
                maskedResidual(target + j * k, mask.data() + j * k, k, residual.data() + j * k);
            // Against the target, not the first residual: a warm start must not work to the last
            // bit.
            goal[c] =
                limit * cblas_sdot(static_cast<blasint>(k), target + j * k, 1, target + j * k, 1);
        }
        direction = residual;
        for (int step = 0; step < steps; ++step) {
            applyGram(direction.data(), image.data());
            bool busy = false;
            for (std::int64_t j = 0; j < width; ++j) {
                const auto c = static_cast<std::size_t>(j);
                float* d = direction.data() + j * k;
                const float curvature =
                    cblas_sdot(static_cast<blasint>(k), d, 1, image.data() + j * k, 1);
                if (norm[c] <= goal[c] || !(curvature > 0)) {
                    std::fill_n(d, k, 0.0F);  // this column is done
                    continue;
                }
                busy = true;
                const float next =
                    descend(norm[c] / curvature, d, image.data() + j * k, mask.data() + j * k, k,
                            s + j * k, residual.data() + j * k);
                combine(residual.data() + j * k, next / norm[c], k, d);
                norm[c] = next;
            }
            if (!busy) {
                break;
            }
        }
        for (std::int64_t j = 0; j < width; ++j) {
            overlap[static_cast<std::size_t>(first + j)] =
                Eigen::Map<const Eigen::VectorXf>(s + j * k, k)
                    .cast<double>()
                    .dot(Eigen::Map<const Eigen::VectorXf>(residual.data() + j * k, k)
                             .cast<double>());
        }
    });
    return std::accumulate(overlap.begin(), overlap.end(), 0.0);
}

void CpuBackend::normalizeAtoms(Matrix& d, Matrix& s) {
    std::vector<float> norms(static_cast<std::size_t>(d.cols));
    const std::vector<double> squares = squaredColumnNorms(d);
    for (std::int64_t i = 0; i < d.cols; ++i) {
        const auto n = static_cast<std::size_t>(i);
        norms[n] = static_cast<float>(std::sqrt(squares[n]));
        if (norms[n] > 0) {
            cblas_sscal(static_cast<blasint>(d.rows), 1 / norms[n], d.data.get() + i * d.rows, 1);
        }
    }
    forColumnRanges(m_pool, s.cols, kThresholdColumns, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
            float* column = s.data.get() + j * s.rows;
            for (std::int64_t i = 0; i < s.rows; ++i) {
                column[i] *= norms[static_cast<std::size_t>(i)];
            }
        }
    });
}

}  // namespace cospadi
