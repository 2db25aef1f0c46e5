// CudaBackend over the kernels on the host against CpuBackend on random shapes; and what tensor
// cores would cost the solver, with operands rounded as they round them.
#include <QtTest>
#include <bit>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/linalg/cpu_backend.h"
#include "gpu/cuda_backend.h"
#include "gpu/split_matrix.h"
#include "gpu/verb_comparison.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_backend_comparison {

using namespace cospadi;
using Eigen::MatrixXf;

namespace {

constexpr int kRandomShapes = 12;
constexpr int kSplitEvery = 3;                   // of the shapes are tried with split products, too
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
double endOf(const MatrixXf& w, std::int64_t k, StepProducts products) {
    CudaBackend backend("emulation", {.steps = products, .onTheWay = products});
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
    CudaBackend m_split{"emulation",
                        {.steps = StepProducts::Split, .onTheWay = StepProducts::Split}};

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
        for (CudaBackend* backend : {&m_cuda, &m_split}) {
            if (backend == &m_split && index % kSplitEvery != 0) {
                continue;
            }
            const auto found =
                compareVerbs(m_cpu, *backend, shape, shape.k * shape.d2 <= kLargestPursuit, 11);
            QVERIFY(found.size() > 15);
            for (const VerbDeviation& verb : found) {
                QVERIFY2(verb.holds(), qPrintable(QString("%1: %2 > %3")
                                                      .arg(verb.verb.c_str())
                                                      .arg(verb.deviation)
                                                      .arg(verb.tolerance)));
            }
        }
    }

    // What two terms leave out is 2⁻²² of each product, as much as float32 rounds.
    void splitProductsAreNearlyFloat32() {
        DeviceMemory memory;
        const auto blas = openDeviceBlas(memory);
        for (const auto& [m, n, k] :
             {std::array{1, 1, 1}, std::array{13, 5, 37}, std::array{64, 40, 128}}) {
            MatrixXf a = MatrixXf::Random(m, k);
            a.row(0) *= 1e6F;
            const MatrixXf b = MatrixXf::Random(k, n);
            SplitMatrix left(memory, m_cuda.upload(a));
            SplitMatrix right(memory, k, n);
            right.take(m_cuda.upload(b).data.get(), k);
            Matrix c = m_cuda.zeros(left.ld(), n);
            multiply(*blas, left, right, c.data.get());
            const Eigen::MatrixXd found = m_cuda.download(c).cast<double>();
            const Eigen::MatrixXd exact = a.cast<double>() * b.cast<double>();
            const Eigen::MatrixXd sizes = a.cwiseAbs().cast<double>() * b.cwiseAbs().cast<double>();
            const double off =
                ((found.topRows(m) - exact).cwiseQuotient(sizes)).cwiseAbs().maxCoeff();
            QVERIFY2(off < 1e-6, qPrintable(QString::number(off)));
            QVERIFY(found.bottomRows(found.rows() - m).isZero(0));  // the padding
        }
    }

    // What is no number stays none: a device's own NaN is all ones, the next bits after which are
    // those of −0.
    void aNanIsNotRoundedAway() {
        DeviceMemory memory;
        const auto blas = openDeviceBlas(memory);
        MatrixXf a = MatrixXf::Ones(3, 2);
        a(1, 0) = std::bit_cast<float>(0x7fffffffU);
        const SplitMatrix left(memory, m_cuda.upload(a));
        const SplitMatrix right(memory, m_cuda.upload(MatrixXf::Ones(2, 4)));
        Matrix c = m_cuda.zeros(left.ld(), 4);
        multiply(*blas, left, right, c.data.get());
        const MatrixXf found = m_cuda.download(c);
        QVERIFY(found.row(1).array().isNaN().all());
        QVERIFY(found.row(0).isConstant(2) && found.row(2).isConstant(2));
    }

    // Two terms of a large metric may find no room where float32 does.
    void aFullDeviceMultipliesInFloat32() {
        const int k = 8;
        const int n = 300;
        const MatrixXf d = MatrixXf::Random(12, k);
        const MatrixXf inputs = MatrixXf::Random(n, n + 3);
        const MatrixXf metric = inputs * inputs.transpose();
        const MatrixXf w = MatrixXf::Random(12, n);
        const auto solved = [&](CudaBackend& backend, std::int64_t room) {
            const CoupledSystem system{backend.upload(d.transpose() * d), backend.upload(metric),
                                       backend.upload(metric.diagonal().cwiseInverse().eval()),
                                       nullptr};
            const MatrixXf start = MatrixXf::Ones(k, n);
            CoupledCodes at{backend.upload(start), backend.upload(start * metric),
                            backend.upload(d.transpose() * (w - d * start) * metric)};
            const std::size_t held = emulation::bytesHeld();
            emulation::failAllocationsAbove(room > 0 ? held + static_cast<std::size_t>(room) : 0);
            backend.coupledCg(system, 3, 0, (w * inputs).cast<double>().squaredNorm(), at);
            emulation::failAllocationsAbove(0);
            return backend.download(at.codes);
        };
        const std::int64_t termsOfTheMetric = 2 * 4 * n * n;
        const MatrixXf single = solved(m_cuda, 0);
        QCOMPARE(solved(m_split, termsOfTheMetric - 1), single);
        // Room for what float32 needs and the terms, padded, but for no sums beside them.
        const std::int64_t padded = 304;
        const std::int64_t vectors = (3 * 4 + 1) * k * n;
        const std::int64_t terms = 2 * 4 * (k * k + padded * padded + k * padded);
        QCOMPARE(solved(m_split, vectors + terms + 100), single);
        QVERIFY(solved(m_split, 0) != single);
        QVERIFY(solved(m_split, 0).isApprox(single, 1e-4F));
    }

    // Blocks of coupled columns multiply by H to TF32 where they take steps: their gradient is
    // exact in every block, so that the end is the same but for the choices that last bits make.
    void coupledColumnsEndAlike() {
        std::vector<double> logRatios;
        for (const unsigned seed : {1U, 2U}) {
            const MatrixXf z = powerLaw(16, 80, 0.7, seed);
            const MatrixXf l = powerLaw(80, 80, 0.6, seed + 10);
            const auto error = [&](CudaBackend& backend) {
                const std::vector<Matrix> metrics{backend.upload(l.transpose() * l)};
                return solveFastCoupled(backend, backend.upload(z),
                                        backend.upload(z * l.transpose()), metrics, 12, 6,
                                        FastOptions::coupled())
                    .relativeError;
            };
            const double single = error(m_cuda);
            QVERIFY(single > 0 && single < 1);
            logRatios.push_back(std::log(error(m_split) / single));
        }
        for (const double ratio : logRatios) {
            QVERIFY2(std::abs(ratio) < 0.02, qPrintable(QString::number(ratio)));
        }
    }

    void emptyMatricesPassThrough() {
        for (Backend* backend : std::initializer_list<Backend*>{&m_cpu, &m_cuda, &m_split}) {
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
            const CoupledSystem nothing{g, backend->zeros(0, 0), backend->zeros(0, 1), nullptr};
            CoupledCodes at{none, none, none};
            QCOMPARE(backend->coupledCg(nothing, 2, 0, 0, at), 0.0);
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
        double ridge = 1e-7;
        do {
            ridge *= 10;
            x = m_cuda.upload(b);
            m_cuda.solveRight(m_cuda.upload(normal), ridge, m_cuda.zeros(9, 12), x);
        } while (!m_cuda.solveHeld() && ridge < 1);
        QVERIFY(ridge < 2e-3);
        // Backward stable: the equilibrated system with its ridge gives B back, whatever the
        // condition, up to float32.
        const Eigen::VectorXd scale = normal.cast<double>().diagonal().cwiseSqrt().cwiseInverse();
        Eigen::MatrixXd metric = scale.asDiagonal() * normal.cast<double>() * scale.asDiagonal();
        metric.diagonal().setConstant(1 + ridge);
        const Eigen::MatrixXd solution =
            m_cuda.download(x).cast<double>() * scale.cwiseInverse().asDiagonal();
        const Eigen::MatrixXd right = b.cast<double>() * scale.asDiagonal();
        const double left = (solution * metric - right).norm();
        QVERIFY2(left < 1e-5 * (solution.norm() * metric.norm() + right.norm()),
                 qPrintable(QString::number(left / right.norm())));
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
        std::vector<double> oneTerm, twoTerms;
        for (const double decay : {0.5, 1.0}) {
            for (const std::int64_t k : {20, 29, 32}) {
                for (const unsigned seed : {1U, 2U}) {
                    const MatrixXf w = powerLaw(32, 80, decay, seed);
                    const double single = endOf(w, k, StepProducts::Float32);
                    QVERIFY(single > 0);
                    oneTerm.push_back(std::log(endOf(w, k, StepProducts::Tf32) / single));
                    twoTerms.push_back(std::log(endOf(w, k, StepProducts::Split) / single));
                }
            }
        }
        for (const std::vector<double>& logRatios : {oneTerm, twoTerms}) {
            const Eigen::Map<const Eigen::ArrayXd> all(logRatios.data(),
                                                       static_cast<Eigen::Index>(logRatios.size()));
            const auto n = static_cast<double>(all.size());
            const double mean = all.mean();
            const double standardError = std::sqrt((all - mean).square().sum() / (n - 1) / n);
            qInfo("TF32 against float32: %+.3f %% ± %.3f %%", 100 * mean, 100 * standardError);
            QVERIFY(standardError < 0.005);
            QVERIFY(mean <= 0.001 + 2 * standardError);
        }
    }
};

COSPADI_TEST(TestBackendComparison)

}  // namespace tst_backend_comparison

#include "tst_backend_comparison.moc"
