// GeoPair against its formulas in double, written down once more: the dictionary's equation solved
// as one linear system, the codes by exact least squares; and what holds where layers are alike.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/pair_learning.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/geopair/geopair_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "tests/core/geopair_reference.h"
#include "tests/core/message_of.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_geopair {

using namespace cospadi;
using namespace cospadi::geopair_reference;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

namespace {

double distance(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

}  // namespace

class TestGeopair : public QObject {
    Q_OBJECT
    CpuBackend m_backend;

    LearnedDictionary solve(const std::vector<Layer>& layers, int k, int s,
                            const PairOptions& options = {},
                            const IterationCallback& callback = {}) {
        return solvePair(m_backend, asked(layers), k, s, options, callback);
    }

    CompressedMatrix compressed(const std::vector<Layer>& layers, const MatrixOptions& options) {
        return compressedUnit(m_backend, layers, options);
    }

    static MatrixOptions geopair(double cr, Accounting accounting = Accounting::Eq11) {
        MatrixOptions options;
        options.method = &geopairMethod();
        options.cr = cr;
        options.accounting = accounting;
        return options;
    }

  private slots:
    void dictionaryStepSolvesItsEquation_data() {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("unused");  // atoms that the second layer does not use
        QTest::newRow("one layer") << 1 << 0;
        QTest::newRow("two layers") << 2 << 0;
        QTest::newRow("atoms of one layer alone") << 2 << 3;
    }
    void dictionaryStepSolvesItsEquation() {
        QFETCH(int, layers);
        QFETCH(int, unused);
        const int d1 = 9;
        const int k = 7;
        std::vector<MatrixXd> grams, squares;
        MatrixXd right = MatrixXd::Zero(d1, k);
        for (int i = 0; i < layers; ++i) {
            const auto seed = static_cast<unsigned>(10 * i);
            MatrixXd codes = randomDoubles(k, 20, seed + 1);
            if (i > 0) {
                codes.topRows(unused).setZero();
            }
            grams.push_back(inputsGram(d1, seed + static_cast<unsigned>(i)));
            squares.emplace_back(codes * codes.transpose());
            right += grams.back() * randomDoubles(d1, 20, seed + 2) * codes.transpose();
        }
        const MatrixXd expected = solvedDictionary(grams, squares, right);
        const PairDictionaryStep step(grams);
        QVERIFY2(distance(step.solve(squares, right, 0), expected) < 1e-9, "without a ridge");
        QVERIFY2(distance(step.solve(squares, right, 1e-6), expected) < 1e-3, "with the usual one");
        // The ridge is one: it draws D to zero.
        QVERIFY(step.solve(squares, right, 100).norm() < 0.02 * expected.norm());
    }

    // Layers of one metric are one wide layer, of which the metric cancels: D = W Cᵀ (C Cᵀ)⁻¹.
    void equalMetricsAreNone() {
        const int d1 = 12;
        const MatrixXd gram = inputsGram(d1, 4);
        const MatrixXd codes = randomDoubles(6, 30, 5);
        const MatrixXd weight = randomDoubles(d1, 30, 6);
        const MatrixXd first = codes.leftCols(18);
        const MatrixXd second = codes.rightCols(12);
        const MatrixXd found = PairDictionaryStep({gram, gram})
                                   .solve({first * first.transpose(), second * second.transpose()},
                                          gram * weight * codes.transpose(), 0);
        const MatrixXd expected =
            reference::leastSquares(codes.transpose(), weight.transpose()).transpose();
        QVERIFY(distance(found, expected) < 1e-9);
    }

    // At given codes nothing is better than that D for the layers in their own metrics, least of
    // all the D of their mean Gram.
    void dictionaryStepIsTheBest() {
        const std::vector<Layer> layers = {{16, 40, 20}, {16, 24, 21}};
        const std::vector<MatrixXd> codes = {randomDoubles(8, 40, 22), randomDoubles(8, 24, 23)};
        std::vector<MatrixXd> squares, grams;
        MatrixXd right = MatrixXd::Zero(16, 8);
        for (std::size_t i = 0; i < 2; ++i) {
            grams.push_back(layers[i].gram);
            squares.emplace_back(codes[i] * codes[i].transpose());
            right += layers[i].gram * layers[i].weight.cast<double>() * codes[i].transpose();
        }
        const auto errorWith = [&](const MatrixXd& dictionary) {
            return layers[0].squaredError(dictionary, codes[0]) +
                   layers[1].squaredError(dictionary, codes[1]);
        };
        const MatrixXd best = PairDictionaryStep(grams).solve(squares, right, 0);
        const double least = errorWith(best);
        for (unsigned seed = 0; seed < 20; ++seed) {
            for (const double size : {1e-4, 1e-2}) {
                QVERIFY(errorWith(best + size * best.norm() * randomDoubles(16, 8, seed)) > least);
            }
        }
        MatrixXd whole(16, 64), all(8, 64);
        whole << layers[0].weight.cast<double>(), layers[1].weight.cast<double>();
        all << codes[0], codes[1];
        const MatrixXd ofTheMean =
            reference::leastSquares(all.transpose(), whole.transpose()).transpose();
        QVERIFY2(errorWith(ofTheMean) > 1.02 * least,
                 qPrintable(QString("%1, %2").arg(errorWith(ofTheMean)).arg(least)));
    }

    void followsTheFormulas_data() {
        QTest::addColumn<int>("second");  // outputs of the second layer; 0: there is none
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("s");
        QTest::newRow("pair") << 30 << 12 << 4;
        QTest::newRow("unequal widths") << 11 << 12 << 5;
        QTest::newRow("one layer") << 0 << 12 << 4;
        QTest::newRow("one atom a column, some unused") << 30 << 10 << 1;
        QTest::newRow("every atom") << 30 << 6 << 6;
    }
    void followsTheFormulas() {
        QFETCH(int, second);
        QFETCH(int, k);
        QFETCH(int, s);
        std::vector<Layer> layers = {{16, 40, 30}};
        if (second > 0) {
            layers.emplace_back(16, second, 31);
        }
        PairOptions options;
        options.iterations = 3;
        options.cgSteps = 40;  // to the end
        std::vector<double> told;
        const LearnedDictionary result =
            solve(layers, k, s, options, [&](const IterationSummary& summary) {
                told.push_back(summary.relativeError);
                QCOMPARE(summary.iteration, static_cast<int>(told.size()));
            });
        const Reference expected = referenceOf(layers, k, s, options.iterations);
        QCOMPARE(told.size(), std::size_t{3});
        for (std::size_t i = 0; i < told.size(); ++i) {
            QVERIFY2(
                std::abs(told[i] / expected.errors[i + 1] - 1) < 1e-3,
                qPrintable(QString("%1: %2, %3").arg(i).arg(told[i]).arg(expected.errors[i + 1])));
        }
        const double best = *std::min_element(expected.errors.begin(), expected.errors.end());
        QVERIFY(std::abs(result.relativeError / best - 1) < 1e-3);
        const MatrixXf dictionary = m_backend.download(result.dictionary);
        const MatrixXf codes = m_backend.download(result.codes);
        QVERIFY((dictionary.colwise().norm().array() - 1).abs().maxCoeff() < 1e-5F);
        for (Eigen::Index j = 0; j < codes.cols(); ++j) {
            QVERIFY((codes.col(j).array() != 0).count() <= s);
        }
        // What is told is the error of what is returned.
        QVERIFY(std::abs(errorOf(layers, dictionary.cast<double>(), codes.cast<double>()) /
                             result.relativeError -
                         1) < 1e-3);
    }

    // With every atom in every column the problem is exact in one step where k = d1.
    void enoughAtomsAreExact() {
        const std::vector<Layer> layers = {{16, 40, 40}, {16, 30, 41}};
        PairOptions options;
        options.iterations = 2;
        options.cgSteps = 100;
        QVERIFY(solve(layers, 16, 16, options).relativeError < 2e-3);
    }

    // Iterations pay, and the best of them is what counts.
    void iterationsLowerTheError() {
        const std::vector<Layer> layers = {{32, 64, 50}, {32, 64, 51}};
        PairOptions options;
        std::vector<double> told;
        options.iterations = 12;
        const double best = solve(layers, 24, 8, options, [&](const IterationSummary& summary) {
                                told.push_back(summary.relativeError);
                            }).relativeError;
        QVERIFY(best <= *std::min_element(told.begin(), told.end()));
        options.iterations = 1;
        QVERIFY(best < 0.97 * solve(layers, 24, 8, options).relativeError);
    }

    // Two layers that demand the opposite of directions: each in its own metric is nearer to both
    // than one in their mean's.
    void ownMetricsBeatTheirMean() {
        const std::vector<Layer> layers = {{32, 64, 60}, {32, 64, 61}};
        const MatrixXd mean = (layers[0].gram + layers[1].gram) / 2;
        std::vector<Layer> meant = layers;
        for (Layer& layer : meant) {
            layer.gram = mean;
            layer.factor = reference::choleskyFactor(mean);
        }
        const LearnedDictionary own = solve(layers, 24, 8);
        const LearnedDictionary common = solve(meant, 24, 8);
        const double commonError =
            errorOf(layers, m_backend.download(common.dictionary).cast<double>(),
                    m_backend.download(common.codes).cast<double>());
        QVERIFY2(own.relativeError < 0.95 * commonError,
                 qPrintable(QString("%1, %2").arg(own.relativeError).arg(commonError)));
    }

    void wrongPairsAreRefused() {
        const Layer layer(16, 40, 70);
        const auto refusal = [&](const std::vector<Layer>& layers, int k, int s) {
            return whereOf([&] { solve(layers, k, s); });
        };
        QCOMPARE(refusal({layer, layer, layer}, 8, 4), std::string("layers"));
        QCOMPARE(refusal({}, 8, 4), std::string("layers"));
        QCOMPARE(refusal({layer, {12, 40, 71}}, 8, 4), std::string("layers"));
        QCOMPARE(refusal({layer}, 17, 4), std::string("k"));
        QCOMPARE(refusal({layer}, 8, 9), std::string("s"));
        QCOMPARE(refusal({layer}, 8, 0), std::string("s"));
        QCOMPARE(refusal({layer}, 8, 8), std::string("no error"));
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(solvePair(m_backend, asked({layer}), 8, 4, {}, {}, stop.get_token()).termination,
                 Termination::Cancelled);
    }

    // The stored pair: its bytes, the error that is told, and its parts.
    void storedPairs_data() {
        QTest::addColumn<int>("accounting");
        for (const Accounting accounting :
             {Accounting::Eq10, Accounting::Eq11, Accounting::Packed, Accounting::Packed8}) {
            QTest::newRow(name(accounting)) << static_cast<int>(accounting);
        }
    }
    void storedPairs() {
        QFETCH(int, accounting);
        const std::vector<Layer> layers = {{48, 112, 80}, {48, 64, 81}};
        const MatrixOptions options = geopair(0.3, static_cast<Accounting>(accounting));
        const CompressedMatrix result = compressed(layers, options);
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        const SparseBudget sizes = sparseBudgetOf(options, 48, 176);
        QCOMPARE(factors.dictionary.cols(), sizes.k);
        QVERIFY(sizes.k <= 48 && sizes.totalBytes() <= 0.7 * 2 * 48 * 176);
        for (Eigen::Index j = 0; j < factors.codes.cols(); ++j) {
            QVERIFY((factors.codes.col(j).array() != 0).count() <= sizes.s);
        }
        const double error =
            errorOf(layers, factors.dictionary.cast<double>(), factors.codes.cast<double>());
        QVERIFY2(std::abs(error - result.relativeError) < 1e-4,
                 qPrintable(QString("%1, %2").arg(error).arg(result.relativeError)));
        const auto parts = result.weight->split({112, 64});
        QCOMPARE(parts.size(), std::size_t{2});
        MatrixXf together(48, 176);
        together << parts[0]->recomposed(), parts[1]->recomposed();
        QCOMPARE(together, result.weight->recomposed());
        // Fitted to what is stored it is no worse, but for the codes' own rounding, which comes
        // after the fit: it falls as it falls, and of 8 and 9 bits it is a tenth of the error.
        MatrixOptions refitted = options;
        refitted.refit = true;
        const double rounding = isPacked(options.accounting) ? 0.01 : 0.001;
        QVERIFY(compressed(layers, refitted).relativeError < (1 + rounding) * result.relativeError);
    }

    void aLayerByItself() {
        const std::vector<Layer> layers = {{48, 112, 90}};
        const CompressedMatrix result = compressed(layers, geopair(0.3));
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        QVERIFY(std::abs(errorOf(layers, factors.dictionary.cast<double>(),
                                 factors.codes.cast<double>()) -
                         result.relativeError) < 1e-4);
        MatrixOptions more = geopair(0.3);
        more.iterations = 1;
        QVERIFY(compressed(layers, more).relativeError > result.relativeError);
    }

    // No more than two layers share.
    void unitsArePairs() {
        std::vector<LayerInfo> layers;
        for (const char* kind : {"attn_q", "attn_k", "attn_v"}) {
            LayerInfo layer;
            layer.name = std::string("blk.0.") + kind;
            layer.kind = kind;
            layer.gramKey = "blk.0.attn_q";
            layer.d1 = layer.d2 = 16;
            layers.push_back(layer);
        }
        MatrixOptions options = geopair(0.3);
        setOwnOption(options, "groups", "blk.0.attn_q+blk.0.attn_v");
        QCOMPARE(unitsOf(options, layers).size(), std::size_t{2});
        setOwnOption(options, "groups", "inputs");
        try {
            static_cast<void>(unitsOf(options, layers));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QCOMPARE(error.where(), std::string("groups"));
            QVERIFY2(error.problem().find("blk.0.attn_q+2 are 3") != std::string::npos,
                     error.what());
        }
    }
};

COSPADI_TEST(TestGeopair)

}  // namespace tst_geopair

#include "tst_geopair.moc"
