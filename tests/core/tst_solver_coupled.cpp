// The solver of coupled columns: least squares in the metric that couples them, and its limits.
#include <QList>
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "tests/core/decaying_matrices.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_solver_coupled {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

// (Z Lᵀ) for a metric LᵀL.
MatrixXf inMetric(const MatrixXf& z, const MatrixXf& metric) {
    const MatrixXd l = reference::choleskyFactor(metric.cast<double>());
    return (z.cast<double>() * l.transpose()).cast<float>();
}

}  // namespace

class TestSolverCoupled : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    LearnedDictionary solveCoupled(const MatrixXf& z, const MatrixXf& metric, int k, int s,
                                   const FastOptions& options = FastOptions::coupled()) {
        return solveInParts(z, metric, {metric}, k, s, options);
    }

    // metrics: the blocks on the diagonal of `metric`.
    LearnedDictionary solveInParts(const MatrixXf& z, const MatrixXf& metric,
                                   const std::vector<MatrixXf>& metrics, int k, int s,
                                   const FastOptions& options) {
        std::vector<Matrix> uploaded;
        for (const MatrixXf& part : metrics) {
            uploaded.push_back(m_backend.upload(part));
        }
        return solveFastCoupled(m_backend, m_backend.upload(z),
                                m_backend.upload(inMetric(z, metric)), uploaded, k, s, options);
    }

  private slots:
    // Columns coupled by a metric, or each of its parts by one of its own: what is reported is the
    // error in that metric, and the values are its least squares on their support (the gradient
    // vanishes there).
    void coupledColumns_data() {
        QTest::addColumn<QList<int>>("widths");
        QTest::newRow("one metric") << QList<int>{150};
        QTest::newRow("a metric a part") << QList<int>{70, 16, 64};
    }
    void coupledColumns() {
        QFETCH(QList<int>, widths);
        const MatrixXf z = decayingMatrix(40, 150, 11);
        MatrixXf metric = MatrixXf::Zero(150, 150);
        std::vector<MatrixXf> metrics;
        int first = 0;
        for (const int width : widths) {
            metrics.push_back(activationMetric(width, 12 + first));
            metric.block(first, first, width, width) = metrics.back();
            first += width;
        }
        FastOptions options = FastOptions::coupled();
        options.refitSteps = 400;
        const LearnedDictionary learned = solveInParts(z, metric, metrics, 36, 14, options);
        const MatrixXd d = m_backend.download(learned.dictionary).cast<double>();
        const MatrixXd s = m_backend.download(learned.codes).cast<double>();
        const MatrixXd residual = z.cast<double>() - d * s;
        const MatrixXf target = inMetric(z, metric);
        const double error = inMetric(residual.cast<float>(), metric).norm() / target.norm();
        QVERIFY(std::abs(error - learned.relativeError) < 1e-4 * error + 1e-6);
        QVERIFY((d.colwise().norm().array() - 1).abs().maxCoeff() < 1e-4);
        QVERIFY((s.array() != 0).cast<int>().colwise().sum().maxCoeff() <= 14);
        const MatrixXd gradient = d.transpose() * residual * metric.cast<double>();
        const MatrixXd onSupport = (s.array() != 0).select(gradient.array(), 0.0).matrix();
        const MatrixXd atZero = d.transpose() * z.cast<double>() * metric.cast<double>();
        QVERIFY2(onSupport.norm() < 1e-3 * atZero.norm(),
                 qPrintable(QString::number(onSupport.norm() / atZero.norm())));
        // Thresholded singular vectors are where it begins: it must end far below them.
        FastOptions start = options;
        start.iterations = 0;
        start.refitSteps = 0;
        QVERIFY(learned.relativeError <
                0.7 * solveInParts(z, metric, metrics, 36, 14, start).relativeError);
    }

    // Enough atoms and a full support leave nothing over; a metric of identity couples nothing, and
    // then the other solver does the same job.
    void coupledColumnsInTheLimits() {
        const MatrixXf z = decayingMatrix(24, 90, 13);
        QVERIFY(solveCoupled(z, activationMetric(90, 14), 24, 24).relativeError < 2e-3);
        const double coupled = solveCoupled(z, MatrixXf::Identity(90, 90), 20, 8).relativeError;
        const double alone = solveFast(m_backend, m_backend.upload(z), 20, 8, {}).relativeError;
        QVERIFY2(std::abs(coupled - alone) < 0.1 * alone,
                 qPrintable(QString("%1 and %2").arg(coupled).arg(alone)));
    }
};

COSPADI_TEST(TestSolverCoupled)

}  // namespace tst_solver_coupled

#include "tst_solver_coupled.moc"
