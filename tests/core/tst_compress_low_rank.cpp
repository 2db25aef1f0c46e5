// One matrix in, its low-rank factors out: exact for a matrix of such a rank, every number in its
// bits, and what is refitted against Eigen's least squares.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stop_token>
#include <utility>

#include "core/base/bfloat16.h"
#include "core/base/short_float.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/low_rank/low_rank_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_llm_v2_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/method.h"
#include "tests/core/low_rank_factors.h"
#include "tests/core/massive_inputs.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/registered_test.h"

namespace tst_compress_low_rank {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using massive_inputs::inputsGram;

namespace {

// The largest error of a stored right factor's entry over its size, in steps of its mantissa.
double roundingOf(const LowRankFactors& factors) {
    const int bits = factors.rightBits;
    return std::ldexp(1.0, -(bits == 16 ? 7 : bits - 1 - std::max(3, bits - 8)) - 1);
}

// Σ over an exact product of `rank` pairs.
MatrixXf ofRank(int d1, int d2, int rank) {
    std::srand(11);
    const MatrixXf left = MatrixXf::Random(d1, rank);
    return left * MatrixXf::Random(rank, d2);
}

void lowRankForms() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<int>("accounting");
    QTest::addColumn<int>("bits");
    for (const LowRankMethod* method : {&svdMethod(), &svdLlmMethod(), &svdLlmV2Method()}) {
        for (const auto& [accounting, bits] : {std::pair{Accounting::Eq10, 0},
                                               {Accounting::Eq11, 0},
                                               {Accounting::Packed, 0},
                                               {Accounting::Packed, 16},
                                               {Accounting::Packed8, 0},
                                               {Accounting::Packed8, 12},
                                               {Accounting::Packed8, 16}}) {
            QTest::addRow("%s, %s, %d", method->name(), name(accounting), bits)
                << QByteArray(method->name()) << static_cast<int>(accounting) << bits;
        }
    }
}

}  // namespace

class TestCompressLowRank : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    CompressedMatrix compressed(const MatrixXf& w, const Whitening& whitening,
                                const MatrixOptions& options) {
        return compressMatrix(m_backend, w, &whitening, options);
    }

  private slots:
    // A matrix of a rank that the budget has room for comes back but for the rounding of what is
    // stored, in either factor.
    void lowRankIsExactForSuchAMatrix_data() { lowRankForms(); }
    void lowRankIsExactForSuchAMatrix() {
        QFETCH(QByteArray, method);
        QFETCH(int, accounting);
        QFETCH(int, bits);
        const MatrixXf w = ofRank(48, 112, 9);
        MatrixOptions options;
        options.method = &methodFromName(method.toStdString());
        options.accounting = static_cast<Accounting>(accounting);
        options.coefficientBits = bits;
        options.cr = 0.4;
        const Whitening whitening(MatrixXd::Identity(48, 48), "layer");
        const CompressedMatrix result = compressed(w, whitening, options);
        const auto& factors = *lowRankFactors(result.weight);
        QCOMPARE(factors.left.cols(), lowRankBudgetOf(options, 48, 112).rank);
        const double left = factors.leftBits == 8 ? 3.0 / 254 : 1.0 / 512;
        QVERIFY2(result.relativeError < left + roundingOf(factors),
                 qPrintable(QString::number(result.relativeError)));
    }

    // Every stored number is what its bits can hold: a byte times a power of two of its column, and
    // a bfloat16.
    void lowRankIsStoredInItsBits_data() { lowRankForms(); }
    void lowRankIsStoredInItsBits() {
        QFETCH(QByteArray, method);
        QFETCH(int, accounting);
        QFETCH(int, bits);
        MatrixOptions options;
        options.method = &methodFromName(method.toStdString());
        options.accounting = static_cast<Accounting>(accounting);
        options.coefficientBits = bits;
        const CompressedMatrix result =
            compressed(layerWeight(48, 112, 3), Whitening(inputsGram(48, 4), "layer"), options);
        const auto& factors = *lowRankFactors(result.weight);
        QCOMPARE(factors.leftBits, options.accounting == Accounting::Packed8 ? 8 : 16);
        for (const auto& column : factors.left.colwise()) {
            int exponent = 0;
            const float largest = column.cwiseAbs().maxCoeff();
            static_cast<void>(std::frexp(largest, &exponent));
            const float unit = std::ldexp(1.0F, exponent - 7);  // of which `largest` has below 128
            for (const float value : column) {
                QCOMPARE(roundedToBf16(value), value);
                QVERIFY(factors.leftBits == 16 || std::rint(value / unit) == value / unit);
            }
        }
        for (const float value : factors.right.reshaped()) {
            QCOMPARE(factors.rightBits == 16 ? roundedToBf16(value)
                                             : ShortFloat(factors.rightBits).rounded(value),
                     value);
        }
    }

    // Integers are fitted for minutes where a layer is large.
    void integersStopWhenAsked() {
        MatrixOptions options;
        options.method = &svdLlmMethod();
        options.accounting = Accounting::Integers;
        const Whitening whitening(inputsGram(48, 4), "layer");
        std::stop_source stop;
        stop.request_stop();
        const CompressedMatrix result = compressMatrix(m_backend, layerWeight(48, 112, 3),
                                                       &whitening, options, {}, stop.get_token());
        QVERIFY(result.termination == Termination::Cancelled && result.weight == nullptr);
    }

    // Refitted, the right factor is the least-squares one for the left factor as it is stored, in
    // the metric of the inputs: no other does better, that of before among them, but for its own
    // rounding.
    void refittedLowRankIsLeastSquares_data() { lowRankForms(); }
    void refittedLowRankIsLeastSquares() {
        QFETCH(QByteArray, method);
        QFETCH(int, accounting);
        QFETCH(int, bits);
        MatrixOptions options;
        options.method = &methodFromName(method.toStdString());
        options.accounting = static_cast<Accounting>(accounting);
        options.coefficientBits = bits;
        const MatrixXf w = layerWeight(48, 112, 3);
        const MatrixXd gram = inputsGram(48, 4);
        const Whitening whitening(gram, "layer");
        const CompressedMatrix usual = compressed(w, whitening, options);
        options.refit = false;
        const CompressedMatrix before = compressed(w, whitening, options);
        options.refit = true;
        const CompressedMatrix result = compressed(w, whitening, options);
        QVERIFY(usual.weight->recomposed() ==
                (isPacked(options.accounting) ? result : before).weight->recomposed());
        const auto& factors = *lowRankFactors(result.weight);
        const MatrixXd metric =
            options.method == &svdMethod() ? MatrixXd::Identity(48, 48) : MatrixXd(gram);
        const MatrixXd l = reference::choleskyFactor(metric);
        const MatrixXd left = l * factors.left.cast<double>();
        const MatrixXd target = l * w.cast<double>();
        const MatrixXd best = reference::leastSquares(left, target);
        const double least = (target - left * best).norm() / target.norm();
        const double stored = (target - left * factors.right.cast<double>()).norm() / target.norm();
        QVERIFY2(stored >= least * (1 - 1e-5) && stored < std::hypot(least, roundingOf(factors)),
                 qPrintable(QString("%1, at best %2").arg(stored).arg(least)));
        const auto& old = *lowRankFactors(before.weight);
        const double unfitted =
            (target - l * (old.left * old.right).cast<double>()).norm() / target.norm();
        QVERIFY2(
            least <= unfitted * (1 + 1e-5) && stored < std::hypot(unfitted, roundingOf(factors)),
            qPrintable(QString("%1, before %2").arg(stored).arg(unfitted)));
    }
};

COSPADI_TEST(TestCompressLowRank)

}  // namespace tst_compress_low_rank

#include "tst_compress_low_rank.moc"
