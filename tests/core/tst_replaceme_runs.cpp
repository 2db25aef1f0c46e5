// Runs of ReplaceMe: a model with fewer blocks from run to file and back, blocks that do nothing,
// going on, and what is refused.
#include <Eigen/Core>
#include <QtTest>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <vector>

#include "core/exports/compressed_model.h"
#include "core/exports/export_model.h"
#include "core/forms/matrix_record.h"
#include "core/forms/removed/removed_weight.h"
#include "core/methods/block_method.h"
#include "core/methods/planned_storage.h"
#include "core/methods/replaceme/replaceme_method.h"
#include "core/model/kept_blocks.h"
#include "core/run/compression_run.h"
#include "core/run/derived_run.h"
#include "core/run/requantize_run.h"
#include "core/run/slice_run.h"
#include "core/store/run_file.h"
#include "core/tensors/gguf.h"
#include "core/tensors/safetensors.h"
#include "tests/core/message_of.h"
#include "tests/core/replaceme_fixture.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_replaceme_runs {

using namespace cospadi;
using namespace replaceme_fixture;
using Eigen::MatrixXf;
using small_runs::logitsOf;

class TestReplaceMeRuns : public QObject, ReplaceMeFixture {
    Q_OBJECT
    fs::path m_idle;  // of which blocks 2 and 3 do nothing

    fs::path exported(const fs::path& run, ExportFormat format, const std::string& name) const {
        ExportRequest request;
        request.model = run.string();
        request.format = format;
        request.out = place(name);
        return exportModel(request).value().path;
    }

    std::string refusal(const json& fields) const {
        return messageOf([&] { executeRun(specification(m_model, fields), place("refused"), {}); });
    }

  private slots:
    void initTestCase() {
        makeRun();
        m_idle = makeDeepModel(place("idle"), {2, 3});
    }

    // Blocks that add nothing are found, and nothing changes without them: T = I to the last bit.
    // The run computes with bfloat16 weights as they are, which rounds sums otherwise.
    void blocksThatDoNothingAreFound() {
        const fs::path run = place("idle-run");
        executeRun(specification(m_idle), run, {});
        QCOMPARE(leftOutBlocks(run / "matrices"), (std::vector<std::int64_t>{2, 3}));
        const MatrixXf original = logitsOf(Model::load(m_idle));
        const Model fewer = Model::load(exported(run, ExportFormat::HuggingFace, "idle-hf"));
        QCOMPARE(fewer.config().blocks, kBlocks - 2);
        QVERIFY(logitsOf(fewer) == original);
        const MatrixXf logits = logitsOf(loadModelOrRun(run.string()));
        QVERIFY(relative(logits.cast<double>(), original.cast<double>()) < 1e-4);
        const json choice = readRunJson(run / "blocks.json", "");
        QCOMPARE(choice.at("error_without").get<double>(), 0.0);
        QCOMPARE(choice.at("error_with").get<double>(), 0.0);
        QVERIFY(choice.at("distances").at(1).get<double>() < 1e-6);
    }

    void bytesAreThoseOfTheFiles() {
        const json result = readRunJson(m_run / "result.json", "");
        std::int64_t files = 0;
        std::int64_t dense = 0;
        int removed = 0;
        for (const json& matrix : result.at("matrices")) {
            const MatrixRecord record = matrixRecordFromJson(matrix);
            const fs::path file = unitFile(m_run / "matrices", record.name);
            dense += 2 * record.d1 * record.d2;
            if (record.form == "removed") {
                QCOMPARE(record.bytes, std::int64_t{0});
                QVERIFY(SafetensorsFile::open(file).tensors().empty());
                ++removed;
                continue;
            }
            QCOMPARE(record.form, std::string("dense"));
            QCOMPARE(record.bytes, static_cast<std::int64_t>(fs::file_size(file)));
            files += record.bytes;
        }
        QCOMPARE(removed, 2 * 7);
        QCOMPARE(result.at("bytes").get<std::int64_t>(), files);
        QCOMPARE(result.at("dense_bytes").get<std::int64_t>(), dense);
        const double stays = 1 - 2.0 / kBlocks;
        QCOMPARE(static_cast<double>(result.at("multiplications").get<std::int64_t>()),
                 stays * static_cast<double>(dense) / 2);
        const StoragePlan plan =
            plannedStorage(specification(m_model), Model::load(m_model).layers());
        QCOMPARE(plan.bytes(), stays * static_cast<double>(dense));
    }

    // Layers that stay are those of the model; the ones behind the row have moved up.
    void modelHasFewerBlocks() {
        const std::vector<std::int64_t> leftOut = leftOutBlocks(m_run / "matrices");
        const KeptBlocks kept(kBlocks, leftOut, "");
        const Model original = Model::load(m_model);
        const Model model = loadModelOrRun(m_run.string());
        QCOMPARE(model.config().blocks, kBlocks - 2);
        QCOMPARE(model.layers().size(), std::size_t{(kBlocks - 2) * 7});
        const std::string last = layerName(leftOut.front() - 1, "ffn_down");
        for (const LayerInfo& layer : model.layers()) {
            const std::string name = kept.originalName(layer.name);
            if (name != last) {
                QVERIFY2(model.weight(layer.name) == original.weight(name), name.c_str());
            }
        }
        for (std::int64_t block = 0; block < kBlocks - 2; ++block) {
            QVERIFY(model.attentionNorm(block) == original.attentionNorm(kept.original(block)));
            QVERIFY(model.feedForwardNorm(block) == original.feedForwardNorm(kept.original(block)));
        }
    }

    void exportsHaveFewerBlocks() {
        const Model run = loadModelOrRun(m_run.string());
        const MatrixXf logits = logitsOf(run);
        QVERIFY(logitsOf(loadModelOrRun((m_run / "model").string())) == logits);

        const fs::path folder = exported(m_run, ExportFormat::HuggingFace, "hf");
        const json config = readRunJson(folder / "config.json", "");
        QCOMPARE(config.at("num_hidden_layers").get<std::int64_t>(), kBlocks - 2);
        QCOMPARE(config.at("layer_types").size(), std::size_t{kBlocks - 2});
        const Model dense = Model::load(folder);
        const MatrixXf densely = logitsOf(dense);
        for (const LayerInfo& layer : run.layers()) {
            QVERIFY2(dense.weight(layer.name) == run.weight(layer.name), layer.name.c_str());
        }
        QVERIFY(relative(densely.cast<double>(), logits.cast<double>()) < 1e-4);

        const fs::path gguf = exported(m_run, ExportFormat::Gguf, "fewer.gguf");
        QCOMPARE(GgufFile::open(gguf).integer("llama.block_count").value_or(0), kBlocks - 2);
        QVERIFY(logitsOf(Model::load(gguf)) == densely);

        QVERIFY(messageOf([&] {
                    exported(m_run, ExportFormat::HuggingFaceFactors, "factors");
                }).find("has no factors") != std::string::npos);
    }

    // Of a GGUF file its own metadata is carried over, and its rows are in another order.
    void ggufFilesLoseBlocksToo() {
        ExportRequest request;
        request.model = m_model.string();
        request.format = ExportFormat::Gguf;
        request.out = place("whole.gguf");
        const fs::path whole = exportModel(request).value().path;
        const fs::path run = place("gguf-run");
        executeRun(specification(whole), run, {});
        QCOMPARE(leftOutBlocks(run / "matrices"), leftOutBlocks(m_run / "matrices"));
        const fs::path gguf = exported(run, ExportFormat::Gguf, "fewer-of-gguf.gguf");
        QCOMPARE(GgufFile::open(gguf).integer("llama.block_count").value_or(0), kBlocks - 2);
        const MatrixXf logits = logitsOf(Model::load(gguf));
        QVERIFY(logits ==
                logitsOf(Model::load(exported(run, ExportFormat::HuggingFace, "of-gguf"))));
        QVERIFY(logitsOf(loadModelOrRun((run / "model").string())) ==
                logitsOf(loadModelOrRun(run.string())));
    }

    // Stopped before the row was chosen, and in the midst of the matrices; then with the choice
    // alone, and with the changed layer's file gone.
    void goesOnToEqualBits() {
        const fs::path run = place("stopped");
        const RunSpecification s = specification(m_model);
        std::stop_source stop;
        RunExecution execution;
        execution.threads = 1;
        int finished = 0;
        const auto stopAt = [&](const char* kind, int count) {
            stop = std::stop_source();
            finished = 0;
            execution.onEvent = [&, kind, count](const json& event) {
                if (event.at("event") == kind && ++finished == count) {
                    stop.request_stop();
                }
            };
            return executeRun(s, run, execution, stop.get_token()).termination;
        };
        QCOMPARE(stopAt("progress", 3), Termination::Cancelled);
        QVERIFY(!fs::exists(run / "blocks.json"));
        QCOMPARE(stopAt("matrix_finished", 4), Termination::Cancelled);
        QVERIFY(fs::exists(run / "blocks.json"));
        executeRun(s, run, {});
        const auto sameAsWhole = [&] {
            const Model model = Model::load(m_model);
            for (const LayerInfo& layer : model.layers()) {
                QVERIFY2(weightIn(run, layer.name)->equals(*weightIn(m_run, layer.name)),
                         layer.name.c_str());
            }
            QCOMPARE(readRunJson(run / "blocks.json", ""), readRunJson(m_run / "blocks.json", ""));
        };
        sameAsWhole();
        const auto first = readRunJson(run / "blocks.json", "").at("first").get<std::int64_t>();
        fs::remove(unitFile(run / "matrices", layerName(first - 1, "ffn_down")));
        fs::remove(unitFile(run / "matrices", layerName(first, "attn_v")));
        executeRun(s, run, {});
        sameAsWhole();
        // Another choice than the run's own is no choice of it.
        json wrong = readRunJson(run / "blocks.json", "");
        wrong["first"] = kBlocks;
        std::ofstream(run / "blocks.json") << wrong.dump();
        fs::remove(unitFile(run / "matrices", "blk.0.attn_q"));
        QVERIFY(messageOf([&] { executeRun(s, run, {}); }).find("not those of this run") !=
                std::string::npos);
    }

    void refusesByName_data() {
        QTest::addColumn<QString>("fields");
        QTest::addColumn<QString>("where");  // what the message begins with, the field to change
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const json& fields, const char* where,
                            const char* words) {
            QTest::newRow(name) << QString::fromStdString(fields.dump()) << where << words;
        };
        const char* ofLayers = "has no settings of single layers";
        row("all blocks", {{"blocks", kBlocks}}, "blocks", "6 of 6 blocks cannot be removed");
        row("ratio", {{"blocks", 0}, {"cr", 0.9}}, "cr", "6 of 6 blocks cannot be removed");
        row("layers", {{"layers", "ffn_"}}, "layers", "18 of 42 layers are chosen");
        row("allocation", {{"allocation", "knapsack"}}, "allocation", ofLayers);
        row("ratios", {{"ratios", {{"blk.0.attn_q", 0.5}}}}, "ratios", ofLayers);
        row("propagation", {{"propagation", "input"}}, "propagation", ofLayers);
        row("groups", {{"groups", "inputs"}}, "groups", ofLayers);
        row("refine", {{"refine", 8}}, "refine", ofLayers);
        row("rho", {{"rho", "auto"}}, "rho", ofLayers);
        row("few tokens", {{"calibration", {{"sequences", 1}, {"length", 32}}}}, "calibration",
            "32 tokens do not determine a map");
        row("no text", {{"calibration", {{"text", "/nowhere/text.txt"}}}}, "/nowhere/text.txt", "");
    }

    void refusesByName() {
        QFETCH(QString, fields);
        QFETCH(QString, where);
        QFETCH(QString, words);
        const std::string message = refusal(json::parse(fields.toStdString()));
        QVERIFY2(message.starts_with(where.toStdString() + ": "), message.c_str());
        QVERIFY2(message.find(words.toStdString()) != std::string::npos, message.c_str());
        QVERIFY(!fs::exists(place("refused")));
    }

    void refusesWhatItCannotChange() {
        const fs::path biased = place("biased");
        fs::copy(m_model, biased, fs::copy_options::recursive);
        json config = readRunJson(biased / "config.json", "");
        config["mlp_bias"] = true;
        std::ofstream(biased / "config.json") << config.dump();
        const auto refused = [](const std::function<void()>& action, const char* words) {
            const std::string message = messageOf(action);
            QVERIFY2(message.find(words) != std::string::npos, message.c_str());
        };
        refused([&] { executeRun(specification(biased), place("refused"), {}); }, "has a bias");
        refused([&] { sliceRun(m_run, "ffn_"); }, "removes whole blocks");
        refused([&] { requireRequantizable(openFinishedRun(m_run), 12); }, "has no coefficients");
        refused([] { requireLayerMethod(replaceMeMethod()); }, "cannot compress a single layer");
    }
};

COSPADI_TEST(TestReplaceMeRuns)

}  // namespace tst_replaceme_runs

#include "tst_replaceme_runs.moc"
