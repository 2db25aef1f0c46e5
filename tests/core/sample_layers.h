// Layers as methods of compression meet them, and the shapes that tests run over.
#pragma once

#include <QtTest>
#include <cmath>
#include <utility>

#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"

namespace cospadi::sample {

// A weight whose singular values decay as those of trained layers do.
inline Eigen::MatrixXf layerWeight(int d1, int d2, unsigned seed) {
    Eigen::MatrixXf a = randomMatrix(d1, d2, seed);
    for (int i = 0; i < d1; ++i) {
        a.row(i) /= std::sqrt(1.0F + static_cast<float>(i));
    }
    return reference::orthonormal(Eigen::MatrixXd::Random(d1, d1)).cast<float>() * a;
}

// Rows of a test, of more outputs than inputs, of fewer, and of as many.
inline void shapes() {
    QTest::addColumn<int>("d1");
    QTest::addColumn<int>("d2");
    for (const auto& [d1, d2] : {std::pair{48, 112}, {112, 48}, {64, 64}}) {
        QTest::addRow("%d x %d", d1, d2) << d1 << d2;
    }
}

}  // namespace cospadi::sample
