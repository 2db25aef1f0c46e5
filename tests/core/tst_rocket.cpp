// ROCKET against its formulas in double, written down once more, and against what holds in the
// limits; that columns of unequal numbers of non-zeros go through file, pattern and layer.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparsity_pattern.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/rocket/rocket_method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/sample_layers.h"
#include "tests/core/tensor_bytes.h"
#include "tests/registered_test.h"

namespace tst_rocket {

using namespace cospadi;
using namespace cospadi::sample;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;

namespace {

// Of inputs whose directions differ by an order of magnitude: so do the lengths of L⁻¹ b.
MatrixXd inputsGram(int d1, unsigned seed) {
    std::srand(seed);
    MatrixXd x = MatrixXd::Random(4 * d1, d1);
    for (int i = 0; i < d1; ++i) {
        x.col(i) /= 1 + 20.0 * i / d1;
    }
    return x.transpose() * x;
}

struct Problem {
    MatrixXf weight;
    MatrixXd gram;
    MatrixXd factor;  // L, LᵀL = gram
    MatrixXf target;  // L W in float32, of which the reference, too, begins

    Problem(int d1, int d2, unsigned seed)
        : weight(layerWeight(d1, d2, seed)),
          gram(inputsGram(d1, seed + 1)),
          factor(reference::choleskyFactor(gram)),
          target((factor * weight.cast<double>()).cast<float>()) {}
};

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

Mask supportOf(const MatrixXf& codes) { return codes.array() != 0; }
Eigen::VectorXi columnCounts(const Mask& mask) {
    return mask.cast<int>().colwise().sum().transpose();
}

struct Reference {
    MatrixXd basis;
    VectorXd lengths;
    MatrixXd codes;
    MatrixXd dictionary;  // columns of length 1, or zero
    double error = 0;
    double basisError = 0;  // with B in the place of D
};

Reference referenceOf(const Problem& p, int k, int s, double lambda, double beta) {
    const MatrixXd w = p.target.cast<double>();
    Reference r;
    r.basis = reference::svd(w).U.leftCols(k);
    r.lengths = reference::solveUpper(p.factor, r.basis).colwise().norm().transpose();
    const MatrixXd c = r.basis.transpose() * w;
    const int kept = std::max(1, static_cast<int>(std::floor(s - beta * k)));
    Mask mask = Mask::Constant(k, c.cols(), false);
    std::vector<std::pair<double, Eigen::Index>> cut;  // score, place
    for (Eigen::Index j = 0; j < c.cols(); ++j) {
        std::vector<int> rows(static_cast<std::size_t>(k));
        std::iota(rows.begin(), rows.end(), 0);
        const auto importance = [&](int i) {
            return std::abs(c(i, j)) * std::pow(r.lengths(i), lambda);
        };
        std::sort(rows.begin(), rows.end(),
                  [&](int a, int b) { return importance(a) > importance(b); });
        for (int place = 0; place < k; ++place) {
            const int i = rows[static_cast<std::size_t>(place)];
            mask(i, j) = place < kept;
            if (place >= kept) {
                cut.emplace_back(std::abs(c(i, j)) * r.lengths(i), j * k + i);
            }
        }
    }
    std::sort(cut.rbegin(), cut.rend());
    for (Eigen::Index restored = 0; restored < (s - kept) * c.cols(); ++restored) {
        mask(cut[static_cast<std::size_t>(restored)].second) = true;
    }
    r.codes = mask.select(c.array(), 0.0).matrix();
    MatrixXd normal = r.codes * r.codes.transpose();
    normal.diagonal().array() += 1e-3 * normal.trace() / k;
    r.dictionary = reference::solveSymmetric(normal, r.codes * w.transpose()).transpose();
    r.error = (w - r.dictionary * r.codes).norm() / w.norm();
    r.basisError = (w - r.basis * r.codes).norm() / w.norm();
    r.dictionary.colwise().normalize();
    return r;
}

}  // namespace

class TestRocket : public QObject {
    Q_OBJECT
    CpuBackend m_backend;
    QTemporaryDir m_folder;

    LearnedDictionary solve(const Problem& p, int k, int s, double lambda, double beta) {
        EigenbasisOptions options;
        options.lengthExponent = lambda;
        options.restoredShare = beta;
        options.stored = [&](const MatrixXf& atoms) {
            return MatrixXf(reference::solveUpper(p.factor, atoms.cast<double>()).cast<float>());
        };
        return solveEigenbasis(m_backend, m_backend.upload(p.target), k, s, options);
    }

    CompressedMatrix compressed(const Problem& p, const MatrixOptions& options) {
        const Whitening whitening(p.gram, "layer");
        return compressMatrix(m_backend, p.weight, &whitening, options);
    }

    static MatrixOptions rocket(double cr, Accounting accounting = Accounting::Eq11) {
        MatrixOptions options;
        options.method = &rocketMethod();
        options.cr = cr;
        options.accounting = accounting;
        return options;
    }

  private slots:
    void followsTheFormulas_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("s");
        QTest::addColumn<double>("lambda");
        QTest::addColumn<double>("beta");
        QTest::newRow("as published") << 48 << 112 << 32 << 16 << 0.5 << 0.005;
        QTest::newRow("much restored") << 48 << 112 << 32 << 16 << 0.5 << 0.2;
        QTest::newRow("one entry before") << 48 << 112 << 30 << 6 << 0.5 << 0.5;
        QTest::newRow("no restoration") << 48 << 112 << 32 << 10 << 0.5 << 0.0;
        QTest::newRow("metric alone") << 48 << 112 << 40 << 12 << 0.0 << 0.1;
        QTest::newRow("weight alone") << 48 << 112 << 40 << 12 << 1.0 << 0.1;
        QTest::newRow("tall") << 112 << 48 << 40 << 20 << 0.5 << 0.05;
        QTest::newRow("one a column") << 48 << 112 << 32 << 1 << 0.5 << 0.1;
    }
    void followsTheFormulas() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, k);
        QFETCH(int, s);
        QFETCH(double, lambda);
        QFETCH(double, beta);
        const Problem p(d1, d2, 21);
        const Reference expected = referenceOf(p, k, s, lambda, beta);
        const LearnedDictionary learned = solve(p, k, s, lambda, beta);
        QCOMPARE(learned.termination, Termination::Converged);
        const MatrixXf codes = m_backend.download(learned.codes);
        const MatrixXd atoms = m_backend.download(learned.dictionary).cast<double>();
        QCOMPARE((supportOf(codes) != (expected.codes.array() != 0)).count(), Eigen::Index{0});
        QCOMPARE(supportOf(codes).count(), Eigen::Index{s} * d2);
        // Signs of eigenvectors are free.
        for (int i = 0; i < k; ++i) {
            const VectorXd atom = expected.dictionary.col(i);
            if (supportOf(codes).row(i).any()) {
                QVERIFY2(
                    std::min((atoms.col(i) - atom).norm(), (atoms.col(i) + atom).norm()) < 1e-3,
                    qPrintable(QString::number(i)));
            }
        }
        const MatrixXd w = p.target.cast<double>();
        const double error = (w - atoms * codes.cast<double>()).norm() / w.norm();
        QVERIFY(std::abs(learned.relativeError - error) < 1e-5);
        QVERIFY(expected.error < expected.basisError);  // so that D is told apart from B
        QVERIFY2(std::abs(error - expected.error) < 1e-5,
                 qPrintable(QString("%1, %2").arg(error).arg(expected.error)));
    }

    // λ = 0 and β = 0: the s largest coefficients of every column, whatever lengths atoms have.
    void plainTopS() {
        const Problem p(48, 112, 31);
        const LearnedDictionary learned = solve(p, 32, 10, 0, 0);
        Matrix plain = m_backend.zeros(32, 112);
        Matrix projected = m_backend.zeros(32, 112);
        const Matrix target = m_backend.upload(p.target);
        m_backend.gemm(Op::Transpose, Op::None, 1, m_backend.leftSingularVectors(target, 32),
                       target, 0, projected);
        m_backend.thresholdStep(projected, 1, 10, plain);
        const Mask support = supportOf(m_backend.download(learned.codes));
        QVERIFY((support == supportOf(m_backend.download(plain))).all());
        const LearnedDictionary without =
            solveEigenbasis(m_backend, target, 32, 10, EigenbasisOptions{0, 0, 1e-3, {}});
        QVERIFY(m_backend.download(without.codes) == m_backend.download(learned.codes));
        // And the lengths do count where λ is not 0.
        QVERIFY((support != supportOf(m_backend.download(solve(p, 32, 10, 1, 0).codes))).any());
    }

    // Nothing is cut: the truncated SVD (Eckart and Young), and W itself where that is its rank.
    void nothingCutIsTheTruncatedSvd() {
        const Problem p(40, 90, 41);
        const VectorXd values = reference::svd(p.target.cast<double>()).values;
        for (const int k : {8, 24, 40}) {
            const double best = values.tail(40 - k).norm() / values.norm();
            for (const double beta : {0.0, 0.3}) {
                const LearnedDictionary learned = solve(p, k, k, 0.5, beta);
                QVERIFY2(std::abs(learned.relativeError - best) < 1e-5,
                         qPrintable(QString("%1: %2").arg(k).arg(learned.relativeError)));
            }
        }
        Problem low(40, 90, 43);
        const reference::Svd svd = reference::svd(low.target.cast<double>());
        low.target =
            (svd.U.leftCols(12) * svd.values.head(12).asDiagonal() * svd.V.leftCols(12).transpose())
                .cast<float>();
        QVERIFY(solve(low, 12, 12, 0.5, 0.005).relativeError < 1e-5);
    }

    // With the program's whitening, and rounded: the reference's support and its error but for
    // bfloat16's 2⁻⁹ in atoms and codes each.
    void throughTheWhitening() {
        const Problem p(48, 112, 51);
        MatrixOptions options = rocket(0.3, Accounting::Eq10);
        options.own = {{"importance_exponent", 0.7}, {"restored_share", 0.1}};
        const SparseBudget sizes = sparseBudgetOf(options, 48, 112);
        const CompressedMatrix result = compressed(p, options);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        const Reference expected =
            referenceOf(p, static_cast<int>(sizes.k), static_cast<int>(sizes.s), 0.7, 0.1);
        QCOMPARE((supportOf(factors.codes) != (expected.codes.array() != 0)).count(),
                 Eigen::Index{0});
        const MatrixXd w = p.factor * p.weight.cast<double>();
        const MatrixXd back = p.factor * result.weight->recomposed().cast<double>();
        const double error = (w - back).norm() / w.norm();
        QVERIFY(std::abs(error - result.relativeError) < 1e-4);
        QVERIFY2(std::abs(error - expected.error) < 1.0 / 256,
                 qPrintable(QString("%1, %2").arg(error).arg(expected.error)));
    }

    // More bytes are more eigenvectors and longer codes. No theorem, as the support is one cut; but
    // steps of a tenth are far above what that and rounding leave.
    void errorFallsWithBytes_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::addColumn<int>("accounting");
        for (const auto& [d1, d2] : {std::pair{48, 112}, {112, 48}, {64, 64}}) {
            for (const Accounting accounting :
                 {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
                QTest::addRow("%d x %d, %s", d1, d2, name(accounting))
                    << d1 << d2 << static_cast<int>(accounting);
            }
        }
    }
    void errorFallsWithBytes() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        QFETCH(int, accounting);
        const Problem p(d1, d2, 61);
        double before = 1;
        for (const double cr : {0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1}) {
            const MatrixOptions options = rocket(cr, static_cast<Accounting>(accounting));
            const double error = compressed(p, options).relativeError;
            QVERIFY2(error < before,
                     qPrintable(QString("CR %1: %2 after %3").arg(cr).arg(error).arg(before)));
            before = error;
        }
    }

    // What restoring makes unequal is stored in the planned bytes, and is what comes back from the
    // file, to the pattern and to the layer. Short codes may round to zero, which is not stored.
    void unequalColumnsAreStored_data() {
        QTest::addColumn<int>("accounting");
        for (const Accounting accounting :
             {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
            QTest::newRow(name(accounting)) << static_cast<int>(accounting);
        }
    }
    void unequalColumnsAreStored() {
        QFETCH(int, accounting);
        const Problem p(48, 112, 71);
        MatrixOptions options = rocket(0.3, static_cast<Accounting>(accounting));
        options.own = {{"restored_share", 0.2}};
        const StoredWeightPtr weight = compressed(p, options).weight;
        const SparseDictionaryFactors& factors = *sparseFactors(weight);
        const SparseBudget sizes = sparseBudgetOf(options, 48, 112);
        QCOMPARE(factors.dictionary.cols(), sizes.k);
        QCOMPARE(factors.s, sizes.s);
        const Mask support = supportOf(factors.codes);
        const Eigen::VectorXi counts = columnCounts(support);
        QVERIFY(counts.maxCoeff() > sizes.s && counts.minCoeff() < sizes.s);

        MatrixRecord record;
        record.name = "blk.0.attn_q";
        record.kind = "attn_q";
        record.d1 = 48;
        record.d2 = 112;
        const std::filesystem::path path = m_folder.filePath("matrix").toStdString();
        writeMatrixFile(path, *weight, record);
        const std::size_t bytes = testing::tensorBytes(path);
        double planned = 0;
        for (const StoragePart& part : rocketMethod().plan(options, 48, 112).parts) {
            planned += std::ceil(part.bytes);
        }
        const Eigen::Index lost = sizes.s * 112 - support.count();
        QVERIFY(lost >= 0 && (sizes.coefficientBits < 14 || lost == 0));
        QVERIFY2(std::abs(static_cast<double>(bytes) +
                          static_cast<double>(lost * sizes.coefficientBits) / 8 - planned) < 1,
                 qPrintable(QString("%1 of %2, %3 lost").arg(bytes).arg(planned).arg(lost)));

        QVERIFY(readMatrixFile(path).weight->equals(*weight));
        const SparsityPattern pattern = readSparsityPattern(path);
        for (Eigen::Index at = 0; at < support.size(); ++at) {
            QCOMPARE(pattern.entries[static_cast<std::size_t>(at)] != 0, support.data()[at]);
        }
        const MatrixXd w = weight->recomposed().cast<double>();
        const MatrixXf x = MatrixXf::Random(48, 5);
        MatrixXf y;
        ThreadPool pool(1);
        weight->makeLayer(0)->apply(pool, x, y);
        const MatrixXd exact = w.transpose() * x.cast<double>();
        QVERIFY((y.cast<double>() - exact).norm() < 1e-3 * exact.norm());
    }

    // Refitted on request: the same support, and no higher error.
    void refitKeepsTheSupport() {
        const Problem p(48, 112, 81);
        MatrixOptions options = rocket(0.3, Accounting::Eq10);
        const CompressedMatrix published = compressed(p, options);
        options.refit = true;
        const CompressedMatrix refitted = compressed(p, options);
        QVERIFY((supportOf(sparseFactors(published.weight)->codes) ==
                 supportOf(sparseFactors(refitted.weight)->codes))
                    .all());
        QVERIFY(refitted.relativeError < published.relativeError);
    }

    void refusesAndStops() {
        const Problem p(24, 40, 91);
        const Matrix target = m_backend.upload(p.target);
        QVERIFY_THROWS_EXCEPTION(Error,
                                 static_cast<void>(solveEigenbasis(m_backend, target, 25, 5, {})));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 static_cast<void>(solveEigenbasis(m_backend, target, 20, 21, {})));
        std::stop_source source;
        source.request_stop();
        const Whitening whitening(p.gram, "layer");
        const CompressedMatrix stopped =
            compressMatrix(m_backend, p.weight, &whitening, rocket(0.3), {}, source.get_token());
        QCOMPARE(stopped.termination, Termination::Cancelled);
        QVERIFY(stopped.weight == nullptr);
        MatrixOptions wrong = rocket(0.3);
        for (const auto& [name, value] : {std::pair{"importance_exponent", -0.1},
                                          {"importance_exponent", 1.1},
                                          {"restored_share", 0.6}}) {
            wrong.own = {{name, value}};
            try {
                rocketMethod().validate(wrong);
                QFAIL(name);
            } catch (const Error& error) {
                QCOMPARE(error.where(), std::string(name));
            }
        }
    }

    // One step is told as one iteration, with the error that is reported.
    void tellsItsStep() {
        const Problem p(24, 40, 95);
        std::vector<IterationSummary> told;
        const LearnedDictionary learned =
            solveEigenbasis(m_backend, m_backend.upload(p.target), 20, 7, {},
                            [&](const IterationSummary& summary) { told.push_back(summary); });
        QCOMPARE(told.size(), std::size_t{1});
        QCOMPARE(learned.iterations, 1);
        QCOMPARE(told[0].iteration, 1);
        QCOMPARE(told[0].relativeError, learned.relativeError);
        QCOMPARE(
            std::accumulate(told[0].atomUsage.begin(), told[0].atomUsage.end(), std::int64_t{0}),
            std::int64_t{7 * 40});
    }
};

COSPADI_TEST(TestRocket)

}  // namespace tst_rocket

#include "tst_rocket.moc"
