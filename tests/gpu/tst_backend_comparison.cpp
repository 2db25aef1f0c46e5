// CudaBackend over the kernels on the host against CpuBackend on random shapes; and what tensor
// cores would cost the solver, with operands rounded as they round them.
#include <Eigen/QR>
#include <QtTest>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "gpu/cuda_backend.h"
#include "gpu/verb_comparison.h"

using namespace cospadi;
using Eigen::MatrixXf;

namespace {

constexpr int kRandomShapes = 12;
constexpr std::int64_t kLargest = 400;           // of the emulation; devices take 4096
constexpr std::int64_t kLargestPursuit = 20000;  // k d2: the emulation's time grows with it

MatrixXf powerLaw(int rows, int cols, double decay) {
    std::srand(3);
    MatrixXf w = MatrixXf::Random(rows, cols);
    for (int i = 0; i < rows; ++i) {
        w.row(i) *= static_cast<float>(std::pow(i + 1, -decay));
    }
    const Eigen::VectorXf v = Eigen::VectorXf::Random(rows).normalized();
    return w - 2 * v * (v.transpose() * w);
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
            backend->normalizeAtoms(d, none);
            QCOMPARE(backend->thresholdStep(none, 1, 2, none), 0);
            backend->maskedCg(g, none, 2, 0, none);
            backend->ompEncode(g, none, 2, none);
            Matrix empty = backend->zeros(5, 0);
            backend->gemm(Op::None, Op::None, 1, d, none, 0, empty);
            backend->axpby(1, empty, 1, empty);
            backend->restrictToSupport(none, none);
            QCOMPARE(backend->dot(empty, empty), 0.0);
            QCOMPARE(backend->squaredColumnNorms(empty).size(), std::size_t{0});
            QCOMPARE(backend->rowCounts(none), (std::vector<std::int64_t>{0, 0, 0}));
            QCOMPARE(backend->download(none).size(), Eigen::Index{0});
            backend->ksvdSweep(2, empty, d, none);
            QVERIFY(std::abs(backend->download(d)(0, 0) - 1 / std::sqrt(5.0F)) < 1e-6F);
        }
    }

    void illConditionedInput() {
        // Two equal atoms and one of next to no energy: the ridge grows until Cholesky agrees.
        MatrixXf f = MatrixXf::Random(12, 60);
        f.row(5) = f.row(4);
        f.row(7) *= 1e-12F;
        const MatrixXf normal = f * f.transpose();
        Matrix x = m_cuda.upload(MatrixXf::Random(9, 12));
        QVERIFY(m_cuda.solveRight(m_cuda.upload(normal), x) <= 1e-3);
        QVERIFY(m_cuda.download(x).allFinite());
        MatrixXf nan = MatrixXf::Identity(4, 4);
        nan(1, 2) = nan(2, 1) = std::nanf("");
        Matrix b = m_cuda.zeros(3, 4);
        QVERIFY_EXCEPTION_THROWN(m_cuda.solveRight(m_cuda.upload(nan), b), Error);
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
        const auto orthonormal = [](int rows, int cols) {
            return Eigen::MatrixXd(
                Eigen::HouseholderQR<Eigen::MatrixXd>(Eigen::MatrixXd::Random(rows, cols))
                    .householderQ() *
                Eigen::MatrixXd::Identity(rows, cols));
        };
        const Eigen::MatrixXd u = orthonormal(40, 20);
        const Eigen::MatrixXd v = orthonormal(20, 20);
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
    void tensorCoresKeepTheError_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::addColumn<int>("k");
        QTest::addColumn<double>("decay");
        QTest::newRow("wide, flat") << 64 << 160 << 58 << 0.3;
        QTest::newRow("wide, steep") << 64 << 160 << 58 << 1.0;
        QTest::newRow("k = d1") << 48 << 200 << 48 << 0.5;
    }

    void tensorCoresKeepTheError() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(int, k);
        QFETCH(double, decay);
        const MatrixXf w = powerLaw(rows, cols, decay);
        double errors[2] = {};
        int i = 0;
        for (const Precision precision : {Precision::Float32, Precision::Tf32}) {
            CudaBackend backend("emulation", precision);
            const Matrix weight = backend.upload(w);
            const LearnedDictionary learned = solveFast(backend, weight, k, k / 2, FastOptions{});
            // Measured in double, whatever the backend says.
            const Eigen::MatrixXd rest =
                w.cast<double>() - backend.download(learned.dictionary).cast<double>() *
                                       backend.download(learned.codes).cast<double>();
            errors[i++] = rest.norm() / w.cast<double>().norm();
        }
        qInfo("float32 %.6f, TF32 %.6f", errors[0], errors[1]);
        QVERIFY(errors[0] > 0);
        QVERIFY2(errors[1] <= 1.001 * errors[0],
                 qPrintable(QString("%1 against %2").arg(errors[1]).arg(errors[0])));
    }
};

QTEST_APPLESS_MAIN(TestBackendComparison)
#include "tst_backend_comparison.moc"
