// Small layers for tests of pruning: weights, Gram matrices and options, and the rows of tests that
// run over all methods and patterns.
#pragma once

#include <QtTest>
#include <string>
#include <utility>

#include "core/forms/pruned/pruned_weight.h"
#include "core/methods/method.h"
#include "core/methods/sparsegpt/sparsegpt_method.h"
#include "core/methods/wanda/wanda_method.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_matrices.h"

namespace cospadi::pruned_layers {

using sample::randomMatrix;

inline const char* const kPatterns[] = {"unstructured", "2:4", "4:8"};

// Of inputs that depend on each other and differ in size by an order of magnitude.
inline Eigen::MatrixXd correlatedGram(int d1, unsigned seed) {
    std::srand(seed);
    Eigen::MatrixXd x = Eigen::MatrixXd::Random(3 * d1, d1);
    for (int i = 0; i < d1; ++i) {
        x.col(i) /= 1 + 9.0 * i / d1;
    }
    const Eigen::MatrixXd mixed = x * reference::orthonormal(Eigen::MatrixXd::Random(d1, d1));
    return mixed.transpose() * mixed;
}

inline MatrixOptions optionsOf(const Method& method, const std::string& pattern, double cr = 0.5) {
    MatrixOptions options;
    options.method = &method;
    options.cr = cr;
    setOwnOption(options, "pattern", pattern);
    return options;
}

inline const PrunedEntries& entriesOf(const CompressedMatrix& result) {
    return dynamic_cast<const PrunedWeight&>(*result.weight).entries();
}

// Every method with every pattern.
inline void allOfThem() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("pattern");
    for (const Method* method : {&wandaMethod(), &sparseGptMethod()}) {
        for (const char* pattern : kPatterns) {
            QTest::addRow("%s, %s", method->name(), pattern)
                << QByteArray(method->name()) << QByteArray(pattern);
        }
    }
}

inline void allPatterns() {
    QTest::addColumn<QByteArray>("pattern");
    for (const char* pattern : kPatterns) {
        QTest::addRow("%s", pattern) << QByteArray(pattern);
    }
}

// N of M in a name; {0, 0} for "unstructured".
inline std::pair<int, int> groupsOf(const QByteArray& pattern) {
    const QList<QByteArray> parts = pattern.split(':');
    return parts.size() == 2 ? std::pair(parts[0].toInt(), parts[1].toInt()) : std::pair(0, 0);
}

}  // namespace cospadi::pruned_layers
