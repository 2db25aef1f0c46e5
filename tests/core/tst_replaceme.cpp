// ReplaceMe: the map against least squares by QR in double on hidden states that hooks give, the
// choice of blocks against their cosines, blocks that do nothing, and a model with fewer blocks
// from run to file and back.
#include <Eigen/QR>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/calibration/block_statistics.h"
#include "core/exports/compressed_model.h"
#include "core/exports/export_model.h"
#include "core/forms/matrix_file.h"
#include "core/forms/removed/removed_weight.h"
#include "core/methods/block_method.h"
#include "core/methods/planned_storage.h"
#include "core/methods/replaceme/replaceme_method.h"
#include "core/model/forward.h"
#include "core/model/kept_blocks.h"
#include "core/run/compression_run.h"
#include "core/run/requantize_run.h"
#include "core/run/slice_run.h"
#include "core/store/run_file.h"
#include "core/tensors/gguf.h"
#include "core/tensors/safetensors.h"
#include "core/tensors/safetensors_writer.h"
#include "message_of.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/core/oracle_data.h"
#include "tests/gpu/small_model.h"
#include "tests/registered_test.h"

namespace tst_replaceme {

using namespace cospadi;
using Eigen::MatrixXd;
using Eigen::MatrixXf;
using nlohmann::json;
using small_runs::logitsOf;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBlocks = 6;
constexpr std::int64_t kSequences = 40;
constexpr std::int64_t kLength = 64;
constexpr std::int64_t kHidden = 64;

struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<std::uint16_t> values;
};

// A tensor of block `of` of the small model for block `block` of a deeper one: rows turned, so that
// no two blocks are alike.
Tensor turned(const TensorView& view, std::int64_t block, const std::string& rest, bool zero) {
    const std::vector<float> values = view.toFloat();
    const std::int64_t rows = view.shape.front();
    const auto width = static_cast<std::int64_t>(values.size()) / rows;
    Tensor tensor{"model.layers." + std::to_string(block) + "." + rest, view.shape, {}};
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < width; ++i) {
            const float value =
                values[static_cast<std::size_t>((row + 5 * block) % rows * width + i)];
            tensor.values.push_back(bf16FromFloat(zero ? 0 : value));
        }
    }
    return tensor;
}

// The small model with kBlocks blocks, in bfloat16; the idle ones add nothing to the stream.
fs::path makeDeepModel(const fs::path& folder, const std::set<std::int64_t>& idle = {}) {
    makeSmallModel(folder);
    std::vector<Tensor> tensors;
    {
        const SafetensorsFile small = SafetensorsFile::open(folder / "model.safetensors");
        const std::string prefix = "model.layers.";
        for (const TensorView& view : small.tensors()) {
            if (!view.name.starts_with(prefix)) {
                Tensor plain{view.name, view.shape, {}};
                for (const float value : view.toFloat()) {
                    plain.values.push_back(bf16FromFloat(value));
                }
                tensors.push_back(std::move(plain));
                continue;
            }
            const std::string rest = view.name.substr(prefix.size() + 2);
            const bool writes = rest.find("o_proj") != std::string::npos ||
                                rest.find("down_proj") != std::string::npos;
            for (std::int64_t block = view.name[prefix.size()] - '0'; block < kBlocks; block += 2) {
                tensors.push_back(turned(view, block, rest, writes && idle.contains(block)));
            }
        }
    }
    std::vector<TensorToWrite> write;
    for (const Tensor& tensor : tensors) {
        write.push_back({tensor.name, DType::BF16, tensor.shape,
                         std::as_bytes(std::span<const std::uint16_t>(tensor.values))});
    }
    writeSafetensors(folder / "model.safetensors", write, {{"format", "pt"}});
    json config = readRunJson(folder / "config.json", "");
    config["num_hidden_layers"] = kBlocks;
    config["dtype"] = "bfloat16";
    config["layer_types"] = std::vector<std::string>(kBlocks, "full_attention");
    std::ofstream(folder / "config.json") << config.dump();
    return folder;
}

// What the model computes on the calibration's tokens, a token a row.
struct Traced {
    std::vector<MatrixXd> hidden;  // behind every block
    std::vector<MatrixXd> inputs;  // of every ffn_down
};

Traced traced(const Model& model, const CalibrationOptions& options) {
    const auto ids = sampleSequences(model.tokenizer(), options);
    Traced traced{std::vector<MatrixXd>(kBlocks), std::vector<MatrixXd>(kBlocks)};
    ForwardHooks hooks;
    hooks.residual = [&](std::int64_t block, const Eigen::Ref<const MatrixXf>& h) {
        if (block >= 0) {
            traced.hidden[static_cast<std::size_t>(block)] = h.transpose().cast<double>();
        }
    };
    hooks.linearInput = [&](const std::string& key, const Eigen::Ref<const MatrixXf>& x) {
        for (std::int64_t block = 0; block < kBlocks; ++block) {
            if (key == gramKeyOf(block, "ffn_down")) {
                traced.inputs[static_cast<std::size_t>(block)] = x.transpose().cast<double>();
            }
        }
    };
    ThreadPool pool(2);
    ForwardPass(model, pool).hiddenStates(ids, options.length, hooks);
    return traced;
}

double relative(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

StoredWeightPtr weightIn(const fs::path& run, const std::string& layer) {
    return readMatrixFile(unitFile(run / "matrices", layer)).weight;
}

json resultOf(const fs::path& run) { return readRunJson(run / "result.json", ""); }

}  // namespace

class TestReplaceMe : public QObject, OwnFolder {
    Q_OBJECT
    fs::path m_model;
    fs::path m_idle;  // of which blocks 2 and 3 do nothing
    fs::path m_run;   // of m_model, two blocks left out

    RunSpecification specification(const fs::path& model,
                                   const json& fields = json::object()) const {
        RunSpecification usual;
        usual.calibration = small_runs::onText(kSequences, kLength);
        json all{{"method", "replaceme"},
                 {"model", model.string()},
                 {"blocks", 2},
                 {"calibration", toJson(usual).at("calibration")}};
        all.update(fields, true);
        return runSpecificationFromJson(all);
    }

    CalibrationOptions calibration() const { return calibrationOptionsOf(specification(m_model)); }

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
        QVERIFY(m_folder.isValid());
        qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
        m_model = makeDeepModel(place("model"));
        m_idle = makeDeepModel(place("idle"), {2, 3});
        m_run = place("run");
        executeRun(specification(m_model), m_run, {});
    }

    void blocksOfARatio_data() {
        QTest::addColumn<double>("cr");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("leftOut");
        QTest::newRow("to the block") << 0.2 << 30 << 6;
        QTest::newRow("a rounded product") << 0.1 << 30 << 3;
        QTest::newRow("at least") << 0.25 << 30 << 8;
        QTest::newRow("one") << 0.001 << 30 << 1;
        QTest::newRow("all but one") << 0.8 << 5 << 4;
    }

    void blocksOfARatio() {
        QFETCH(double, cr);
        QFETCH(int, blocks);
        QFETCH(int, leftOut);
        MatrixOptions options;
        options.method = &replaceMeMethod();
        options.cr = cr;
        QCOMPARE(replaceMeMethod().blocksLeftOut(options, blocks), std::int64_t{leftOut});
    }

    // T by QR of M itself, whose error grows with cond(M) and not its square; told in what the map
    // does to M, where that condition has no part. Single precision of the forward pass leaves
    // 1e-6; ridge as rows √α I below M.
    void mapIsThatOfLeastSquares_data() {
        QTest::addColumn<double>("ridge");
        QTest::newRow("none") << 0.0;
        QTest::newRow("ridge") << 0.01;
    }

    void mapIsThatOfLeastSquares() {
        QFETCH(double, ridge);
        const Model model = Model::load(m_model);
        const Traced t = traced(model, calibration());
        constexpr std::size_t kFirst = 3;
        const MatrixXd m = t.inputs[kFirst - 1] * model.weight("blk.2.ffn_down").cast<double>();
        const MatrixXd wanted = t.hidden[kFirst + 1] + m - t.hidden[kFirst - 1];
        MatrixXd rows(m.rows() + kHidden, kHidden);
        MatrixXd right = MatrixXd::Zero(m.rows() + kHidden, kHidden);
        const double alpha = ridge * m.squaredNorm() / kHidden;
        rows << m, std::sqrt(alpha) * MatrixXd::Identity(kHidden, kHidden);
        right.topRows(m.rows()) = wanted;
        const MatrixXd reference = rows.householderQr().solve(right);

        ThreadPool pool(2);
        const RowSums sums = sumsOfRow(model, pool, calibration(), kFirst, 2).value();
        QCOMPARE(sums.tokens, kSequences * kLength);
        MatrixOptions options;
        options.method = &replaceMeMethod();
        options.ridge = ridge;
        const MatrixXd map = replaceMeMethod().transform(options, sums);
        const double off = relative(m * map, m * reference);
        QVERIFY2(off < 1e-5, QByteArray::number(off));

        // … and it is worth having: the hidden states behind come nearer, as both are told.
        const MatrixXd before = t.hidden[kFirst - 1];
        const double with = relative(before - m + m * reference, t.hidden[kFirst + 1]);
        const double without = relative(before, t.hidden[kFirst + 1]);
        QVERIFY(with < without);
        QVERIFY(std::abs(hiddenError(sums, map) - with) < 1e-4 * with);
        QVERIFY(std::abs(hiddenError(sums, MatrixXd::Identity(kHidden, kHidden)) - without) <
                1e-4 * without);
    }

    // Rounded to bfloat16, half a unit in the last of eight bits, twice as much at the most.
    void foldedIntoTheLayerBefore() {
        const json choice = readRunJson(m_run / "blocks.json", "");
        const auto first = choice.at("first").get<std::int64_t>();
        const Model model = Model::load(m_model);
        ThreadPool pool(2);
        const RowSums sums = sumsOfRow(model, pool, calibration(), first, 2).value();
        MatrixOptions options;
        options.method = &replaceMeMethod();
        const std::string last = layerName(first - 1, "ffn_down");
        const MatrixXd w = model.weight(last).cast<double>();
        const MatrixXd wanted = w * replaceMeMethod().transform(options, sums);
        const MatrixXd stored = weightIn(m_run, last)->recomposed().cast<double>();
        QVERIFY(relative(stored, wanted) < 1.0 / 256);
        QVERIFY(relative(stored, w) > 0.01);  // it is another weight
    }

    void leastDistantBlocksAreLeftOut() {
        const Model model = Model::load(m_model);
        const Traced t = traced(model, calibration());
        std::vector<double> distances;
        for (std::size_t first = 1; first + 2 <= kBlocks; ++first) {
            double sum = 0;
            for (Eigen::Index i = 0; i < t.hidden[0].rows(); ++i) {
                sum += 1 - t.hidden[first - 1].row(i).normalized().dot(
                               t.hidden[first + 1].row(i).normalized());
            }
            distances.push_back(sum / static_cast<double>(t.hidden[0].rows()));
        }
        const json choice = readRunJson(m_run / "blocks.json", "");
        const auto told = choice.at("distances").get<std::vector<double>>();
        QCOMPARE(told.size(), distances.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            QVERIFY(std::abs(told[i] - distances[i]) < 1e-5 * distances[i]);
        }
        const auto least = std::min_element(distances.begin(), distances.end());
        const std::int64_t first = 1 + (least - distances.begin());
        QCOMPARE(choice.at("first").get<std::int64_t>(), first);
        QCOMPARE(leftOutBlocks(m_run / "matrices"), (std::vector<std::int64_t>{first, first + 1}));
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
        const json result = resultOf(m_run);
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
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const json& fields, const char* words) {
            QTest::newRow(name) << QString::fromStdString(fields.dump()) << words;
        };
        row("all blocks", {{"blocks", kBlocks}}, "6 of 6 blocks cannot be left out");
        row("ratio", {{"blocks", 0}, {"cr", 0.9}}, "6 of 6 blocks cannot be left out");
        row("layers", {{"layers", "ffn_"}}, "18 of 42 layers are chosen");
        row("allocation", {{"allocation", "knapsack"}}, "layers have nothing of their own");
        row("ratios", {{"ratios", {{"blk.0.attn_q", 0.5}}}}, "layers have nothing of their own");
        row("propagation", {{"propagation", "input"}}, "layers have nothing of their own");
        row("groups", {{"groups", "inputs"}}, "layers have nothing of their own");
        row("refine", {{"refine", 8}}, "layers have nothing of their own");
        row("few tokens", {{"calibration", {{"sequences", 1}, {"length", 32}}}},
            "32 tokens do not determine a map");
        row("no text", {{"calibration", {{"text", "/nowhere/text.txt"}}}}, "/nowhere/text.txt");
    }

    void refusesByName() {
        QFETCH(QString, fields);
        QFETCH(QString, words);
        const std::string message = refusal(json::parse(fields.toStdString()));
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
        refused([&] { sliceRun(m_run, "ffn_"); }, "leaves whole blocks out");
        refused([&] { requireRequantizable(openFinishedRun(m_run), 12); }, "has no coefficients");
        refused([] { requireLayerMethod(replaceMeMethod()); }, "nothing for a layer by itself");
    }

    // One layer by itself stays where it is, and gives out nothing.
    void removedLayerOfABlockThatStays() {
        const RemovedWeight weight(3, 2);
        const auto layer = weight.makeLayer(7);
        ThreadPool pool(1);
        MatrixXf y = MatrixXf::Ones(5, 5);
        layer->apply(pool, MatrixXf::Ones(3, 4), y);
        QVERIFY(y == MatrixXf::Zero(2, 4));
        QVERIFY(layer->denseWeight() == weight.recomposed());
        QVERIFY(weight.equals(RemovedWeight(3, 2)) && !weight.equals(RemovedWeight(2, 3)));
    }

    void placesAndNamesOfBlocks() {
        const KeptBlocks kept(5, {1, 2}, "");
        QCOMPARE(kept.countOf(5), std::int64_t{3});
        QCOMPARE(kept.original(1), std::int64_t{3});
        QVERIFY(kept.placeOf(4) == std::int64_t{2} && !kept.placeOf(2));
        QCOMPARE(kept.originalName("blk.2.ffn_up"), std::string("blk.4.ffn_up"));
        QCOMPARE(kept.placedName("model.layers.3.mlp.up_proj.weight").value_or(""),
                 std::string("model.layers.1.mlp.up_proj.weight"));
        QVERIFY(!kept.placedName("blk.1.attn_q"));
        QCOMPARE(kept.placedName("model.norm.weight").value_or(""),
                 std::string("model.norm.weight"));
        const std::vector<std::vector<std::int64_t>> wrong{{5}, {-1}, {1, 1}, {0, 1, 2, 3, 4}};
        for (const auto& blocks : wrong) {
            QVERIFY_THROWS_EXCEPTION(Error, KeptBlocks(5, blocks, "here"));
        }
    }
};

COSPADI_TEST(TestReplaceMe)

}  // namespace tst_replaceme

#include "tst_replaceme.moc"
