// Every supported architecture against float64 results of transformers, made by
// tests/data/arch/make_reference.py: what is not in shared/oracle/arch (see tst_forward.cpp).
// cleanupTestCase() prints the table of the largest deviations.
#include <QTemporaryDir>
#include <algorithm>
#include <map>

#include "core/model/forward.h"
#include "core/tensors/gguf_writer.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_model_architectures {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;

namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 5e-4;  // logits; ARCH_AND_TOKENIZERS.md of the oracle

fs::path dataFolder() { return fs::path(COSPADI_TEST_DATA) / "arch"; }

nlohmann::json jsonOf(const fs::path& path) { return nlohmann::json::parse(oracle::text(path)); }

// A folder with the weights of a variant and another config.json.
fs::path folderWith(const QTemporaryDir& place, const fs::path& variant,
                    const std::string& config) {
    const fs::path folder = place.path().toStdString();
    fs::copy_file(variant / "model.safetensors", folder / "model.safetensors");
    std::ofstream(folder / "config.json") << config;
    return folder;
}

}  // namespace

class TestModelArchitectures : public QObject {
    Q_OBJECT

    ThreadPool m_pool;
    std::map<std::string, double> m_deviations;

    void compare(const fs::path& path, const fs::path& variant, const std::string& label) {
        const Model model = Model::load(path, {&m_pool, {}});
        const SafetensorsFile expected = SafetensorsFile::open(variant / "oracle.safetensors");
        Ids ids = oracle::values<std::int32_t>(expected.require("ids"));
        const Ids positions = oracle::values<std::int32_t>(expected.require("positions"));
        const auto logits = oracle::values<float>(expected.require("logits"));
        ForwardPass pass(model, m_pool);
        const Eigen::MatrixXf ours =
            pass.logits(pass.hiddenStates(ids, static_cast<std::int64_t>(ids.size())));
        const auto vocabulary = static_cast<std::size_t>(ours.rows());
        QCOMPARE(logits.size(), positions.size() * vocabulary);
        double worst = 0;
        for (std::size_t p = 0; p < positions.size(); ++p) {
            for (std::size_t v = 0; v < vocabulary; ++v) {
                const float value = ours(static_cast<Eigen::Index>(v), positions[p]);
                worst = std::max(worst, std::abs(static_cast<double>(value) -
                                                 static_cast<double>(logits[p * vocabulary + v])));
            }
        }
        m_deviations[label] = worst;
        QVERIFY2(worst < kTolerance, qPrintable(QString::number(worst)));

        for (const std::int32_t next : oracle::values<std::int32_t>(expected.require("greedy"))) {
            const Eigen::MatrixXf hidden =
                pass.hiddenStates(ids, static_cast<std::int64_t>(ids.size()));
            Eigen::Index best = 0;
            pass.logits(hidden.rightCols(1)).col(0).maxCoeff(&best);
            QCOMPARE(static_cast<std::int32_t>(best), next);
            ids.push_back(next);
        }
    }

  private slots:
    void logitsAndGreedy_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<QString>("config");
        std::vector<fs::path> folders;
        for (const auto& entry : fs::directory_iterator(dataFolder())) {
            if (entry.is_directory()) {
                folders.push_back(entry.path());
            }
        }
        std::sort(folders.begin(), folders.end());
        QCOMPARE(folders.size(), std::size_t{10});
        for (const fs::path& folder : folders) {
            const QString name = QString::fromStdString(folder.filename().string());
            for (const char* config : {"config.json", "config_old.json", "model.gguf"}) {
                if (fs::exists(folder / config)) {
                    QTest::newRow(qPrintable(name + " " + config)) << name << config;
                }
            }
        }
    }

    void logitsAndGreedy() {
        QFETCH(const QString, variant);
        QFETCH(const QString, config);
        const fs::path folder = dataFolder() / variant.toStdString();
        QTemporaryDir place;
        const fs::path path =
            config.endsWith("gguf")
                ? folder / "model.gguf"
                : folderWith(place, folder, oracle::text(folder / config.toStdString()));
        compare(path, folder, QTest::currentDataTag());
    }

    // What the references must be able to see: a reader that overlooks the feature fails clearly.
    void referencesSeeTheFeature_data() {
        QTest::addColumn<QString>("variant");
        QTest::addColumn<QString>("change");
        const auto row = [](const char* variant, const char* change) {
            QTest::newRow(variant) << variant << change;
        };
        row("llama_biases", "{\"mlp_bias\":false}");
        row("llama31_long", "{\"rope_parameters\":{\"rope_type\":\"default\"}}");
        row("llama32", "{\"rope_parameters\":{\"rope_type\":\"linear\",\"factor\":32.0}}");
        row("smollm2", "{\"rope_parameters\":{\"rope_theta\":10000.0}}");
        row("mistral_window", "{\"sliding_window\":null}");
        row("qwen3", "{\"model_type\":\"llama\"}");  // no norms of q and k
    }

    void referencesSeeTheFeature() {
        QFETCH(const QString, variant);
        QFETCH(const QString, change);
        const fs::path folder = dataFolder() / variant.toStdString();
        nlohmann::json config = jsonOf(folder / "config.json");
        config.update(nlohmann::json::parse(change.toStdString()));
        QTemporaryDir place;
        const Model model = Model::load(folderWith(place, folder, config.dump()), {&m_pool, {}});
        const SafetensorsFile expected = SafetensorsFile::open(folder / "oracle.safetensors");
        const Ids ids = oracle::values<std::int32_t>(expected.require("ids"));
        const auto logits = oracle::values<float>(expected.require("logits"));
        ForwardPass pass(model, m_pool);
        const Eigen::MatrixXf ours =
            pass.logits(pass.hiddenStates(ids, static_cast<std::int64_t>(ids.size())).rightCols(1));
        const Eigen::Map<const Eigen::VectorXf> last(
            logits.data() + static_cast<std::ptrdiff_t>(logits.size()) - ours.rows(), ours.rows());
        const float change_ = (ours.col(0) - last).cwiseAbs().maxCoeff();
        QVERIFY2(change_ > 0.01F, qPrintable(QString::number(static_cast<double>(change_))));
    }

    // Inverse frequencies of published configurations, by transformers' own functions (float32).
    void ropeFrequencies() {
        const nlohmann::json cases = jsonOf(dataFolder() / "rope_frequencies.json");
        QCOMPARE(cases.size(), std::size_t{3});
        for (const auto& item : cases) {
            QTemporaryDir place;
            const fs::path file = place.filePath("config.json").toStdString();
            const auto dim = item["head_dim"].get<std::int64_t>();
            std::ofstream(file) << nlohmann::json{{"model_type", "llama"},
                                                  {"hidden_size", dim * 8},
                                                  {"num_attention_heads", 8},
                                                  {"max_position_embeddings", 131072},
                                                  {"rope_theta", item["rope_theta"]},
                                                  {"rope_scaling", item["rope_scaling"]}};
            const std::vector<double> ours = modelConfigFromHuggingFace(file).inverseFrequencies();
            const std::vector<double> expected = item["inverse_frequencies"];
            QCOMPARE(ours.size(), expected.size());
            for (std::size_t i = 0; i < ours.size(); ++i) {
                QVERIFY(std::abs(ours[i] - expected[i]) < 1e-6 * expected[i]);
            }
        }
    }

    // llama.cpp divides by both.
    void linearScalingBesideDivisors() {
        ModelConfig config;
        config.headDim = 4;
        config.rope.scaling = RopeScaling::Linear;
        config.rope.factor = 4;
        const std::vector<double> linear = config.inverseFrequencies();
        QCOMPARE(linear[0], 0.25);
        config.rope.divisors = {1, 8};
        QCOMPARE(config.inverseFrequencies(), (std::vector<double>{linear[0], linear[1] / 8}));
    }

    // Absent keys mean the defaults of transformers' class; class_defaults.json is what it says.
    void classDefaults() {
        const nlohmann::json classes = jsonOf(dataFolder() / "class_defaults.json");
        QCOMPARE(classes.size(), std::size_t{4});
        for (const auto& [type, expected] : classes.items()) {
            QTemporaryDir place;
            const fs::path file = place.filePath("config.json").toStdString();
            std::ofstream(file) << nlohmann::json{{"model_type", type}};
            const ModelConfig config = modelConfigFromHuggingFace(file);
            QCOMPARE(config.hiddenSize, expected["hidden_size"].get<std::int64_t>());
            QCOMPARE(config.intermediateSize, expected["intermediate_size"].get<std::int64_t>());
            QCOMPARE(config.blocks, expected["num_hidden_layers"].get<std::int64_t>());
            QCOMPARE(config.heads, expected["num_attention_heads"].get<std::int64_t>());
            QCOMPARE(config.keyValueHeads, expected["num_key_value_heads"].get<std::int64_t>());
            QCOMPARE(config.headDim, expected["head_dim"].is_null()
                                         ? config.hiddenSize / config.heads
                                         : expected["head_dim"].get<std::int64_t>());
            QCOMPARE(config.vocabularySize, expected["vocab_size"].get<std::int64_t>());
            QCOMPARE(config.contextLength, expected["max_position_embeddings"].get<std::int64_t>());
            QCOMPARE(config.normEpsilon, expected["rms_norm_eps"].get<double>());
            QCOMPARE(config.tiedEmbeddings, expected["tie_word_embeddings"].get<bool>());
            QCOMPARE(config.rope.theta, expected["rope_parameters"]["rope_theta"].get<double>());
            const nlohmann::json& window = expected["sliding_window"];
            QCOMPARE(config.slidingWindow, window.is_null() ? 0 : window.get<std::int64_t>());
            const nlohmann::json& begin = expected["bos_token_id"];
            QCOMPARE(config.bosId, begin.is_null() ? -1 : begin.get<std::int32_t>());
            QCOMPARE(config.eosIds.empty(), expected["eos_token_id"].is_null());
        }
    }

    // transformers generates by generation_config.json; what config.json names comes first.
    void endsOfGeneration() {
        QTemporaryDir place;
        const fs::path file = place.filePath("config.json").toStdString();
        const auto ends = [&](const nlohmann::json& ofConfig, const nlohmann::json& ofGeneration) {
            std::ofstream(file) << nlohmann::json{{"model_type", "qwen2"},
                                                  {"eos_token_id", ofConfig}};
            std::ofstream(file.parent_path() / "generation_config.json")
                << nlohmann::json{{"eos_token_id", ofGeneration}};
            return modelConfigFromHuggingFace(file).eosIds;
        };
        QCOMPARE(ends(7, {7, 5}), Ids({7, 5}));
        QCOMPARE(ends(7, {5, 7}), Ids({7, 5}));
        QCOMPARE(ends(nullptr, 5), Ids({5}));
        QCOMPARE(ends({7, 5}, nullptr), Ids({7, 5}));
        QVERIFY(oracle::errorOf([&] { ends(7, "7"); }).contains("generation_config.json"));
    }

    // A chat model's GGUF file names the end of a turn apart from that of the text.
    void endsOfGenerationInGguf() {
        QTemporaryDir place;
        const fs::path path = place.filePath("model.gguf").toStdString();
        const auto ends = [&](std::uint32_t turn, std::uint32_t message) {
            GgufMetadata metadata;
            metadata.copyFrom(GgufFile::open(dataFolder() / "qwen25/model.gguf"));
            metadata.setU32("tokenizer.ggml.eot_token_id", turn);
            metadata.setU32("tokenizer.ggml.eom_token_id", message);
            streamGguf(path, metadata, {});
            return modelConfigFromGguf(GgufFile::open(path)).eosIds;
        };
        QCOMPARE(ends(7, 5), Ids({2, 7, 5}));
        QCOMPARE(ends(7, 7), Ids({2, 7}));
        QCOMPARE(ends(2, UINT32_MAX), Ids({2}));  // as converters write none
    }

    // What cannot be computed is refused by name, before anything else is looked at.
    void unsupported_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("says");
        QTest::addColumn<QString>("hints");
        const auto row = [](const char* name, const char* change, const char* says,
                            const char* hints) { QTest::newRow(name) << change << says << hints; };
        const char* list = "llama, mistral, qwen2, qwen3";
        row("architecture", "{\"model_type\":\"gpt2\",\"hidden_act\":\"gelu_new\"}", "\"gpt2\"",
            list);
        row("no architecture", "{\"model_type\":null}", "\"\"", list);
        row("mixture by type", "{\"model_type\":\"mixtral\"}", "\"mixtral\"", list);
        row("mixture by experts", "{\"num_experts\":8}", "mixture of experts", list);
        row("mixture by local experts", "{\"num_local_experts\":8}", "mixture of experts", list);
        row("activation", "{\"hidden_act\":\"gelu\"}", "\"gelu\"", "silu");
        row("yarn", "{\"rope_parameters\":{\"rope_type\":\"yarn\",\"factor\":4.0}}", "\"yarn\"",
            "default, linear, llama3");
        row("dynamic",
            "{\"rope_scaling\":{\"type\":\"dynamic\",\"factor\":4.0},"
            "\"rope_parameters\":null}",
            "\"dynamic\"", "default, linear, llama3");
        row("longrope", "{\"rope_parameters\":{\"rope_type\":\"longrope\"}}", "\"longrope\"",
            "default, linear, llama3");
        row("partial rope", "{\"partial_rotary_factor\":0.5}", "part of each head",
            "partial_rotary_factor");
        row("partial rope inside",
            "{\"rope_parameters\":{\"rope_type\":\"default\",\"partial_rotary_factor\":0.5}}",
            "part of each head", "partial_rotary_factor");
        row("quantised", "{\"quantization_config\":{\"quant_method\":\"gptq\"}}",
            "quantization_config", "GGUF");
        row("some layers slide",
            "{\"model_type\":\"qwen2\",\"use_sliding_window\":true,\"sliding_window\":16,"
            "\"max_window_layers\":1}",
            "sliding window in some layers", "Mistral");
        row("layer types",
            "{\"model_type\":\"qwen3\",\"use_sliding_window\":true,"
            "\"layer_types\":[\"full_attention\",\"sliding_attention\"]}",
            "sliding window in some layers", "Mistral");
    }

    void unsupported() {
        QFETCH(const QString, change);
        QFETCH(const QString, says);
        QFETCH(const QString, hints);
        const fs::path folder = dataFolder() / "llama_biases";
        nlohmann::json config = jsonOf(folder / "config.json");
        config.update(nlohmann::json::parse(change.toStdString()));
        QTemporaryDir place;
        const fs::path copy = folderWith(place, folder, config.dump());
        const QString error = oracle::errorOf([&] { Model::load(copy, {&m_pool, {}}); });
        QVERIFY2(error.contains(says) && error.contains(hints) && error.contains("config.json"),
                 qPrintable(error));
    }

    // use_sliding_window without a layer that it concerns computes the same.
    void windowWithoutLayers() {
        const fs::path folder = dataFolder() / "qwen25";
        nlohmann::json config = jsonOf(folder / "config.json");
        config.update(
            {{"use_sliding_window", true}, {"sliding_window", 16}, {"max_window_layers", 2}});
        config.erase("layer_types");
        QTemporaryDir place;
        compare(folderWith(place, folder, config.dump()), folder, "qwen25 idle window");
    }

    void missingBias() {
        const fs::path folder = dataFolder() / "llama2";
        nlohmann::json config = jsonOf(folder / "config.json");
        config["attention_bias"] = true;
        QTemporaryDir place;
        const fs::path copy = folderWith(place, folder, config.dump());
        const QString error = oracle::errorOf([&] { Model::load(copy, {&m_pool, {}}); });
        QVERIFY2(error.contains("q_proj.bias"), qPrintable(error));
    }

    void cleanupTestCase() {
        for (const auto& [label, deviation] : m_deviations) {
            qInfo("%-34s largest deviation %.1e", label.c_str(), deviation);
        }
    }
};

COSPADI_TEST(TestModelArchitectures)

}  // namespace tst_model_architectures

#include "tst_model_architectures.moc"
