// CudaBackend over the kernels on the host against CpuBackend on random shapes; and what tensor
// cores would cost the solver, with operands rounded as they round them.
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "gpu/cuda_backend.h"
#include "gpu/verb_comparison.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_backend_comparison {

using namespace cospadi;
using Eigen::MatrixXf;

namespace {

constexpr int kRandomShapes = 12;
constexpr std::int64_t kLargest = 400;           // of the emulation; devices take 4096
constexpr std::int64_t kLargestPursuit = 20000;  // k d2: the emulation's time grows with it

MatrixXf powerLaw(int rows, int cols, double decay, unsigned seed) {
    std::srand(seed);
    MatrixXf w = MatrixXf::Random(rows, cols);
    for (int i = 0; i < rows; ++i) {
        w.row(i) *= static_cast<float>(std::pow(i + 1, -decay));
    }
    const Eigen::VectorXf v = Eigen::VectorXf::Random(rows).normalized();
    return w - 2 * v * (v.transpose() * w);
}

// The relative error that the solver ends with on the device, measured in double.
double endOf(const MatrixXf& w, std::int64_t k, Precision precision) {
    CudaBackend backend("emulation", precision);
    const LearnedDictionary learned =
        solveFast(backend, backend.upload(w), k, k / 2, FastOptions{});
    const Eigen::MatrixXd approximation = backend.download(learned.dictionary).cast<double>() *
                                          backend.download(learned.codes).cast<double>();
    return (w.cast<double>() - approximation).norm() / w.cast<double>().norm();
}

}  // namespace

class TestBackendComparison : public QObject {
    Q_OBJECT
    CpuBackend m_cpu{1};
    CudaBackend m_cuda{"emulation"};

  private slots:
    void verbsAgree_data() {
        QTest::addColumn<int>("index");
        const auto shapes = comparisonShapes(kRandomShapes, kLargest, 7);
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            QTest::newRow(describe(shapes[i]).c_str()) << static_cast<int>(i);
        }
    }

    void verbsAgree() {
        QFETCH(int, index);
        const VerbShape shape =
            comparisonShapes(kRandomShapes, kLargest, 7)[static_cast<std::size_t>(index)];
        const auto found =
            compareVerbs(m_cpu, m_cuda, shape, shape.k * shape.d2 <= kLargestPursuit, 11);
        QVERIFY(found.size() > 15);
        for (const VerbDeviation& verb : found) {
            QVERIFY2(verb.holds(), qPrintable(QString("%1: %2 > %3")
                                                  .arg(verb.verb.c_str())
                                                  .arg(verb.deviation)
                                                  .arg(verb.tolerance)));
        }
    }

    void emptyMatricesPassThrough() {
        for (Backend* backend : {static_cast<Backend*>(&m_cpu), static_cast<Backend*>(&m_cuda)}) {
            Matrix d = backend->upload(MatrixXf::Constant(5, 3, 2));
            Matrix none = backend->zeros(3, 0);
            const Matrix g = backend->zeros(3, 3);
            backend->normalizeAtoms(d, {none});
            QCOMPARE(backend->thresholdStep(none, 1, 2, none), 0);
            backend->maskedCg(g, none, 2, 0, none);
            backend->ompEncode(g, none, 2, none);
            Matrix empty = backend->zeros(5, 0);
            backend->gemm(Op::None, Op::None, 1, d, none, 0, empty);
            backend->axpby(1, empty, 1, empty);
            CoupledSystem nothing{g, none, backend->zeros(0, 0), backend->zeros(0, 1), 0};
            QCOMPARE(backend->coupledCg(nothing, 2, 0, none, none), 0.0);
            QCOMPARE(backend->dot(empty, empty), 0.0);
            QCOMPARE(backend->squaredColumnNorms(empty).size(), std::size_t{0});
            QCOMPARE(backend->rowCounts(none), (std::vector<std::int64_t>{0, 0, 0}));
            QCOMPARE(backend->download(none).size(), Eigen::Index{0});
            backend->ksvdSweep(2, empty, d, none);
            QVERIFY(std::abs(backend->download(d)(0, 0) - 1 / std::sqrt(5.0F)) < 1e-6F);
        }
    }

    void illConditionedInput() {
        // Two equal atoms and one of next to no energy: some ridge makes Cholesky agree.
        MatrixXf f = MatrixXf::Random(12, 60);
        f.row(5) = f.row(4);
        f.row(7) *= 1e-12F;
        const MatrixXf normal = f * f.transpose();
        const MatrixXf b = MatrixXf::Random(9, 12);
        Matrix x;
        double ridge = 1e-6;
        do {
            x = m_cuda.upload(b);
            m_cuda.solveRight(m_cuda.upload(normal), ridge, m_cuda.zeros(9, 12), x);
            ridge *= 10;
        } while (!m_cuda.solveHeld() && ridge < 1);
        QVERIFY(ridge <= 1e-2);
        QVERIFY(m_cuda.download(x).allFinite());
        Matrix zero = m_cuda.zeros(6, 4);
        QVERIFY(!m_cuda.polar(zero));
    }

    // Singular values over 5 orders of magnitude: too many for Newton–Schulz in float32, so the
    // eigenvectors have to answer; over 3 it answers itself. Both must be the polar factor.
    void polarOfIllConditioned_data() {
        QTest::addColumn<double>("smallest");
        QTest::newRow("1e-3") << 1e-3;
        QTest::newRow("1e-5") << 1e-5;
    }

    void polarOfIllConditioned() {
        QFETCH(double, smallest);
        std::srand(5);
        const Eigen::MatrixXd u = reference::orthonormal(Eigen::MatrixXd::Random(40, 20));
        const Eigen::MatrixXd v = reference::orthonormal(Eigen::MatrixXd::Random(20, 20));
        Eigen::VectorXd values(20);
        for (int i = 0; i < 20; ++i) {
            values(i) = std::pow(smallest, i / 19.0);
        }
        Matrix q = m_cuda.upload((u * values.asDiagonal() * v.transpose()).cast<float>());
        QVERIFY(m_cuda.polar(q));
        const Eigen::MatrixXd off = m_cuda.download(q).cast<double>() - u * v.transpose();
        // float32 rounds A at 6e-8: its polar factor is known to that over the smallest value.
        QVERIFY2(off.norm() < 1e-6 / smallest, qPrintable(QString::number(off.norm())));
    }

    // TF32 in every product but those of the final factorisations may move the end by a thousandth.
    // The support is a choice, and the last bits of W alone change it: on matrices as small as
    // these that moves the end by up to 2 %, up or down. So the mean over many matrices is judged,
    // with twice its standard error.
    void tensorCoresKeepTheError() {
        std::vector<double> logRatios;
        for (const double decay : {0.5, 1.0}) {
            for (const std::int64_t k : {20, 29, 32}) {
                for (const unsigned seed : {1U, 2U}) {
                    const MatrixXf w = powerLaw(32, 80, decay, seed);
                    const double single = endOf(w, k, Precision::Float32);
                    QVERIFY(single > 0);
                    logRatios.push_back(std::log(endOf(w, k, Precision::Tf32) / single));
                }
            }
        }
        const Eigen::Map<const Eigen::ArrayXd> all(logRatios.data(),
                                                   static_cast<Eigen::Index>(logRatios.size()));
        const auto n = static_cast<double>(all.size());
        const double mean = all.mean();
        const double standardError = std::sqrt((all - mean).square().sum() / (n - 1) / n);
        qInfo("TF32 against float32: %+.3f %% ± %.3f %%", 100 * mean, 100 * standardError);
        QVERIFY(standardError < 0.005);
        QVERIFY(mean <= 0.001 + 2 * standardError);
    }
};

COSPADI_TEST(TestBackendComparison)

}  // namespace tst_backend_comparison

#include "tst_backend_comparison.moc"
