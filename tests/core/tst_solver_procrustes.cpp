// The solver of orthonormal dictionaries: thresholding and Procrustes against the same in double.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "tests/core/decaying_matrices.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_solver_procrustes {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

// The errors of an alternation in double, written down from the formulas.
std::vector<double> alternated(const MatrixXd& target, int k, int s, int iterations) {
    MatrixXd d = reference::svd(target).U.leftCols(k);
    MatrixXd codes;
    const auto code = [&] {
        codes = d.transpose() * target;
        for (Eigen::Index j = 0; j < codes.cols(); ++j) {
            std::vector<double> sizes(codes.rows());
            for (Eigen::Index i = 0; i < codes.rows(); ++i) {
                sizes[static_cast<std::size_t>(i)] = std::abs(codes(i, j));
            }
            std::sort(sizes.rbegin(), sizes.rend());
            codes.col(j) =
                (codes.col(j).cwiseAbs().array() >= sizes[static_cast<std::size_t>(s) - 1])
                    .select(codes.col(j).array(), 0.0);
        }
    };
    std::vector<double> errors;
    code();
    for (int i = 0; i < iterations; ++i) {
        const reference::Svd svd = reference::svd(target * codes.transpose());
        d = svd.U * svd.V.transpose();
        code();
        errors.push_back((target - d * codes).norm() / target.norm());
    }
    return errors;
}

}  // namespace

class TestSolverProcrustes : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    // told: the error of every iteration.
    LearnedDictionary solve(const MatrixXf& w, int k, int s, int iterations,
                            std::vector<double>& told) {
        ProcrustesOptions options;
        options.iterations = iterations;
        return solveProcrustes(
            m_backend, m_backend.upload(w), k, s, options,
            [&](const IterationSummary& summary) { told.push_back(summary.relativeError); });
    }

  private slots:
    // Thresholding and Procrustes are both exact minimisers: the error may not rise. Against an
    // alternation in double, written down from the formulas.
    void procrustesFollowsTheFormulas() {
        const int k = 40, s = 12, iterations = 12;
        const MatrixXf w = decayingMatrix(64, 200, 4);
        const MatrixXd target = w.cast<double>();
        const std::vector<double> errors = alternated(target, k, s, iterations);
        std::vector<double> told;
        const LearnedDictionary learned = solve(w, k, s, iterations, told);
        QCOMPARE(told.size(), errors.size());
        double previous = 1;
        for (std::size_t i = 0; i < told.size(); ++i) {
            QVERIFY(told[i] <= previous * (1 + 1e-6));
            previous = told[i];
            // Ties and near ties of entries are broken by rounding, so that ways part slowly.
            QVERIFY2(std::abs(told[i] - errors[i]) < 2e-3 * errors[i],
                     qPrintable(QString("%1: %2, %3").arg(i).arg(told[i]).arg(errors[i])));
        }
        const MatrixXd atoms = m_backend.download(learned.dictionary).cast<double>();
        QVERIFY((atoms.transpose() * atoms - MatrixXd::Identity(k, k)).norm() < 1e-4);
        const MatrixXd found = m_backend.download(learned.codes).cast<double>();
        QVERIFY((found.array() != 0).cast<int>().colwise().sum().maxCoeff() <= s);
        const double error = (target - atoms * found).norm() / target.norm();
        QVERIFY(std::abs(error - learned.relativeError) < 1e-4 * error);
    }

    // Where atoms of little energy leave W Sᵀ singular in float32, all are turned all the same.
    void atomsOfLittleEnergyAreTurned_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("k");
        QTest::addColumn<double>("decades");
        QTest::newRow("some") << 64 << 56 << 2.5;
        QTest::newRow("most") << 64 << 60 << 4.0;
        QTest::newRow("tall") << 96 << 44 << 4.0;
    }
    void atomsOfLittleEnergyAreTurned() {
        QFETCH(int, rows);
        QFETCH(int, k);
        QFETCH(double, decades);
        const int s = k / 2, iterations = 20;
        const MatrixXf w = steepMatrix(rows, 160, decades, 5);
        const std::vector<double> errors = alternated(w.cast<double>(), k, s, iterations);
        std::vector<double> told;
        const LearnedDictionary learned = solve(w, k, s, iterations, told);
        QCOMPARE(learned.iterations, iterations);
        for (std::size_t i = 1; i < told.size(); ++i) {
            QVERIFY(told[i] <= told[i - 1] * (1 + 1e-3));  // ‖W‖² − ‖S‖² of float32 sums
        }
        const MatrixXd atoms = m_backend.download(learned.dictionary).cast<double>();
        QVERIFY((atoms.transpose() * atoms - MatrixXd::Identity(k, k)).norm() < 1e-4);
        const MatrixXd found = m_backend.download(learned.codes).cast<double>();
        const double error = (w.cast<double>() - atoms * found).norm() / w.cast<double>().norm();
        QVERIFY2(error < 1.1 * errors.back(),
                 qPrintable(QString("%1, in double %2").arg(error).arg(errors.back())));
    }

    // A full dictionary with full codes is W itself; more atoms than dimensions are refused.
    void procrustesInTheLimits() {
        const Matrix w = m_backend.upload(decayingMatrix(24, 60, 9));
        QVERIFY(solveProcrustes(m_backend, w, 24, 24, {}).relativeError < 1e-3);
        QVERIFY_THROWS_EXCEPTION(
            Error, static_cast<void>(solveProcrustes(m_backend, w, 25, 10, ProcrustesOptions())));
    }
};

COSPADI_TEST(TestSolverProcrustes)

}  // namespace tst_solver_procrustes

#include "tst_solver_procrustes.moc"
