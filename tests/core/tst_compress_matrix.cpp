// One matrix in, its sparse factors out, against what theory says of budgets: an optimum can only
// fall as the budget grows, and a dictionary that spans everything with room for full codes is
// exact; codes that are refitted against Eigen's least squares.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "tests/core/massive_inputs.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/registered_test.h"

namespace tst_compress_matrix {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using massive_inputs::inputsGram;

namespace {

// The relative error, root of its mean square, of numbers that are rounded as these are stored: in
// steps of 2^−M for the M bits of a coefficient's mantissa, and of 1/127 of an atom's largest
// entry, which is about three times its usual one.
double roundingOf(const SparseDictionaryFactors& factors) {
    const int bits = factors.coefficientBits;
    const int mantissa = bits == 16 ? 7 : bits - 1 - std::max(3, bits - 8);
    const double codes = std::ldexp(1 / std::sqrt(3.0), -mantissa - 1);
    const double atoms = factors.dictionaryBits == 8 ? 3 / (2 * 127 * std::sqrt(3.0)) : 0;
    return codes + atoms;
}

}  // namespace

class TestCompressMatrix : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    CompressedMatrix compressed(const MatrixXf& w, const Whitening& whitening,
                                const MatrixOptions& options) {
        return compressMatrix(m_backend, w, &whitening, options);
    }

  private slots:
    // Beyond what rounding leaves. Supports are found by a local search, the luck of which may
    // differ between nearly equal budgets: half a per cent.
    void moreBytesNeverEndHigher_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("accounting");
        QTest::addColumn<double>("rho");
        const auto row = [](int d1, int d2, Accounting accounting, double rho) {
            QTest::addRow("%d x %d, %s, rho %g", d1, d2, name(accounting), rho)
                << d1 << d2 << static_cast<int>(accounting) << rho;
        };
        for (const auto& [d1, d2] : {std::pair{48, 112}, {112, 48}, {64, 64}}) {
            for (const Accounting accounting :
                 {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
                for (const double rho : {1.2, 1.5, 2.0, 3.0, 5.0}) {
                    row(d1, d2, accounting, rho);
                }
            }
        }
    }
    void moreBytesNeverEndHigher() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, accounting);
        QFETCH(double, rho);
        const MatrixXf w = layerWeight(d1, d2, 3);
        const Whitening whitening(inputsGram(d1, 4), "layer");
        MatrixOptions options;
        options.accounting = static_cast<Accounting>(accounting);
        options.rho = rho;
        double before = 1;
        for (const double cr : {0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05}) {
            options.cr = cr;
            const CompressedMatrix result = compressed(w, whitening, options);
            const auto& factors = *sparseFactors(result.weight);
            QVERIFY2(result.relativeError <= std::max(1.005 * before, roundingOf(factors)),
                     qPrintable(QString("CR %1, k %2, s %3: %4 after %5")
                                    .arg(cr)
                                    .arg(factors.dictionary.cols())
                                    .arg(factors.s)
                                    .arg(result.relativeError)
                                    .arg(before)));
            before = std::min(before, result.relativeError);
        }
    }

    // Eckart and Young: each of the two is the best of its rank in its own metric, and what is
    // reported is measured in that of the Gram. Bfloat16 leaves 2⁻⁹.
    void aRidgeMovesTheMetricOfSolvingOnly() {
        const MatrixXf w = layerWeight(48, 112, 7);
        const Whitening whitening(inputsGram(48, 8), "layer");
        MatrixOptions options;
        options.method = &svdLlmMethod();
        options.cr = 0.4;
        const CompressedMatrix plain = compressed(w, whitening, options);
        options.ridge = 0.1;
        const CompressedMatrix ridged = compressed(w, whitening, options);
        CpuBackend backend(1);
        const Whitening other = whitening.ridged(options.ridge, backend);
        const auto error = [&](const Whitening& metric, const CompressedMatrix& result) {
            const MatrixXf left = metric.whitenedFromOriginal(w);
            return (left - metric.whitenedFromOriginal(result.weight->recomposed())).norm() /
                   left.norm();
        };
        QVERIFY(std::abs(ridged.relativeError - error(whitening, ridged)) < 1e-4);
        QVERIFY(ridged.relativeError > 1.02 * plain.relativeError);
        QVERIFY(error(other, ridged) < 0.99 * error(other, plain));
    }

    // A block that does nothing has such a layer; its error counts in a run's mean.
    void nothingIsLostOfAZeroWeight_data() {
        QTest::addColumn<QByteArray>("method");
        for (const char* method : {"wanda", "sparsegpt", "rtn", "gptq", "svd-llm"}) {
            QTest::newRow(method) << QByteArray(method);
        }
    }
    void nothingIsLostOfAZeroWeight() {
        QFETCH(QByteArray, method);
        MatrixOptions options;
        options.method = &methodFromName(method.toStdString());
        const Whitening whitening(inputsGram(64, 8), "layer");
        const CompressedMatrix result = compressed(MatrixXf::Zero(64, 96), whitening, options);
        QVERIFY(result.weight->recomposed() == MatrixXf::Zero(64, 96));
        QCOMPARE(result.relativeError, 0.0);
    }

    // K-SVD's settings reach solver and coefficients: the dictionary begins with columns of W, not
    // of L W, and truncated codes are those of bfloat16 without their last digits.
    void settingsOfKsvdArrive() {
        const MatrixXf w = layerWeight(48, 112, 7);
        const MatrixXd gram = inputsGram(48, 8);
        const Whitening whitening(gram, "layer");
        MatrixOptions options;
        options.solver = Solver::Ksvd;
        options.iterations = 3;
        options.init = DictionaryInit::WeightColumns;
        options.coefficientBits = 16;
        const CompressedMatrix whole = compressed(w, whitening, options);
        const SparseDictionaryFactors& factors = *sparseFactors(whole.weight);
        const MatrixXf stored = factors.codes;
        const std::int64_t k = factors.dictionary.cols();
        KsvdOptions ksvd;
        ksvd.iterations = 3;
        ksvd.init = DictionaryInit::WeightColumns;
        ksvd.weight = m_backend.upload(w);
        const Matrix target = m_backend.upload(whitening.whitenedFromOriginal(w));
        const LearnedDictionary alone = solveKsvd(m_backend, target, k, factors.s, ksvd);
        const MatrixXf codes = m_backend.download(alone.codes);
        QVERIFY((stored - codes).norm() < 0.004F * codes.norm());
        ksvd.init = DictionaryInit::RandomColumns;
        const LearnedDictionary other = solveKsvd(m_backend, target, k, factors.s, ksvd);
        QVERIFY((stored - m_backend.download(other.codes)).norm() > 0.1F * codes.norm());
        options.coefficientBits = 14;
        options.coefficientRounding = CoefficientRounding::Truncate;
        const MatrixXf truncated = sparseFactors(compressed(w, whitening, options).weight)->codes;
        for (Eigen::Index i = 0; i < truncated.size(); ++i) {
            const double value = stored.data()[i];
            const int digit = value == 0 ? 0 : std::ilogb(value) - 5;
            QCOMPARE(static_cast<double>(truncated.data()[i]),
                     std::ldexp(std::trunc(std::ldexp(value, -digit)), digit));
        }
    }

    // As many atoms as the side has dimensions and codes that may use them all: what is left is
    // rounding to bfloat16, 2⁻⁹ of every number at most.
    void exactWhereTheBudgetHoldsEverything_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::newRow("input side") << 24 << 160;
        QTest::newRow("output side") << 160 << 24;
    }
    void exactWhereTheBudgetHoldsEverything() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        MatrixOptions options;
        options.accounting = Accounting::Packed;
        options.coefficientBits = 12;
        options.rho = 1;
        options.cr = 0.02;
        const CompressedMatrix result =
            compressed(layerWeight(d1, d2, 5), Whitening(inputsGram(d1, 6), "layer"), options);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        QCOMPARE(static_cast<int>(factors.dictionary.cols()), std::min(d1, d2));
        QCOMPARE(static_cast<int>(factors.s), std::min(d1, d2));
        QVERIFY2(result.relativeError < 0.01, qPrintable(QString::number(result.relativeError)));
    }

    // Without calibration K-SVD has either side: the outputs of W are the inputs of its transpose.
    void ksvdHasTheOutputsWithoutCalibration() {
        const MatrixXf w = layerWeight(40, 24, 3);
        MatrixOptions options;
        options.method = &cospadiFreeMethod();
        options.solver = Solver::Ksvd;
        options.iterations = 3;
        options.side = DictionarySide::Output;
        const CompressedMatrix outputs = compressMatrix(m_backend, w, nullptr, options);
        QVERIFY(sparseFactors(outputs.weight)->side == DictionarySide::Output);
        options.side = DictionarySide::Input;
        const CompressedMatrix inputs = compressMatrix(m_backend, w.transpose(), nullptr, options);
        const auto& a = *sparseFactors(outputs.weight);
        const auto& b = *sparseFactors(inputs.weight);
        QCOMPARE(a.dictionary, b.dictionary);
        QCOMPARE(a.codes, b.codes);
        QVERIFY(std::abs(outputs.relativeError - (w - recompose(a)).norm() / w.norm()) < 1e-4);
        options.side.reset();  // the inputs, as published
        QVERIFY(sideOf(options, 40, 24) == DictionarySide::Input);
        options.method = &cospadiMethod();
        options.side = DictionarySide::Output;
        try {
            static_cast<void>(sideOf(options, 40, 24));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.where()), QString("side"));
        }
    }

    // Codes likewise, every column on its support.
    void refittedCodesAreLeastSquares_data() {
        QTest::addColumn<int>("solver");
        QTest::addColumn<int>("accounting");
        for (const Solver solver : {Solver::Fast, Solver::Ksvd}) {
            for (const Accounting accounting :
                 {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
                QTest::addRow("%s, %s", name(solver), name(accounting))
                    << static_cast<int>(solver) << static_cast<int>(accounting);
            }
        }
    }
    void refittedCodesAreLeastSquares() {
        QFETCH(int, solver);
        QFETCH(int, accounting);
        MatrixOptions options;
        options.solver = static_cast<Solver>(solver);
        options.accounting = static_cast<Accounting>(accounting);
        options.cr = 0.4;
        options.iterations = 4;
        options.coefficientBits = 16;  // so that their own rounding hides nothing
        const MatrixXf w = layerWeight(24, 40, 3);
        const MatrixXd gram = inputsGram(24, 4);
        const Whitening whitening(gram, "layer");
        const CompressedMatrix usual = compressed(w, whitening, options);
        options.refit = false;
        const CompressedMatrix before = compressed(w, whitening, options);
        options.refit = true;
        const CompressedMatrix result = compressed(w, whitening, options);
        QVERIFY(usual.weight->recomposed() ==
                (options.method->usuallyRefits(options) ? result : before).weight->recomposed());
        const auto& factors = *sparseFactors(result.weight);
        const MatrixXd l = reference::choleskyFactor(gram);
        const MatrixXd target = l * w.cast<double>();
        const MatrixXd atoms = l * factors.dictionary.cast<double>();
        double least = 0;
        for (Eigen::Index j = 0; j < w.cols(); ++j) {
            std::vector<Eigen::Index> support;
            for (Eigen::Index i = 0; i < factors.codes.rows(); ++i) {
                if (factors.codes(i, j) != 0) {
                    support.push_back(i);
                }
            }
            const MatrixXd used = atoms(Eigen::all, support);
            const Eigen::VectorXd best = reference::leastSquares(used, target.col(j));
            least += (target.col(j) - used * best).squaredNorm();
        }
        least = std::sqrt(least) / target.norm();
        const double rounding = std::ldexp(1.0, -6);  // 2⁻⁸ of codes that may cancel each other
        QVERIFY2(result.relativeError >= least * (1 - 1e-4) &&
                     result.relativeError < std::hypot(least, rounding),
                 qPrintable(QString("%1, at best %2").arg(result.relativeError).arg(least)));
        QVERIFY(result.relativeError < std::hypot(before.relativeError, rounding));
    }
};

COSPADI_TEST(TestCompressMatrix)

}  // namespace tst_compress_matrix

#include "tst_compress_matrix.moc"
