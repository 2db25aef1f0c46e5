// Products of packed matrices beside Eigen's of doubles.
#pragma once

#include <Eigen/Core>
#include <QString>
#include <QtTest>
#include <cmath>

#include "core/packed/packed_products.h"

namespace cospadi {

// BᵀAᵀX, or AᵀX where there is no B.
inline Eigen::MatrixXf packedProduct(ThreadPool& pool, const PackedMatrix& a, const PackedMatrix* b,
                                     const Eigen::MatrixXf& x,
                                     PackedInstructions instructions = bestPackedInstructions()) {
    Eigen::MatrixXf y;
    const PackedProduct one{&a, b, &y};
    multiplyTransposed(pool, {&one, 1}, x, instructions);
    return y;
}

// Products by every instruction set of this machine against that of doubles, within `bound`.
inline void compareWithin(ThreadPool& pool, const PackedMatrix& a, const PackedMatrix* b,
                          const Eigen::MatrixXf& x, const Eigen::MatrixXd& exact,
                          const Eigen::MatrixXd& bound) {
    for (const PackedInstructions instructions : packedInstructions()) {
        const Eigen::MatrixXf y = packedProduct(pool, a, b, x, instructions);
        QVERIFY2(((y.cast<double>() - exact).cwiseAbs().array() <= bound.array()).all(),
                 qPrintable(QString("%1, %2 tokens").arg(name(instructions)).arg(x.cols())));
    }
}

// AᵀX, within what rounding may do to a sum: ε times the sum of magnitudes, some times.
inline void compareProduct(ThreadPool& pool, const Eigen::MatrixXf& a, const PackedMatrix& packed,
                           const Eigen::MatrixXf& x) {
    compareWithin(pool, packed, nullptr, x, a.cast<double>().transpose() * x.cast<double>(),
                  4e-7 * std::sqrt(a.rows()) *
                      (a.cast<double>().cwiseAbs().transpose() * x.cast<double>().cwiseAbs()));
}

// The same of BᵀAᵀX.
inline void compareProducts(ThreadPool& pool, const Eigen::MatrixXf& a, const PackedMatrix& packedA,
                            const Eigen::MatrixXf& b, const PackedMatrix& packedB,
                            const Eigen::MatrixXf& x) {
    compareWithin(pool, packedA, &packedB, x,
                  b.cast<double>().transpose() * (a.cast<double>().transpose() * x.cast<double>()),
                  4e-7 * (std::sqrt(a.rows()) + std::sqrt(b.rows())) *
                      (b.cast<double>().cwiseAbs().transpose() *
                       (a.cast<double>().cwiseAbs().transpose() * x.cast<double>().cwiseAbs())));
}

}  // namespace cospadi
