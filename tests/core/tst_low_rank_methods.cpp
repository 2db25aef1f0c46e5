// The low-rank methods against the optimum in their own space (Eckart and Young), computed in
// double by Eigen's Jacobi SVD: none ends below it, and above it by what rounding leaves alone. V2
// against SVD-LLM, whose optimum is the same, also where the Gram is singular; ASVD at the ends of
// α.
#include <QtTest>

#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/low_rank/asvd_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_llm_v2_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/registered_test.h"

namespace tst_low_rank_methods {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

namespace {

constexpr double kRounding = 1.0 / 256;  // of two factors in bfloat16

// Inputs of which one channel is thirty times as strong as the others, which differ by an order of
// magnitude.
MatrixXd inputs(int tokens, int d1, unsigned seed) {
    std::srand(seed);
    MatrixXd x = MatrixXd::Random(tokens, d1) * reference::orthonormal(MatrixXd::Random(d1, d1));
    for (int i = 0; i < d1; ++i) {
        x.col(i) /= 1 + 9.0 * i / d1;
    }
    x.col(d1 / 3) *= 30;
    return x;
}

MatrixXd gramOf(const MatrixXd& x) { return x.transpose() * x; }

// ‖T (W − W̃)‖ / ‖T W‖.
double errorIn(const MatrixXd& space, const MatrixXf& w, const StoredWeight& stored) {
    const MatrixXd target = space * w.cast<double>();
    return (target - space * stored.recomposed().cast<double>()).norm() / target.norm();
}

// The least of rank r.
double optimum(const MatrixXd& space, const MatrixXf& w, Eigen::Index rank) {
    const VectorXd values = reference::svd(space * w.cast<double>()).values;
    return values.tail(std::max<Eigen::Index>(0, values.size() - rank)).norm() / values.norm();
}

// diag(s) with s = (root mean square of x_i)^α.
MatrixXd scalesOf(const MatrixXd& x, double alpha) {
    const VectorXd squares = x.colwise().squaredNorm() / static_cast<double>(x.rows());
    return squares.cwiseSqrt().array().pow(alpha).matrix().asDiagonal();
}

Eigen::Index rankOf(const CompressedMatrix& result) {
    return lowRankFactors(result.weight)->left.cols();
}

}  // namespace

class TestLowRankMethods : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    CompressedMatrix compressed(const MatrixXf& w, const Whitening& whitening,
                                const MatrixOptions& options) {
        return compressMatrix(m_backend, w, &whitening, options);
    }

  private slots:
    void theOptimumOfEveryRank_data() { shapes(); }
    void theOptimumOfEveryRank() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const MatrixXd x = inputs(4 * d1, d1, 4);
        const Whitening whitening(gramOf(x), "layer");
        for (const LowRankMethod* method :
             {&svdMethod(), &asvdMethod(), &svdLlmMethod(), &svdLlmV2Method()}) {
            const MatrixXd space = method == &svdMethod()    ? MatrixXd::Identity(d1, d1)
                                   : method == &asvdMethod() ? scalesOf(x, 0.5)
                                                             : reference::choleskyFactor(gramOf(x));
            MatrixOptions options;
            options.method = method;
            double before = 1;
            for (const double cr : {0.8, 0.6, 0.4, 0.2, 0.05}) {
                options.cr = cr;
                const CompressedMatrix result = compressed(w, whitening, options);
                const double error = errorIn(space, w, *result.weight);
                const double least = optimum(space, w, rankOf(result));
                QVERIFY2(error >= least * (1 - 1e-6) && error < std::hypot(least, kRounding),
                         qPrintable(QString("%1, CR %2: %3, at best %4")
                                        .arg(method->name())
                                        .arg(cr)
                                        .arg(error)
                                        .arg(least)));
                QVERIFY(error < before);  // ranks differ by more than rounding
                before = error;
            }
        }
    }

    // T = √S Uᵀ is L turned by an orthogonal matrix, so that the factors are the same, too.
    void v2EndsWhereSvdLlmDoes_data() { shapes(); }
    void v2EndsWhereSvdLlmDoes() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const MatrixXf w = layerWeight(d1, d2, 5);
        const MatrixXd x = inputs(4 * d1, d1, 6);
        const MatrixXd l = reference::choleskyFactor(gramOf(x));
        const Whitening whitening(gramOf(x), "layer");
        for (const double cr : {0.2, 0.5}) {
            MatrixOptions options;
            options.cr = cr;
            options.method = &svdLlmMethod();
            const CompressedMatrix first = compressed(w, whitening, options);
            options.method = &svdLlmV2Method();
            const CompressedMatrix second = compressed(w, whitening, options);
            QCOMPARE(rankOf(first), rankOf(second));
            QVERIFY2(std::abs(first.relativeError - second.relativeError) < 1e-4,
                     qPrintable(
                         QString("%1 and %2").arg(first.relativeError).arg(second.relativeError)));
            const MatrixXd apart =
                l * (first.weight->recomposed() - second.weight->recomposed()).cast<double>();
            QVERIFY(apart.norm() < kRounding * (l * w.cast<double>()).norm());
        }
    }

    // Fewer tokens than channels, and a dead channel: what is to be kept are outputs on these
    // tokens, whose optimum needs no metric.
    void v2TakesASingularGram_data() {
        QTest::addColumn<double>("cr");
        QTest::newRow("rank below the tokens") << 0.7;
        QTest::newRow("rank above the tokens") << 0.3;
    }
    void v2TakesASingularGram() {
        QFETCH(double, cr);
        const int tokens = 20;
        const MatrixXf w = layerWeight(48, 112, 7);
        MatrixXd x = inputs(tokens, 48, 8);
        x.col(5).setZero();
        const Whitening whitening(gramOf(x), "layer");
        QVERIFY(whitening.shift() > 0);
        MatrixOptions options;
        options.method = &svdLlmV2Method();
        options.cr = cr;
        const CompressedMatrix result = compressed(w, whitening, options);
        const Eigen::Index budget = lowRankBudgetOf(options, 48, 112).rank;
        QCOMPARE(rankOf(result), std::min<Eigen::Index>(budget, tokens));
        const double error = errorIn(x, w, *result.weight);
        const double least = optimum(x, w, budget);
        QVERIFY2(error >= least * (1 - 1e-6) && error < std::hypot(least, kRounding),
                 qPrintable(QString("%1, at best %2").arg(error).arg(least)));
        QCOMPARE(result.weight->recomposed().row(5).norm(), 0.0F);  // of which nothing is known
    }

    void asvdWithoutItsPowerIsSvd() {
        const MatrixXf w = layerWeight(48, 112, 9);
        const Whitening whitening(gramOf(inputs(200, 48, 10)), "layer");
        MatrixOptions options;
        options.cr = 0.4;
        options.method = &svdMethod();
        const MatrixXf plain = compressed(w, whitening, options).weight->recomposed();
        options.method = &asvdMethod();
        const auto at = [&](double alpha) {
            options.own["alpha"] = alpha;
            return compressed(w, whitening, options).weight->recomposed();
        };
        QVERIFY(at(0.0) == plain);
        QVERIFY((at(1e-5) - plain).norm() < kRounding * plain.norm());
        QVERIFY((at(0.5) - plain).norm() > 0.05 * plain.norm());
    }

    // Inputs that are independent have a diagonal factor: α = 1 then is all that L is.
    void asvdIsSvdLlmOfIndependentInputs() {
        const MatrixXf w = layerWeight(48, 112, 11);
        const MatrixXd scales = scalesOf(inputs(200, 48, 12), 1);
        const Whitening whitening(scales * scales, "layer");
        MatrixOptions options;
        options.cr = 0.4;
        options.method = &svdLlmMethod();
        const CompressedMatrix best = compressed(w, whitening, options);
        options.method = &asvdMethod();
        const auto at = [&](double alpha) {
            options.own["alpha"] = alpha;
            return compressed(w, whitening, options);
        };
        QVERIFY(std::abs(at(1.0).relativeError - best.relativeError) < 1e-4);
        QVERIFY(at(0.5).relativeError > best.relativeError);
        QVERIFY(at(2.0).relativeError > best.relativeError);
        // A factor common to all inputs changes nothing.
        const Whitening louder(1e4 * scales * scales, "layer");
        const MatrixXf loud = compressed(w, louder, options).weight->recomposed();
        QVERIFY((loud - at(2.0).weight->recomposed()).norm() < kRounding * loud.norm());
    }

    // What is refitted, is in the space of the method: no right factor is better there.
    void asvdIsRefittedInItsSpace() {
        const MatrixXf w = layerWeight(48, 112, 13);
        const MatrixXd x = inputs(200, 48, 14);
        const MatrixXd space = scalesOf(x, 0.5);
        MatrixOptions options;
        options.method = &asvdMethod();
        options.accounting = Accounting::Packed8;
        options.coefficientBits = 16;
        options.cr = 0.4;
        const CompressedMatrix result = compressed(w, Whitening(gramOf(x), "layer"), options);
        const MatrixXd left = space * lowRankFactors(result.weight)->left.cast<double>();
        const MatrixXd target = space * w.cast<double>();
        const double least =
            (target - left * reference::leastSquares(left, target)).norm() / target.norm();
        const double error = errorIn(space, w, *result.weight);
        QVERIFY2(error >= least * (1 - 1e-6) && error < std::hypot(least, kRounding),
                 qPrintable(QString("%1, at best %2").arg(error).arg(least)));
    }
};

COSPADI_TEST(TestLowRankMethods)

}  // namespace tst_low_rank_methods

#include "tst_low_rank_methods.moc"
