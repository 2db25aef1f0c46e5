// Layers that share a dictionary over their outputs: which they are, that each is told in the
// metric of its own inputs, what lies on disk, and that such runs resume, are refined and load as
// any other.
#include <QtTest>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/run/compression_run.h"
#include "core/run/refinement_phase.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_file.h"
#include "small_runs.h"
#include "tests/core/message_of.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/small_model_fixture.h"
#include "tests/registered_test.h"

namespace tst_output_groups {

using namespace cospadi;
using small_runs::bytesIn;
using small_runs::matrixOf;
namespace fs = std::filesystem;

namespace {

std::vector<LayerInfo> layersOfBlocks(int blocks) {
    std::vector<LayerInfo> layers;
    for (int block = 0; block < blocks; ++block) {
        for (const std::string_view kind : kLayerKinds) {
            const bool isWide = kind == "attn_output" || kind == "ffn_down";
            LayerInfo layer;
            layer.name = layerName(block, kind);
            layer.block = block;
            layer.kind = kind;
            layer.gramKey = gramKeyOf(block, kind);
            layer.d1 = kind == "ffn_down" ? 160 : 64;
            layer.d2 = isWide ? 64 : 96;
            layers.push_back(layer);
        }
    }
    return layers;
}

std::vector<LayerUnit> units(const std::string& groups, const char* method = "cospadi") {
    MatrixOptions options;
    options.method = &methodFromName(method);
    setOwnOption(options, "groups", groups);
    return unitsOf(options, layersOfBlocks(3));
}

}  // namespace

class TestOutputGroups : public QObject, SmallModelFixture {
    Q_OBJECT

    RunSpecification specification(const char* groups = "all-2") const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName("cospadi");
        s.calibration = small_runs::onText(12, 64);
        setOwnOption(s, "groups", std::string(groups));
        return s;
    }

  private slots:
    void initTestCase() { makeModel(); }

    void unitsByRule() {
        const std::vector<LayerUnit> all = units("all-2");
        QCOMPARE(all.size(), std::size_t{2 * 3});
        QCOMPARE(all[0].id(), std::string("blk.0.attn_q+5"));
        QVERIFY(!all[0].overOutputs);
        QCOMPARE(all[1].id(), std::string("blk.0.attn_output+3"));
        QVERIFY(all[1].overOutputs);
        QCOMPARE(all[1].widths(), (std::vector<std::int64_t>{64, 160, 64, 160}));
        QCOMPARE(all[1].shape().d1, 2 * (64 + 160));
        QCOMPARE(all[1].shape().d2, 64);
        QCOMPARE(all[5].id(), std::string("blk.2.ffn_gate+1"));
        // A list says it by its widths.
        const auto named = units("blk.0.attn_output+blk.0.ffn_down;blk.1.attn_output+blk.2.attn_q");
        QVERIFY(named[3].overOutputs);
        QCOMPARE(named[3].id(), std::string("blk.0.attn_output+1"));
        for (const LayerUnit& unit : named) {
            QVERIFY(!unit.overOutputs || unit.id() == "blk.0.attn_output+1");
        }
    }

    void whoCannotIsRefusedByName_data() {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("groups");
        QTest::addColumn<QString>("named");
        QTest::newRow("low rank") << "svd-llm"
                                  << "all-2"
                                  << "shares over inputs";
        QTest::newRow("orthonormal") << "compot"
                                     << "blk.0.attn_output+blk.0.ffn_down"
                                     << "shares over inputs";
        QTest::newRow("no blocks") << "cospadi"
                                   << "all-0"
                                   << "'all-0' is not a grouping";
        QTest::newRow("neither") << "cospadi"
                                 << "blk.0.ffn_gate+blk.0.ffn_down"
                                 << "blk.0.ffn_gate is 64 by 96, but blk.0.ffn_down is 160 by 64";
    }

    void whoCannotIsRefusedByName() {
        QFETCH(QString, method);
        QFETCH(QString, groups);
        QFETCH(QString, named);
        try {
            static_cast<void>(units(groups.toStdString(), method.toUtf8().constData()));
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.problem()).contains(named), error.what());
        }
    }

    void solversAndNumbersWithoutItAreRefused() {
        RunSpecification s = specification();
        validate(s);
        s.solver = Solver::Ksvd;
        QCOMPARE(whereOf([&] { validate(s); }), std::string("groups"));
        s = specification();
        s.accounting = Accounting::Integers;
        QCOMPARE(whereOf([&] { validate(s); }), std::string("groups"));
    }

    // Also where a list says that layers share over their outputs, before anything begins.
    void listsWithoutItAreRefused() {
        MatrixOptions options = specification("blk.0.attn_output+blk.0.ffn_down");
        options.side = DictionarySide::Output;
        const Method& method = *options.method;
        const auto refusal = [&] { return whereOf([&] { method.plan(options, 224, 64); }); };
        QCOMPARE(refusal(), std::string("no error"));
        options.accounting = Accounting::Integers;
        QCOMPARE(refusal(), std::string("groups"));
        options.accounting = Accounting::Eq11;
        options.solver = Solver::Ksvd;
        QCOMPARE(refusal(), std::string("groups"));
    }

    // Integers are fitted in one metric, whatever was asked for.
    void metricsByLayerAndIntegersAreRefused() {
        RunSpecification s = specification("inputs");
        s.accounting = Accounting::Integers;
        validate(s);
        for (const char* metric : {"balanced", "probed", "own"}) {
            setOwnOption(s, "group_metric", std::string(metric));
            QCOMPARE(whereOf([&] { validate(s); }), std::string("group_metric"));
        }
    }

    // Codes have as many columns as the layer has inputs there.
    void memoryGoesByTheSide() {
        MatrixOptions options;
        options.side = DictionarySide::Input;
        const double wide = options.method->workingFloats(options, 64, 512);
        options.side = DictionarySide::Output;
        QCOMPARE(options.method->workingFloats(options, 512, 64), wide);
    }

    // Against the layers' own Grams, in double; and the sizes are those of eq 11 for the wide
    // layer.
    void eachIsToldInTheMetricOfItsInputs() {
        RunSpecification s = specification();
        s.layers = "attn_output|ffn_down";
        const fs::path run = place("run");
        executeRun(s, run, {});
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const auto grams = calibrate(model, pool, calibrationOptionsOf(s));
        const std::vector<std::string> layers = {"blk.0.attn_output", "blk.0.ffn_down",
                                                 "blk.1.attn_output", "blk.1.ffn_down"};
        const Eigen::MatrixXf& shared =
            sparseFactors(matrixOf(run, layers.front()).weight)->dictionary;
        double inputs = 0;
        for (const std::string& layer : layers) {
            const StoredMatrix stored = matrixOf(run, layer);
            QCOMPARE(stored.record.unit, std::string("blk.0.attn_output+3"));
            QCOMPARE(stored.record.side, DictionarySide::Output);
            QVERIFY(sparseFactors(stored.weight)->dictionary == shared);
            const Eigen::MatrixXd factor = reference::choleskyFactor(grams->gram(layer));
            const Eigen::MatrixXd w = model.weight(layer).cast<double>();
            const Eigen::MatrixXd left = w - stored.weight->recomposed().cast<double>();
            const double error = (factor * left).norm() / (factor * w).norm();
            QVERIFY2(std::abs(stored.record.relativeError / error - 1) < 1e-3,
                     qPrintable(QString("%1 %2").arg(stored.record.relativeError).arg(error)));
            inputs += static_cast<double>(w.rows());
        }
        // d k + s n ≤ (1 − γ) d n (eq 10 and 11, mirrored), with d outputs and n inputs of all
        // layers.
        const auto d = static_cast<double>(shared.rows());
        const auto k = static_cast<double>(shared.cols());
        const auto sparsity = static_cast<double>(matrixOf(run, layers.front()).record.s);
        const auto numbers = [&](double atoms, double kept) { return d * atoms + kept * inputs; };
        QVERIFY(numbers(k, sparsity) <= 0.8 * d * inputs);
        QVERIFY(numbers(k + 1, sparsity + 1) > 0.8 * d * inputs);
        // Four that share beat each by itself, which has as many bytes.
        RunSpecification alone = specification("none");
        alone.layers = s.layers;
        executeRun(alone, place("alone"), {});
        double together = 0;
        double apart = 0;
        for (const std::string& layer : layers) {
            together += matrixOf(run, layer).record.relativeError;
            apart += matrixOf(place("alone"), layer).record.relativeError;
        }
        QVERIFY2(together < apart, qPrintable(QString("%1 %2").arg(together).arg(apart)));
    }

    void bytesAreToldOnceAndItResumesToTheSameBits() {
        const fs::path run = place("whole");
        const RunSpecification s = specification();
        executeRun(s, run, {});
        const nlohmann::json result = readRunJson(run / "result.json", "");
        QCOMPARE(result.at("bytes").get<std::int64_t>(), bytesIn(run / "matrices"));
        const Eigen::MatrixXf logits = small_runs::logitsOf(loadModelOrRun(run.string()));
        // The folder is a model by itself.
        fs::copy(run / "model", place("folder"), fs::copy_options::recursive);
        QCOMPARE(small_runs::logitsOf(loadModelOrRun(place("folder").string())), logits);
        fs::remove(run / "matrices" / "blk.1.ffn_down.safetensors");
        int made = 0;
        RunExecution execution;
        execution.onEvent = [&](const nlohmann::json& event) {
            made += event.at("event") == "matrix_finished" ? 1 : 0;
        };
        executeRun(s, run, execution);
        QCOMPARE(made, 4);
        QCOMPARE(small_runs::logitsOf(loadModelOrRun(run.string())), logits);
    }

    // Refinement moves the shared dictionary as one.
    void isRefined() {
        RunSpecification s = specification();
        s.refine = 64;
        s.refineRate = 0.002;
        const fs::path run = place("refined");
        executeRun(s, run, {});
        const StoredMatrix first = matrixOf(run, "blk.0.attn_output");
        const StoredMatrix last = matrixOf(run, "blk.1.ffn_down");
        QVERIFY(sparseFactors(first.weight)->dictionary == sparseFactors(last.weight)->dictionary);
        const RefinementGain gain = refinementGainIn(run);
        QVERIFY2(gain.after < gain.before,
                 qPrintable(QString("%1 %2").arg(gain.before).arg(gain.after)));
    }
};

COSPADI_TEST(TestOutputGroups)

}  // namespace tst_output_groups

#include "tst_output_groups.moc"
