// Layers that share a dictionary by their relative errors: that none has its way by its size, what
// is told, and the metric that they share.
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/model/model.h"
#include "core/run/resolve_specification.h"
#include "core/run/unit_problems.h"
#include "small_runs.h"
#include "tests/core/geopair_reference.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_balanced_groups {

using namespace cospadi;
using namespace cospadi::geopair_reference;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

class TestBalancedGroups : public QObject, SmallModelFixture {
    Q_OBJECT
    CpuBackend m_backend;

    static MatrixOptions grouped(const char* metric) {
        MatrixOptions options;
        options.method = &cospadiMethod();
        options.cr = 0.4;
        options.rho = 2;
        setOwnOption(options, "groups", "pairs");
        setOwnOption(options, "group_metric", std::string(metric));
        return options;
    }

    // Two layers of the same inputs, the second one scaled.
    static std::vector<Layer> pair(float scale) {
        std::vector<Layer> layers = {{48, 112, 50}, {48, 64, 52}};
        layers[1].gram = layers[0].gram;
        layers[1].factor = layers[0].factor;
        layers[1].weight *= scale;
        return layers;
    }

    // Each layer's relative error, of the product that is stored, in double.
    std::vector<double> errors(const std::vector<Layer>& layers,
                               const CompressedMatrix& result) const {
        const SparseDictionaryFactors& factors = *sparseFactors(result.weight);
        std::vector<double> all;
        Eigen::Index first = 0;
        for (const Layer& layer : layers) {
            const Eigen::Index width = layer.weight.cols();
            all.push_back(std::sqrt(
                layer.squaredError(factors.dictionary.cast<double>(),
                                   factors.codes.middleCols(first, width).cast<double>()) /
                layer.squaredNorm()));
            first += width;
        }
        return all;
    }

    // Which atom is taken turns on rounding now and then.
    static bool isNear(double a, double b) { return std::abs(a / b - 1) < 0.03; }

  private slots:
    void initTestCase() { makeModel(); }

    void noLayerHasItsWayByItsSize_data() {
        QTest::addColumn<bool>("isKsvd");
        QTest::newRow("fast") << false;
        QTest::newRow("ksvd") << true;
    }
    // Layers of one size make both metrics the same; one that is sixteen times larger changes
    // nothing in the balanced one, and takes the dictionary for itself in the other.
    void noLayerHasItsWayByItsSize() {
        QFETCH(bool, isKsvd);
        const auto compressed = [&](const std::vector<Layer>& layers, const char* metric) {
            MatrixOptions options = grouped(metric);
            options.solver = isKsvd ? Solver::Ksvd : Solver::Fast;
            options.iterations = isKsvd ? 10 : 0;
            return errors(layers, compressedUnit(m_backend, layers, options));
        };
        std::vector<Layer> alike = pair(1);
        const auto ratio =
            static_cast<float>(std::sqrt(alike[0].squaredNorm() / alike[1].squaredNorm()));
        alike = pair(ratio);
        const std::vector<double> expected = compressed(alike, "mean");
        for (const float scale : {ratio, 16 * ratio}) {
            const std::vector<double> balanced = compressed(pair(scale), "balanced");
            for (std::size_t i = 0; i < 2; ++i) {
                QVERIFY2(isNear(balanced[i], expected[i]),
                         qPrintable(QString("scale %1, layer %2: %3, %4")
                                        .arg(scale)
                                        .arg(i)
                                        .arg(balanced[i])
                                        .arg(expected[i])));
            }
        }
        const std::vector<double> mean = compressed(pair(16 * ratio), "mean");
        QVERIFY2(mean[0] > 1.1 * expected[0],
                 qPrintable(QString("%1, %2").arg(mean[0]).arg(expected[0])));
    }

    // Each in its own metric, all alike.
    void relativeErrorsAreTold() {
        const std::vector<Layer> layers = {{48, 112, 50}, {48, 64, 51}, {48, 80, 52}};
        const CompressedMatrix result = compressedUnit(m_backend, layers, grouped("balanced"));
        double squares = 0;
        for (const double error : errors(layers, result)) {
            squares += error * error / 3;
        }
        QVERIFY2(std::abs(result.relativeError / std::sqrt(squares) - 1) < 1e-3,
                 qPrintable(QString("%1, %2").arg(result.relativeError).arg(std::sqrt(squares))));
    }

    void sharedMetrics_data() {
        QTest::addColumn<QString>("metric");
        QTest::newRow("mean") << "mean";
        QTest::newRow("balanced") << "balanced";
    }
    // The mean of the Grams as they are, or of Grams of one trace.
    void sharedMetrics() {
        QFETCH(QString, metric);
        RunSpecification s;
        s.model = m_model.string();
        s.method = &cospadiMethod();
        s.calibration = small_runs::onText(12, 64);
        setOwnOption(s, "groups", "inputs-2");
        setOwnOption(s, "group_metric", metric.toStdString());
        s.layers = "ffn_(gate|up)";
        const Model model = Model::load(s.model);
        ThreadPool pool(2);
        const auto grams = calibrate(model, pool, calibrationOptionsOf(s));
        const std::vector<LayerInfo> layers = selectLayers(model.layers(), s.layers);
        const std::vector<LayerUnit> units = unitsOf(s, layers);
        UnitProblems problems(model, &*grams, units, s, true);
        const UnitProblem problem = problems.of(units.front(), m_backend);
        MatrixXd expected;
        double traces = 0;
        for (const char* layer : {"blk.0.ffn_gate", "blk.1.ffn_gate"}) {
            const MatrixXd gram = grams->gram(model.layerInfo(layer).gramKey);
            const double scale = metric == "mean" ? 1.0 : 1 / gram.trace();
            expected =
                expected.size() == 0 ? MatrixXd(scale * gram) : MatrixXd(expected + scale * gram);
            traces += gram.trace();
        }
        expected *= metric == "mean" ? 0.5 : traces / 4;
        const double distance = (problem.metric()->gram() - expected).norm() / expected.norm();
        QVERIFY2(distance < 1e-9, qPrintable(QString::number(distance)));
    }

    // Groups of the same blocks have one mean Gram, of which there is one factor: to the bit that
    // of each by itself.
    void groupsOfTheSameBlocksShareAFactor() {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &cospadiMethod();
        s.calibration = small_runs::onText(12, 64);
        s.heldOut = 0.25;
        setOwnOption(s, "groups", "pairs");
        const Model model = Model::load(s.model);
        ThreadPool pool(2);
        const auto grams = calibrate(model, pool, calibrationOptionsOf(s));
        const std::vector<LayerUnit> units = unitsOf(s, model.layers());
        UnitProblems shared(model, &*grams, units, s, true);
        UnitProblems single(model, &*grams, units, s, false);
        int compared = 0;
        for (const LayerUnit& unit : units) {
            const UnitProblem one = shared.of(unit, m_backend);
            const UnitProblem other = single.of(unit, m_backend);
            QVERIFY(one.metric()->whitenedFromOriginal(one.target()) ==
                    other.metric()->whitenedFromOriginal(other.target()));
            QCOMPARE(one.heldOut() != nullptr, other.heldOut() != nullptr);
            if (one.heldOut() != nullptr) {
                QVERIFY(one.heldOut()->whitenedFromOriginal(one.target()) ==
                        other.heldOut()->whitenedFromOriginal(other.target()));
            }
            compared += unit.isShared() ? 1 : 0;
        }
        QVERIFY(compared > 0);
    }
};

COSPADI_TEST(TestBalancedGroups)

}  // namespace tst_balanced_groups

#include "tst_balanced_groups.moc"
