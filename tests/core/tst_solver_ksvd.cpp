// The settings of K-SVD: the columns it begins with, its tolerance, and atoms that nothing uses.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "tests/core/decaying_matrices.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_solver_ksvd {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXf;

namespace {

// L, upper triangular with LᵀL a Gram matrix of inputs.
MatrixXf inputsFactor(int n, unsigned seed) {
    return reference::choleskyFactor(activationMetric(n, seed).cast<double>()).cast<float>();
}

}  // namespace

class TestSolverKsvd : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

  private slots:
    void toleranceStopsEarly() {
        KsvdOptions options;
        options.tolerance = 0.05;
        const MatrixXf w = decayingMatrix(30, 80, 12);
        const LearnedDictionary learned = solveKsvd(m_backend, m_backend.upload(w), 20, 8, options);
        QCOMPARE(learned.termination, Termination::Converged);
        QVERIFY(learned.iterations < options.iterations);
    }

    // Before any iteration the dictionary is columns of the weight as it came, each once, at unit
    // length; where it has no more, some directions of unit length.
    void beginsWithColumnsOfTheWeight_data() {
        QTest::addColumn<int>("k");
        QTest::newRow("fewer atoms than columns") << 9;
        QTest::newRow("more atoms than columns") << 31;
    }
    void beginsWithColumnsOfTheWeight() {
        QFETCH(int, k);
        const MatrixXf weight = decayingMatrix(40, 24, 15);
        const MatrixXf whitened = inputsFactor(40, 16) * weight;
        KsvdOptions options;
        options.iterations = 0;
        options.init = DictionaryInit::WeightColumns;
        options.weight = m_backend.upload(weight);
        const auto columnsOf = [&](std::uint64_t seed) {
            options.seed = seed;
            const MatrixXf d = m_backend.download(
                solveKsvd(m_backend, m_backend.upload(whitened), k, 4, options).dictionary);
            std::vector<int> columns;
            for (int i = 0; i < k; ++i) {
                const Eigen::VectorXf likeness =
                    (weight.colwise().normalized().transpose() * d.col(i)).eval();
                int column = -1;
                const float best = likeness.maxCoeff(&column);
                const bool isColumn =
                    best > 0 && (weight.col(column).normalized() - d.col(i)).norm() < 1e-6F;
                columns.push_back(isColumn ? column : -1);
                if (std::abs(d.col(i).norm() - 1) > 1e-5F) {
                    columns.push_back(-2);
                }
            }
            return columns;
        };
        const std::vector<int> columns = columnsOf(42);
        QCOMPARE(static_cast<int>(columns.size()), k);  // all of unit length
        const auto different = std::set<int>(columns.begin(), columns.begin() + std::min(k, 24));
        QCOMPARE(static_cast<int>(different.size()), std::min(k, 24));
        QVERIFY(!different.contains(-1));
        QCOMPARE(static_cast<int>(std::count(columns.begin(), columns.end(), -1)),
                 std::max(0, k - 24));
        QCOMPARE(columnsOf(42), columns);
        QVERIFY(columnsOf(43) != columns);
    }

    // An atom at right angles to all columns explains nothing, so none uses it: kept it stays as it
    // was, replaced it is gone.
    void deadAtoms_data() {
        QTest::addColumn<bool>("mod");
        QTest::addColumn<bool>("keeps");
        for (const bool mod : {false, true}) {
            for (const bool keeps : {false, true}) {
                QTest::addRow("%s, %s", mod ? "mod" : "ksvd", keeps ? "kept" : "replaced")
                    << mod << keeps;
            }
        }
    }
    void deadAtoms() {
        QFETCH(bool, mod);
        QFETCH(bool, keeps);
        MatrixXf w = decayingMatrix(12, 60, 17);
        w.row(11).setZero();
        MatrixXf first = w.leftCols(5);
        first.col(3) = Eigen::VectorXf::Unit(12, 11);
        KsvdOptions options;
        options.iterations = 4;
        options.update = mod ? DictionaryUpdate::Mod : DictionaryUpdate::KsvdPower;
        options.init = DictionaryInit::WeightColumns;
        options.weight = m_backend.upload(first);
        options.deadAtoms = keeps ? DeadAtoms::Keep : DeadAtoms::Replace;
        std::vector<std::int64_t> dead;
        const LearnedDictionary learned =
            solveKsvd(m_backend, m_backend.upload(w), 5, 2, options,
                      [&](const IterationSummary& s) { dead.push_back(s.deadAtoms); });
        const MatrixXf d = m_backend.download(learned.dictionary);
        const MatrixXf codes = m_backend.download(learned.codes);
        int unused = 0;
        const float likeness = d.row(11).cwiseAbs().maxCoeff(&unused);
        if (keeps) {
            QCOMPARE(dead, std::vector<std::int64_t>(4, 1));
            QCOMPARE(likeness, 1.0F);
            QCOMPARE(d.col(unused).norm(), 1.0F);
            QVERIFY((codes.row(unused).array() == 0).all());
            QCOMPARE(learned.replacedAtoms, std::int64_t{0});
        } else {
            QCOMPARE(dead.front(), std::int64_t{1});
            QCOMPARE(dead.back(), std::int64_t{0});
            QCOMPARE(likeness, 0.0F);
            QCOMPARE(learned.replacedAtoms, std::int64_t{1});
        }
    }
};

COSPADI_TEST(TestSolverKsvd)

}  // namespace tst_solver_ksvd

#include "tst_solver_ksvd.moc"
