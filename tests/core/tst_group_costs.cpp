// Layers that share a dictionary and count as their errors cost, by the gradients of the loss or by
// probes: the metric of layers side by side, weights of layers one below the other, and runs.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/calibration/output_grams.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/layer_groups.h"
#include "core/methods/output_metric.h"
#include "core/model/model.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "message_of.h"
#include "small_runs.h"
#include "tests/core/geopair_reference.h"
#include "tests/core/oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_group_costs {

using namespace cospadi;
using namespace cospadi::geopair_reference;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using Eigen::VectorXd;
using nlohmann::json;
namespace fs = std::filesystem;

class TestGroupCosts : public QObject, SmallModelFixture {
    Q_OBJECT
    CpuBackend m_backend;

    RunSpecification specification(const char* outputs) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &cospadiMethod();
        s.calibration = small_runs::onText(32, 64);
        setOwnOption(s, "groups", "all-2");
        setOwnOption(s, "output_metric", std::string(outputs));
        return s;
    }

    // ‖L E‖², and with weights of columns ‖L E diag(√b)‖², in double.
    static double squared(const MatrixXd& gram, const MatrixXd& e, const VectorXd& weights = {}) {
        const VectorXd columns = (e.transpose() * gram * e).diagonal();
        return weights.size() > 0 ? columns.dot(weights) : columns.sum();
    }

  private slots:
    void initTestCase() { makeModel(); }

    // Of any error it says what the layers' own metrics say, each times its weight.
    void layersSideBySide() {
        const Layer first(48, 30, 50);
        const Layer second(48, 20, 52);
        const VectorXd diagonal = VectorXd::LinSpaced(30, 0.5, 1.5);
        const MatrixXd spread = reference::orthonormal(randomDoubles(20, 20, 3));
        const MatrixXd whole =
            spread * VectorXd::LinSpaced(20, 0.1, 1.9).asDiagonal() * spread.transpose();
        const OutputMetric a{Whitening::ofDiagonal(diagonal, "a"), true, 3};
        const OutputMetric b{Whitening(whole, "b"), false, 0.2};
        const OutputMetric both = sideBySide({&a, &b}, "both");
        QVERIFY(both.isDiagonal);
        const Whitening inputs(first.gram, "inputs");
        const MatrixXf e = sample::randomMatrix(48, 50, 7);
        const double told = both.weight * std::pow(outputNorm(e, &inputs, both), 2);
        const double expected =
            3 * squared(first.gram, e.leftCols(30).cast<double>(), diagonal) +
            0.2 * squared(first.gram, e.rightCols(20).cast<double>(), whole.diagonal());
        QVERIFY2(std::abs(told / expected - 1) < 1e-5,
                 qPrintable(QString("%1, %2").arg(told).arg(expected)));
    }

    // Over the outputs: a layer is the nearer the more its errors cost, and the error that is told
    // is that of all by their costs.
    void layersOneBelowTheOther() {
        std::vector<Layer> layers = {{48, 40, 50}, {64, 40, 51}};
        std::vector<Whitening> metrics;
        MatrixXf w(48 + 64, 40);
        w << layers[0].weight, layers[1].weight;
        std::vector<double> sizes;
        for (const Layer& layer : layers) {
            metrics.emplace_back(layer.gram, "layer");
            sizes.push_back(layer.squaredNorm());
        }
        MatrixOptions options;
        options.method = &cospadiMethod();
        options.cr = 0.4;
        options.side = DictionarySide::Output;
        setOwnOption(options, "groups", "all-2");
        const auto errors = [&](double costly, double cheap, std::optional<double>& told) {
            const VectorXd ones = VectorXd::Ones(40);
            const OutputMetric a{Whitening::ofDiagonal(ones, "a"), true, costly / sizes[0]};
            const OutputMetric b{Whitening::ofDiagonal(ones, "b"), true, cheap / sizes[1]};
            const std::vector<UnitPart> parts = {{48, &metrics[0], &a}, {64, &metrics[1], &b}};
            const CompressedMatrix made =
                compressMatrix(m_backend, w, nullptr, options, {}, {}, parts);
            told = made.outputError;
            const MatrixXd left = (w - made.weight->recomposed()).cast<double>();
            return std::vector<double>{squared(layers[0].gram, left.topRows(48)) / sizes[0],
                                       squared(layers[1].gram, left.bottomRows(64)) / sizes[1]};
        };
        std::optional<double> told;
        const std::vector<double> first = errors(20, 1, told);
        const double expected = std::sqrt((20 * first[0] + first[1]) / 21);
        QVERIFY2(told && std::abs(*told / expected - 1) < 1e-3,
                 qPrintable(QString("%1, %2").arg(told.value_or(0)).arg(expected)));
        const std::vector<double> second = errors(1, 20, told);
        QVERIFY2(
            first[0] < 0.8 * second[0] && second[1] < 0.8 * first[1],
            qPrintable(
                QString("%1 %2, %3 %4").arg(first[0]).arg(first[1]).arg(second[0]).arg(second[1])));
    }

    // What the second order expects all errors of a unit to cost, in double: less than where they
    // count as they are, at the same bytes.
    void aRunCostsLess() {
        const RunSpecification s = specification("fisher");
        executeRun(s, place("fisher"), {});
        executeRun(specification("none"), place("none"), {});
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const auto grams = calibrate(model, pool, calibrationOptionsOf(s));
        const auto outputs = measureOutputGrams(model, pool, calibrationOptionsOf(s));
        const auto cost = [&](const char* run, const LayerUnit& unit, std::int64_t& numbers) {
            double sum = 0;
            for (const LayerInfo& layer : unit.layers) {
                const StoredMatrix stored = small_runs::matrixOf(place(run), layer.name);
                const OutputMetric metric = outputMetric(*outputs, layer.name, m_backend);
                const MatrixXd e =
                    (model.weight(layer.name) - stored.weight->recomposed()).cast<double>();
                sum += metric.weight *
                       squared(grams->gram(layer.gramKey), e,
                               unit.overOutputs ? VectorXd() : metric.factor.gramDiagonal());
                numbers += stored.record.k * stored.record.s;
            }
            return sum;
        };
        for (const LayerUnit& unit : unitsOf(s, model.layers())) {
            std::int64_t numbers = 0;  // k s, which make the bytes
            std::int64_t others = 0;
            const double weighed = cost("fisher", unit, numbers);
            const double plain = cost("none", unit, others);
            QCOMPARE(numbers, others);
            QVERIFY2(weighed < plain, qPrintable(QString("%1: %2, %3")
                                                     .arg(QString::fromStdString(unit.id()))
                                                     .arg(weighed)
                                                     .arg(plain)));
        }
    }

    void probedCosts_data() {
        QTest::addColumn<bool>("overOutputs");
        QTest::newRow("over inputs") << false;
        QTest::newRow("over outputs") << true;
    }
    // A relative error counts as it costs, squared: so does what is told, and the costly layer is
    // the nearer.
    void probedCosts() {
        QFETCH(bool, overOutputs);
        std::vector<Layer> layers = {{48, 40, 50}, {overOutputs ? 64 : 48, 40, 51}};
        const std::vector<std::int64_t> widths = {overOutputs ? 48 : 40, overOutputs ? 64 : 40};
        layers[1].weight *= 9;  // which changes nothing
        const MatrixXd& common = layers[0].gram;
        std::vector<Whitening> metrics;
        for (Layer& layer : layers) {
            metrics.emplace_back(overOutputs ? layer.gram : common, "layer");
        }
        MatrixXf w(overOutputs ? 48 + 64 : 48, overOutputs ? 40 : 80);
        if (overOutputs) {
            w << layers[0].weight, layers[1].weight;
        } else {
            w.leftCols(40) = layers[0].weight;
            w.rightCols(40) = layers[1].weight;
        }
        MatrixOptions options;
        options.method = &cospadiMethod();
        options.cr = 0.4;
        setOwnOption(options, "groups", "all-2");
        setOwnOption(options, "group_metric", "probed");
        options.side = overOutputs ? std::optional(DictionarySide::Output) : std::nullopt;
        const auto errors = [&](double first, double second) {
            const std::vector<UnitPart> parts = {{widths[0], &metrics[0], nullptr, first},
                                                 {widths[1], &metrics[1], nullptr, second}};
            const CompressedMatrix made = compressMatrix(
                m_backend, w, overOutputs ? nullptr : &metrics[0], options, {}, {}, parts);
            const MatrixXd left = (w - made.weight->recomposed()).cast<double>();
            std::vector<double> own;
            for (std::size_t i = 0; i < 2; ++i) {
                const MatrixXd& gram = overOutputs ? layers[i].gram : common;
                const MatrixXd e = overOutputs
                                       ? MatrixXd(i == 0 ? left.topRows(48) : left.bottomRows(64))
                                       : MatrixXd(i == 0 ? left.leftCols(40) : left.rightCols(40));
                own.push_back(squared(gram, e) / squared(gram, layers[i].weight.cast<double>()));
            }
            own.push_back(made.relativeError);
            return own;
        };
        const std::vector<double> costly = errors(20, 1);
        const double expected = std::sqrt((20 * costly[0] + costly[1]) / 21);
        QVERIFY2(std::abs(costly[2] / expected - 1) < 1e-3,
                 qPrintable(QString("%1, %2").arg(costly[2]).arg(expected)));
        const std::vector<double> alike = errors(3, 3);
        const std::vector<double> cheap = errors(1, 20);
        QVERIFY2(costly[0] < 0.9 * alike[0] && alike[0] < 0.9 * cheap[0] &&
                     cheap[1] < 0.9 * alike[1] && alike[1] < 0.9 * costly[1],
                 qPrintable(QString("%1 %2 %3, %4 %5 %6")
                                .arg(costly[0])
                                .arg(alike[0])
                                .arg(cheap[0])
                                .arg(costly[1])
                                .arg(alike[1])
                                .arg(cheap[1])));
    }

    // A run probes what its layers' errors cost, once: the next run has the same bits, and
    // one that goes on has the costs it began with.
    void aRunProbes() {
        RunSpecification s = specification("none");
        setOwnOption(s, "group_metric", "probed");
        executeRun(s, place("probed"), {});
        const fs::path file = place("probed") / "costs.json";
        const json layers = json::parse(oracle::text(file)).at("layers");
        const Model model = Model::load(m_model);
        QCOMPARE(layers.size(), model.layers().size());
        for (const auto& [layer, own] : layers.items()) {
            const auto error = own.at("error").get<double>();
            const auto cost = own.at("cost").get<double>();
            QVERIFY(error > 0 && cost > 0);
            QVERIFY(cost >= own.at("divergence").get<double>() / (error * error) * (1 - 1e-12));
        }
        executeRun(s, place("again"), {});
        const auto sameAs = [&](const char* run) {
            return std::all_of(
                model.layers().begin(), model.layers().end(), [&](const LayerInfo& layer) {
                    return small_runs::matrixOf(place("probed"), layer.name).weight->recomposed() ==
                           small_runs::matrixOf(place(run), layer.name).weight->recomposed();
                });
        };
        QVERIFY(sameAs("again"));
        // Its costs are its own, whatever the cache says now; changed, they change what comes out.
        fs::remove_all(place("cospadi") / "curves");
        fs::remove_all(place("again") / "matrices");
        executeRun(s, place("again"), {});
        QVERIFY(sameAs("again"));
        json changed = json::parse(oracle::text(place("again") / "costs.json"));
        json& own = changed.at("layers").at("blk.0.attn_v").at("cost");
        own = 100 * own.get<double>();
        std::ofstream(place("again") / "costs.json") << changed.dump();
        fs::remove_all(place("again") / "matrices");
        executeRun(s, place("again"), {});
        const auto errorIn = [&](const char* run) {
            return small_runs::matrixOf(place(run), "blk.0.attn_v").record.relativeError;
        };
        QVERIFY2(errorIn("again") < errorIn("probed"),
                 qPrintable(QString("%1, %2").arg(errorIn("again")).arg(errorIn("probed"))));
        own = 0;
        std::ofstream(place("again") / "costs.json") << changed.dump();
        fs::remove_all(place("again") / "matrices");
        const std::string message = messageOf([&] { executeRun(s, place("again"), {}); });
        QVERIFY2(message.find("costs.json, blk.0.attn_v") != std::string::npos, message.c_str());
    }

    // In the mean metric alone.
    void refused() {
        for (const char* metric : {"own", "balanced", "probed"}) {
            RunSpecification s = specification("fisher");
            setOwnOption(s, "group_metric", std::string(metric));
            const std::string message = messageOf([&] { executeRun(s, place("refused"), {}); });
            QVERIFY2(message.find("output_metric") != std::string::npos, message.c_str());
        }
        QVERIFY(!fs::exists(place("refused")));
    }
};

COSPADI_TEST(TestGroupCosts)

}  // namespace tst_group_costs

#include "tst_group_costs.moc"
