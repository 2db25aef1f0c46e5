// Forward pass: logits, residuals and greedy ids against float64 references.
#include <QTemporaryDir>

#include "core/base/bfloat16.h"
#include "core/model/forward.h"
#include "core/tensors/safetensors_writer.h"
#include "following_tokens.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_forward {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;

namespace {

double largestDifference(const Eigen::MatrixXf& logits, const float* expected) {
    return static_cast<double>(
        (logits - Eigen::Map<const Eigen::MatrixXf>(expected, logits.rows(), logits.cols()))
            .cwiseAbs()
            .maxCoeff());
}

std::int32_t argmax(const Eigen::VectorXf& column) {
    Eigen::Index best = 0;
    column.maxCoeff(&best);
    return static_cast<std::int32_t>(best);
}

}  // namespace

class TestForward : public QObject {
    Q_OBJECT

    ThreadPool m_pool;

  private slots:
    void defaultModelLogits() {
        SKIP_WITHOUT_MODEL();
        SKIP_WITHOUT("logits.json");
        QElapsedTimer timer;
        timer.start();
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        qInfo("load: %lld ms", timer.elapsed());
        ForwardPass pass(model, m_pool);
        double worstProbability = 0;
        double worstLogit = 0;
        const auto references = oracle::json("logits.json");
        for (const auto& prompt : references["prompts"]) {
            const Ids ids = prompt["ids"];
            QCOMPARE(model.tokenizer().encode(prompt["prompt"].get<std::string>(), true), ids);
            const auto& reference = prompt["variants"]["numpy_fp64"];
            const auto length = static_cast<std::int64_t>(ids.size());
            const Eigen::MatrixXf hidden = pass.hiddenStates(ids, length);
            const auto probabilities = oracle::logProbabilities(pass, hidden.leftCols(length - 1),
                                                                std::span(ids).subspan(1));
            for (std::size_t i = 1; i < ids.size(); ++i) {
                worstProbability = std::max(
                    worstProbability,
                    std::abs(probabilities[i - 1] - reference["token_logprobs"][i].get<double>()));
            }
            const Eigen::MatrixXf logits = pass.logits(hidden);
            for (std::size_t i = 0; i < ids.size(); ++i) {
                QCOMPARE(argmax(logits.col(static_cast<Eigen::Index>(i))),
                         reference["greedy_ids"][i].get<std::int32_t>());
            }
            for (const auto& top : reference["next_top5"]) {
                worstLogit =
                    std::max(worstLogit, std::abs(static_cast<double>(logits(
                                                      top["id"].get<Eigen::Index>(), length - 1)) -
                                                  top["logit"].get<double>()));
            }
            const auto full = oracle::file("logits_prompt0.f32");
            if (prompt["prompt"] == "The capital of France is" && !full.empty()) {
                const std::string raw = oracle::text(full);
                QCOMPARE(raw.size(), static_cast<std::size_t>(logits.size()) * 4);
                std::vector<float> expected(raw.size() / 4);
                std::memcpy(expected.data(), raw.data(), raw.size());
                worstLogit = std::max(worstLogit, largestDifference(logits, expected.data()));
            }
        }
        qInfo("largest deviations: logit %.2e, log-probability %.2e", worstLogit, worstProbability);
        QVERIFY(worstLogit < 1e-3);
        QVERIFY(worstProbability < 1e-3);
    }

    void defaultModelResiduals() {
        SKIP_WITHOUT_MODEL();
        SKIP_WITHOUT("stages_prompt0.json");
        const Model model = Model::load(*oracle::defaultModel(), {&m_pool, {}});
        ForwardPass pass(model, m_pool);
        const auto json = oracle::json("stages_prompt0.json");
        const Ids ids = json["ids"];
        double worst = 0;
        int compared = 0;
        ForwardHooks hooks;
        hooks.residual = [&](std::int64_t block, const Eigen::Ref<const Eigen::MatrixXf>& x) {
            const std::string name = block < 0 ? "embd" : "blk." + std::to_string(block);
            const auto& stage = json["stages"][name];
            const Eigen::VectorXd last = x.col(x.cols() - 1).cast<double>();
            const double norm = stage["l2"];
            worst = std::max(worst, std::abs(last.norm() - norm) / norm);
            for (Eigen::Index i = 0; i < 8; ++i) {
                worst = std::max(
                    worst,
                    std::abs(last(i) - stage["first8"][static_cast<std::size_t>(i)].get<double>()) /
                        norm);
            }
            ++compared;
        };
        pass.hiddenStates(ids, static_cast<std::int64_t>(ids.size()), hooks);
        QCOMPARE(compared, 31);
        qInfo("largest deviation relative to the residual's norm: %.2e", worst);
        QVERIFY(worst < 1e-5);
    }

    void architectures_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("oldConfig");
        for (const char* name : {"a_llama_gqa", "b_llama3_rope", "d_qwen2", "f_llama_bf16_sharded",
                                 "h_llama_rope_linear"}) {
            QTest::newRow(name) << name << false;
            QTest::newRow(qPrintable(QString(name) + " old config")) << name << true;
        }
    }

    void architectures() {
        QFETCH(const QString, name);
        QFETCH(const bool, oldConfig);
        std::filesystem::path folder = oracle::file("arch/" + name.toStdString());
        if (folder.empty()) {
            QSKIP("reference results are absent: shared/oracle/arch");
        }
        QTemporaryDir other;
        if (oldConfig) {
            const std::filesystem::path copy = other.path().toStdString();
            for (const auto& item : std::filesystem::directory_iterator(folder)) {
                if (item.path().filename().string().starts_with("model")) {
                    std::filesystem::copy_file(item.path(), copy / item.path().filename());
                }
            }
            std::filesystem::copy_file(folder / "config_v4.json", copy / "config.json");
            folder = copy;
        }
        const Model model = Model::load(folder, {&m_pool, {}});
        QVERIFY(oracle::errorOf([&] { model.tokenizer(); }).contains("tokenizer.json"));
        const SafetensorsFile expected = SafetensorsFile::open(
            oracle::file("arch/" + name.toStdString() + "/oracle.safetensors"));
        const Ids ids = oracle::values<std::int32_t>(expected.require("ids"));
        const std::int64_t length = expected.require("ids").shape[1];
        ForwardPass pass(model, m_pool);
        const Eigen::MatrixXf logits = pass.logits(pass.hiddenStates(ids, length));

        const auto full = oracle::values<float>(expected.require("logits_seq0"));
        const double worst = largestDifference(logits.leftCols(length), full.data());
        const auto projection = oracle::values<std::int8_t>(expected.require("proj_matrix"));
        const auto projected = oracle::values<float>(expected.require("logits_proj"));
        const auto top = oracle::values<float>(expected.require("top8_logits"));
        const auto topIds = oracle::values<std::int32_t>(expected.require("top8_ids"));
        double worstTop = 0;
        double worstProjection = 0;
        for (Eigen::Index t = 0; t < 2 * length; ++t) {
            for (Eigen::Index j = 0; j < 8; ++j) {
                const auto at = static_cast<std::size_t>(8 * t + j);
                worstTop = std::max(worstTop,
                                    std::abs(static_cast<double>(logits(topIds[at], t) - top[at])));
            }
            for (Eigen::Index j = 0; j < 16; ++j) {
                double sum = 0;
                for (Eigen::Index v = 0; v < logits.rows(); ++v) {
                    sum += static_cast<double>(logits(v, t)) *
                           projection[static_cast<std::size_t>(16 * v + j)];
                }
                worstProjection = std::max(
                    worstProjection,
                    std::abs(sum -
                             static_cast<double>(projected[static_cast<std::size_t>(16 * t + j)])));
            }
        }
        qInfo("largest deviations: logit %.2e, top 8 %.2e, projection %.2e", worst, worstTop,
              worstProjection);
        QVERIFY(worst < 5e-4);
        QVERIFY(worstTop < 5e-4);
        QVERIFY(worstProjection < 5e-3);

        const auto greedy = oracle::values<std::int32_t>(expected.require("greedy_ids"));
        for (std::size_t s = 0; s < 2; ++s) {
            Ids sequence(ids.begin() + static_cast<std::ptrdiff_t>(s) * length,
                         ids.begin() + static_cast<std::ptrdiff_t>(s + 1) * length);
            for (std::size_t i = 0; i < 16; ++i) {
                const auto size = static_cast<std::int64_t>(sequence.size());
                const Eigen::MatrixXf hidden = pass.hiddenStates(sequence, size);
                sequence.push_back(argmax(pass.logits(hidden.rightCols(1)).col(0)));
                QCOMPARE(sequence.back(), greedy[16 * s + i]);
            }
        }
    }

    // All forms of a layer give the same answer behind the same interface.
    void layerForms() {
        const auto bf16 = [](float value) { return roundedToBf16(value); };
        const Eigen::MatrixXf B = Eigen::MatrixXf::Random(40, 7).unaryExpr(bf16);
        const Eigen::MatrixXf C = Eigen::MatrixXf::Random(7, 30).unaryExpr(bf16);
        const Eigen::MatrixXf X = Eigen::MatrixXf::Random(40, 11);
        const Eigen::MatrixXf expected = (B * C).transpose() * X;
        const std::unique_ptr<LinearLayer> forms[] = {
            std::make_unique<DenseLayer>(B * C, 1), std::make_unique<LowRankLayer>(B, C, 1),
            std::make_unique<SparseDictionaryLayer>(B, C, false, 1),
            std::make_unique<SparseDictionaryLayer>(C.transpose(), B.transpose(), true, 1)};
        for (const auto& layer : forms) {
            Eigen::MatrixXf Y;
            layer->apply(m_pool, X, Y);
            QVERIFY((Y - expected).norm() < 1e-5F * expected.norm());
            QVERIFY((layer->denseWeight() - B * C).norm() < 1e-5F);
            QCOMPARE(layer->d1(), std::int64_t{40});
            QCOMPARE(layer->d2(), std::int64_t{30});
        }
        QVERIFY(!oracle::errorOf([&] { LowRankLayer(B, B, 1); }).isEmpty());
        const PackedDenseLayer dense(C, 1);
        Eigen::MatrixXf Y;
        dense.apply(m_pool, X.topRows(7), Y);
        const Eigen::MatrixXf product = C.transpose() * X.topRows(7);
        QVERIFY((Y - product).norm() < 1e-5F * product.norm());
        QCOMPARE(dense.denseWeight(), C);
    }

    void replacedLayerAndThreads() {
        SKIP_WITHOUT("arch/a_llama_gqa/model.safetensors");
        Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}});
        ThreadPool one(1);
        Ids ids(192);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            ids[i] = static_cast<std::int32_t>(i * 7 % 512);
        }
        ForwardPass pass(model, m_pool);
        ForwardPass serial(model, one);
        QVERIFY((serial.hiddenStates(ids, 96).array() == pass.hiddenStates(ids, 96).array()).all());
        const Eigen::MatrixXf weight =
            model.weight("blk.1.ffn_up").unaryExpr([](float v) { return roundedToBf16(v); });
        model.replaceLayer("blk.1.ffn_up", std::make_unique<DenseLayer>(weight, 5));
        const Eigen::MatrixXf before = pass.hiddenStates(ids, 96);
        const Eigen::MatrixXf identity = Eigen::MatrixXf::Identity(64, 64);
        model.replaceLayer("blk.1.ffn_up",
                           std::make_unique<SparseDictionaryLayer>(identity, weight, false, 5));
        QVERIFY((pass.hiddenStates(ids, 96) - before).norm() < 1e-5F * before.norm());
        QVERIFY(!oracle::errorOf([&] {
                     model.replaceLayer("blk.1.ffn_up", std::make_unique<DenseLayer>(identity, 5));
                 }).isEmpty());
        QVERIFY(oracle::errorOf([&] { model.weight("blk.9.ffn_up"); }).contains("blk.9.ffn_up"));
        ids[3] = 512;
        QVERIFY(oracle::errorOf([&] { pass.hiddenStates(ids, 96); }).contains("512"));
    }

    void badConfigurations_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("says");
        QTest::newRow("architecture") << R"({"model_type":"mamba"})"
                                      << "mamba";
        QTest::newRow("activation") << R"({"hidden_act":"gelu"})"
                                    << "gelu";
        QTest::newRow("rope") << R"({"rope_parameters":{"rope_type":"yarn"}})"
                              << "yarn";
        QTest::newRow("zero heads") << R"({"num_attention_heads":0})"
                                    << "size";
        QTest::newRow("negative") << R"({"hidden_size":-64})"
                                  << "size";
        QTest::newRow("text") << R"({"hidden_size":"64"})"
                              << "hidden_size";
        QTest::newRow("uneven heads") << R"({"num_key_value_heads":3})"
                                      << "multiple";
        QTest::newRow("other width") << R"({"intermediate_size":161})"
                                     << "shape";
        QTest::newRow("more layers") << R"({"num_hidden_layers":3})"
                                     << "layers.2";
        QTest::newRow("absurd layers") << R"({"num_hidden_layers":16000000})"
                                       << "model";
    }

    void badConfigurations() {
        SKIP_WITHOUT("arch/a_llama_gqa/model.safetensors");
        QFETCH(const QString, change);
        QFETCH(const QString, says);
        QTemporaryDir other;
        const std::filesystem::path folder = other.path().toStdString();
        std::filesystem::copy_file(oracle::file("arch/a_llama_gqa/model.safetensors"),
                                   folder / "model.safetensors");
        auto config = oracle::json("arch/a_llama_gqa/config.json");
        config.update(nlohmann::json::parse(change.toStdString()));
        std::ofstream(folder / "config.json") << config;
        const QString error = oracle::errorOf([&] { Model::load(folder, {&m_pool, {}}); });
        QVERIFY2(error.contains(says), qPrintable(error));
    }
};

COSPADI_TEST(TestForward)

}  // namespace tst_forward

#include "tst_forward.moc"
