// A look at one matrix: the weight is the model's, the spectrum that of Eigen's SVD, counts those
// of the test.
#include <QtTest>
#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/explore/explore.h"
#include "core/linalg/spectrum.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/model/layer_weight.h"
#include "core/model/model.h"
#include "core/model/model_locator.h"
#include "core/patterns/pattern_analysis.h"
#include "explore_samples.h"
#include "small_runs.h"
#include "tests/core/reference_algebra.h"
#include "tests/registered_test.h"

namespace tst_matrix_at_hand {

using namespace cospadi;
using namespace cospadi::explore_samples;
using small_runs::kModel;

class TestMatrixAtHand : public QObject {
    Q_OBJECT

  private slots:
    void readsOneLayerAsTheWholeModelDoes_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("safetensors") << QString::fromStdString(kModel.string());
        QTest::newRow("GGUF, permuted and quantised") << "default";
    }

    void readsOneLayerAsTheWholeModelDoes() {
        QFETCH(QString, path);
        std::filesystem::path place;
        try {
            place = locateModel(path.toStdString());
        } catch (const Error& error) {
            QSKIP(error.what());
        }
        const Model model = Model::load(place);
        for (const char* kind : {"attn_q", "attn_k", "attn_output", "ffn_down"}) {
            const std::string layer = std::string("blk.1.").append(kind);
            const LayerWeight read = readLayerWeight(place, layer);
            QCOMPARE(read.info.name, layer);
            QVERIFY2(read.weight == model.weight(layer), layer.c_str());
        }
        QVERIFY_THROWS_EXCEPTION(Error, (void)readLayerWeight(place, "blk.999.ffn_up"));
    }

    void spectrumIsThatOfAnSvd_data() {
        QTest::addColumn<int>("d1");
        QTest::addColumn<int>("d2");
        QTest::newRow("wide") << 24 << 60;
        QTest::newRow("tall") << 60 << 24;
        QTest::newRow("square") << 30 << 30;
    }

    void spectrumIsThatOfAnSvd() {
        QFETCH(int, d1);
        QFETCH(int, d2);
        const Eigen::MatrixXf w = sample::randomMatrix(d1, d2, 7);
        const reference::Svd svd = reference::svd(w.cast<double>());
        const std::vector<double> values = singularValues(w);
        QCOMPARE(values.size(), static_cast<std::size_t>(std::min(d1, d2)));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double peer = svd.values(static_cast<Eigen::Index>(i));
            QVERIFY(std::abs(values[i] - peer) < 1e-7 * svd.values(0));
        }
        const std::vector<double> errors = truncationErrors(values);
        QCOMPARE(errors.front(), 1.0);
        QCOMPARE(errors.back(), 0.0);
        const int r = 9;
        const Eigen::MatrixXd truncated =
            svd.U.leftCols(r) * svd.values.head(r).asDiagonal() * svd.V.leftCols(r).transpose();
        const double direct = (w.cast<double>() - truncated).norm() / w.cast<double>().norm();
        QVERIFY(std::abs(errors[r] - direct) < 1e-6);
    }

    void histogramCountsEveryWeight() {
        Eigen::MatrixXf w(2, 3);
        w << -1, 0, 0.1F, 0.9F, 1, 1;
        const Histogram histogram = histogramOf(w, 4);
        QCOMPARE(histogram.low, -1.0);
        QCOMPARE(histogram.high, 1.0);
        QCOMPARE(histogram.counts, (std::vector<std::int64_t>{1, 0, 2, 3}));
        QCOMPARE(histogramOf(Eigen::MatrixXf::Constant(2, 2, 5), 4).counts.front(), 4);
    }

    // Three atoms of which two nearly agree, and coefficients whose sizes are known.
    void patternsTellOfTheirDictionary() {
        SparseDictionaryFactors factors;
        factors.dictionary.resize(3, 3);
        factors.dictionary << 2, 1, 0, 0, 1, 0, 0, 0, 5;  // row by row
        factors.codes.resize(3, 4);
        factors.codes << 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0.5F;
        const PatternAnalysis analysis = analysePattern(factors, 4);
        // |cos 45°| between the first two; the third is orthogonal to both.
        QCOMPARE(analysis.coherence.size(), std::size_t{3});
        QVERIFY(std::abs(analysis.coherence[0] - std::sqrt(0.5)) < 1e-6);
        QVERIFY(std::abs(analysis.coherence[1] - std::sqrt(0.5)) < 1e-6);
        QVERIFY(std::abs(analysis.coherence[2]) < 1e-6);
        QVERIFY(std::abs(analysis.meanAbsoluteCosine - std::sqrt(0.5) / 3) < 1e-6);
        // 1 · 2, −2 · 5 and 0.5 · 5; zeros are no coefficients.
        QCOMPARE(analysis.coefficients.low, -10.0);
        QCOMPARE(analysis.coefficients.high, 2.5);
        std::int64_t counted = 0;
        for (const std::int64_t count : analysis.coefficients.counts) {
            counted += count;
        }
        QCOMPARE(counted, 3);
        QCOMPARE(analysis.coefficients.counts.front(), 1);
        QCOMPARE(analysis.coefficients.counts.back(), 2);
    }

    void readsAModelsMatrixAndSaysWhatIsMissing() {
        RunSpecification specification;
        specification.model = kModel.string();
        const MatrixAtHand matrix = readMatrixAtHand(specification, "blk.0.ffn_up");
        QVERIFY(!matrix.whitening);
        QVERIFY(!matrix.gramAbsence.empty());
        const MatrixPortrait portrait = portraitOf(matrix);
        QCOMPARE(portrait.singularValues.size(),
                 static_cast<std::size_t>(std::min(matrix.info.d1, matrix.info.d2)));
        QVERIFY(portrait.whitenedValues.empty());
        // Σσ² = ‖W‖²
        double energy = 0;
        for (const double value : portrait.singularValues) {
            energy += value * value;
        }
        QVERIFY(std::abs(energy / matrix.weight.cast<double>().squaredNorm() - 1) < 1e-9);
        std::int64_t counted = 0;
        for (const std::int64_t count : portrait.histogram.counts) {
            counted += count;
        }
        QCOMPARE(counted, matrix.info.d1 * matrix.info.d2);
        specification.model = "/nowhere";
        QVERIFY_THROWS_EXCEPTION(Error, (void)readMatrixAtHand(specification, "blk.0.ffn_up"));
    }
};

COSPADI_TEST(TestMatrixAtHand)

}  // namespace tst_matrix_at_hand

#include "tst_matrix_at_hand.moc"
