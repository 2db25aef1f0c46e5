// CpuBackend: conjugate gradients on the support of sparse codes, column by column and coupled.
#include <cblas.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/simd.h"
#include "core/linalg/cpu_backend.h"
#include "core/products/amx_product.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kCgColumns = 128;  // G and four such panels stay in a core's cache

// r ← r − step q and p·p products of one column, on the support only.
COSPADI_AVX2_CLONES float descend(float step, const float* direction, const float* image,
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

// 1 on the support, 0 off it.
COSPADI_AVX2_CLONES void markSupport(const float* codes, std::int64_t n, float* mask) {
    for (std::int64_t i = 0; i < n; ++i) {
        mask[i] = codes[i] != 0 ? 1.0F : 0.0F;
    }
}

COSPADI_AVX2_CLONES float maskedResidual(const float* target, const float* mask, std::int64_t n,
                                         float* residual) {
    float norm = 0;
#pragma omp simd reduction(+ : norm)
    for (std::int64_t i = 0; i < n; ++i) {
        residual[i] = (target[i] - residual[i]) * mask[i];
        norm += residual[i] * residual[i];
    }
    return norm;
}

// residual ← residual on the support, zero off it; its squared norm
COSPADI_AVX2_CLONES float maskedNorm(const float* mask, std::int64_t n, float* residual) {
    float norm = 0;
#pragma omp simd reduction(+ : norm)
    for (std::int64_t i = 0; i < n; ++i) {
        residual[i] *= mask[i];
        norm += residual[i] * residual[i];
    }
    return norm;
}

// direction ← scale residual + beta direction
COSPADI_AVX2_CLONES void combine(float scale, const float* residual, float beta, std::int64_t n,
                                 float* direction) {
    for (std::int64_t i = 0; i < n; ++i) {
        direction[i] = scale * residual[i] + beta * direction[i];
    }
}

COSPADI_AVX2_CLONES void addScaled(float step, const float* from, std::int64_t n, float* to) {
    for (std::int64_t i = 0; i < n; ++i) {
        to[i] += step * from[i];
    }
}

}  // namespace

double CpuBackend::maskedCg(const Matrix& g, const Matrix& p, int steps, double tolerance,
                            Matrix& codes) {
    const std::int64_t k = codes.rows;
    const auto limit = static_cast<float>(tolerance * tolerance);
    std::vector<double> overlap(static_cast<std::size_t>(codes.cols));  // ⟨S, P − G S⟩ by column
    const ProductKernel kernel = bestProductKernel(k, kCgColumns);
    const bool onMatrixUnits = kernel == ProductKernel::MatrixUnits;
    // Steps on the way are made up for; with a tolerance they are to hold.
    const Accuracy accuracy = limit > 0 ? Accuracy::Float32 : Accuracy::Step;
    TileMemory gramMemory;
    const PairTiles gram = onMatrixUnits
                               ? packPairTiles(m_pool, Op::None, g.data.get(), k, k, k,
                                               gramMemory.atLeast(tileWords(k, k)), accuracy)
                               : PairTiles{};
    forColumnRanges(m_pool, codes.cols, kCgColumns, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t width = last - first;
        const auto size = static_cast<std::size_t>(k * width);
        std::vector<float> mask(size);
        std::vector<float> residual(size);
        std::vector<float> direction(size);
        std::vector<float> image(size);
        float* s = codes.data.get() + first * k;
        const float* target = p.data.get() + first * k;
        markSupport(s, k * width, mask.data());
        const auto applyGram = [&](const float* from, float* to) {
            if (onMatrixUnits) {
                thread_local TileMemory memory;
                multiplyTiles(gram,
                              packColumnTiles(Op::None, from, k, width, k,
                                              memory.atLeast(tileWords(width, k)), false, accuracy),
                              1, 0, to, k);
                return;
            }
            multiplyBlock(Op::None, Op::None, k, width, k, 1, g.data.get(), k, from, k, 0, to, k,
                          kernel);
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
                combine(1, residual.data() + j * k, next / norm[c], k, d);
                norm[c] = next;
            }
            if (!busy) {
                break;
            }
        }
        for (std::int64_t j = 0; j < width; ++j) {
            overlap[static_cast<std::size_t>(first + j)] =
                dotInDouble(s + j * k, residual.data() + j * k, k);
        }
    });
    return std::accumulate(overlap.begin(), overlap.end(), 0.0);
}

double CpuBackend::coupledCg(const CoupledSystem& system, int steps, double tolerance,
                             double squaredError, CoupledCodes& at) {
    const std::int64_t k = at.codes.rows;
    const std::int64_t n = at.codes.cols;
    std::vector<float> mask(static_cast<std::size_t>(k * n));
    Matrix direction = unset(k, n);
    Matrix directionMetric = unset(k, n);
    Matrix image = unset(k, n);
    const float* scale = system.inverseDiagonal.data.get();
    const auto column = [k](const Matrix& a, std::int64_t j) { return a.data.get() + j * k; };

    double rz = sumOverColumns(m_pool, n, [&](std::int64_t j) {
        float* allowed = mask.data() + j * k;
        markSupport(column(at.codes, j), k, allowed);
        const float norm = maskedNorm(allowed, k, column(at.residual, j));
        std::fill_n(column(direction, j), k, 0.0F);
        combine(scale[j], column(at.residual, j), 0, k, column(direction, j));
        return static_cast<double>(scale[j]) * static_cast<double>(norm);
    });
    double gained = 0;
    for (int i = 0; i < steps && rz > 0; ++i) {
        stepGemm(Op::None, Op::None, 1, direction, system.metric, 0, directionMetric);
        if (system.rough != nullptr) {
            system.rough->timesRoughly(1, directionMetric, 0, image);
        } else {
            stepGemm(Op::None, Op::None, 1, system.h, directionMetric, 0, image);
        }
        const double curvature = dot(direction, image);  // the direction is zero off the support
        if (!(curvature > 0)) {
            break;
        }
        const auto step = static_cast<float>(rz / curvature);
        const double next = sumOverColumns(m_pool, n, [&](std::int64_t j) {
            addScaled(step, column(directionMetric, j), k, column(at.codesMetric, j));
            const float norm =
                descend(step, column(direction, j), column(image, j), mask.data() + j * k, k,
                        column(at.codes, j), column(at.residual, j));
            return static_cast<double>(scale[j]) * static_cast<double>(norm);
        });
        const double gain = rz * rz / curvature;
        gained += gain;
        if (gain < tolerance * (squaredError - gained)) {
            break;
        }
        const auto beta = static_cast<float>(next / rz);
        forColumns(m_pool, n, [&](std::int64_t j) {
            combine(scale[j], column(at.residual, j), beta, k, column(direction, j));
        });
        rz = next;
    }
    return gained;
}

}  // namespace cospadi
