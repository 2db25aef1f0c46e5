// Error propagation: the sums along a model that is being compressed against whole forward passes,
// the corrected weight against its normal equations, and runs that stop half-way.
#include <QTemporaryDir>
#include <map>

#include "core/calibration/propagated_inputs.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/methods/propagation_target.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "oracle_data.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/registered_test.h"

namespace tst_propagation {

using namespace cospadi;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kSequences = 5;
constexpr std::int64_t kLength = 24;
constexpr std::int64_t kBlock = 1;

std::vector<std::int32_t> someIds() {
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < kSequences * kLength; ++i) {
        ids.push_back(static_cast<std::int32_t>((i * i * 7 + 13 * i + 5) % 500));
    }
    return ids;
}

// Inputs of every layer, and the residual after every block, from one pass over the whole model.
struct Observed {
    std::map<std::string, Eigen::MatrixXd> inputs;
    std::map<std::int64_t, Eigen::MatrixXd> residuals;
};

Observed observe(const Model& model, ThreadPool& pool,
                 const std::vector<std::int32_t>& ids = someIds(), std::int64_t length = kLength) {
    Observed seen;
    ForwardHooks hooks;
    hooks.linearInput = [&](const std::string& key, const Eigen::Ref<const Eigen::MatrixXf>& X) {
        seen.inputs[key] = X.cast<double>();
    };
    hooks.residual = [&](std::int64_t block, const Eigen::Ref<const Eigen::MatrixXf>& R) {
        seen.residuals[block] = R.cast<double>();
    };
    ForwardPass(model, pool).hiddenStates(ids, length, hooks);
    return seen;
}

void disturb(Model& model, const std::string& name) {
    Eigen::MatrixXf weight = model.weight(name);
    std::srand(3);
    weight += 0.2F * weight.norm() / std::sqrt(static_cast<float>(weight.size())) *
              Eigen::MatrixXf::Random(weight.rows(), weight.cols());
    model.replaceLayer(name, std::make_unique<DenseLayer>(std::move(weight), 0));
}

double deviation(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return (a - b).norm() / b.norm();
}

std::map<std::string, Eigen::MatrixXf> weightsOf(const fs::path& run) {
    std::map<std::string, Eigen::MatrixXf> result;
    for (const auto& entry : fs::directory_iterator(run / "matrices")) {
        StoredMatrix stored = readMatrixFile(entry.path());
        result[stored.record.name] = stored.weight->recomposed();
    }
    return result;
}

}  // namespace

class TestPropagation : public QObject, OwnFolder {
    Q_OBJECT

    ThreadPool m_pool;
    QTemporaryDir m_cache;

    RunSpecification specification(PropagationKind propagation) const {
        RunSpecification s;
        s.model = "default";
        s.layers = "^blk\\.[02]\\.(attn_(k|output)|ffn_down)";
        s.iterations = 3;
        s.propagation = propagation;
        s.calibration = small_runs::onText(12, 64);
        return s;
    }

  private slots:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toLocal8Bit()); }

    // Blocks 0 and the stages of block 1 before the one that is looked at are disturbed: whole
    // forward passes over the two models say what the sums must be.
    void sumsMatchWholeForwardPasses_data() {
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("kind");
        QTest::newRow("q k v") << 0 << "attn_q";
        QTest::newRow("attention output") << 1 << "attn_output";
        QTest::newRow("gate and up") << 2 << "ffn_gate";
        QTest::newRow("down") << 3 << "ffn_down";
    }

    void sumsMatchWholeForwardPasses() {
        SKIP_WITHOUT("arch/a_llama_gqa/model.safetensors");
        QFETCH(int, stage);
        QFETCH(QString, kind);
        const Model original = Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}});
        Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}});
        PropagatedInputs inputs(model, m_pool, someIds(), kLength, true);
        QVERIFY(inputs.begin(0, {}));
        disturb(model, "blk.0.attn_v");
        disturb(model, "blk.0.ffn_down");
        QVERIFY(inputs.finish({}));
        QVERIFY(inputs.begin(kBlock, {}));
        for (const LayerInfo& layer : original.layers()) {
            if (layer.block == kBlock && static_cast<int>(stageOf(layer.kind)) < stage) {
                disturb(model, layer.name);
            }
        }
        const auto sums = inputs.inputs(static_cast<BlockStage>(stage), {});
        QVERIFY(sums.has_value());

        const Observed before = observe(original, m_pool);
        const Observed after = observe(model, m_pool);
        const std::string key = layerName(kBlock, kind.toStdString());
        const Eigen::MatrixXd& x = before.inputs.at(key);
        const Eigen::MatrixXd& y = after.inputs.at(key);
        QVERIFY(deviation(y, x) > 0.01);  // the disturbance arrives
        QVERIFY(deviation(sums->gram, y * y.transpose()) < 1e-6);
        QVERIFY(deviation(sums->drift, y * (x - y).transpose()) < 1e-4);
        const bool writes = kind == "attn_output" || kind == "ffn_down";
        QCOMPARE(sums->residualDrift.size() > 0, writes);
        if (writes) {
            // What this layer's output is added to: the block's result without that output.
            const auto stream = [&](const Model& m, const Observed& seen) -> Eigen::MatrixXd {
                if (kind == "attn_output") {
                    return seen.residuals.at(kBlock - 1);
                }
                return seen.residuals.at(kBlock) -
                       m.weight(key).cast<double>().transpose() * seen.inputs.at(key);
            };
            const Eigen::MatrixXd gap = stream(original, before) - stream(model, after);
            QVERIFY(deviation(sums->residualDrift, y * gap.transpose()) < 1e-4);
        }
    }

    void anUnchangedModelHasNoDrift() {
        SKIP_WITHOUT("arch/a_llama_gqa/model.safetensors");
        Model model = Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}});
        PropagatedInputs inputs(model, m_pool, someIds(), kLength, true);
        QVERIFY(inputs.begin(0, {}));
        const auto sums = inputs.inputs(BlockStage::Down, {});
        QVERIFY(sums && sums->drift.isZero(0) && sums->residualDrift.isZero(0));
        const Eigen::MatrixXf w = model.weight("blk.0.ffn_down");
        QCOMPARE(propagationTarget(w, *sums, 0.01), w);
        const auto x = observe(model, m_pool).inputs.at("blk.0.ffn_down");
        QVERIFY(deviation(sums->gram, x * x.transpose()) < 1e-6);
    }

    // The minimiser of a quadratic has no gradient, whatever the data.
    void theCorrectedWeightIsTheLeastSquaresOne_data() {
        QTest::addColumn<double>("shrinkage");
        QTest::addColumn<bool>("residual");
        QTest::newRow("inputs only") << 0.0 << false;
        QTest::newRow("with the residual stream") << 0.0 << true;
        QTest::newRow("shrunk") << 0.05 << true;
    }

    void theCorrectedWeightIsTheLeastSquaresOne() {
        QFETCH(double, shrinkage);
        QFETCH(bool, residual);
        std::srand(11);
        const Eigen::MatrixXd x = Eigen::MatrixXd::Random(200, 16);
        const Eigen::MatrixXd y = x + 0.1 * Eigen::MatrixXd::Random(200, 16);
        const Eigen::MatrixXd gap = 0.1 * Eigen::MatrixXd::Random(200, 9);
        const Eigen::MatrixXf w = Eigen::MatrixXf::Random(16, 9);
        LayerInputs inputs{y.transpose() * y, y.transpose() * (x - y), {}};
        if (residual) {
            inputs.residualDrift = y.transpose() * gap;
        }
        const Eigen::MatrixXd best = propagationTarget(w, inputs, shrinkage).cast<double>();
        Eigen::MatrixXd wanted = x * w.cast<double>();
        if (residual) {
            wanted += gap;
        }
        const double lambda = shrinkage * inputs.gram.diagonal().mean();
        const Eigen::MatrixXd gradient =
            y.transpose() * (y * best - wanted) + lambda * (best - w.cast<double>());
        QVERIFY(gradient.norm() < 1e-5 * (y.transpose() * wanted).norm());
        QVERIFY(deviation(best, w.cast<double>()) > 0.01);
    }

    void aSingularGramIsNamed() {
        LayerInputs inputs{Eigen::MatrixXd::Zero(4, 4), Eigen::MatrixXd::Zero(4, 4), {}};
        const QString error = oracle::errorOf(
            [&] { propagationTarget(Eigen::MatrixXf::Random(4, 3), inputs, 0.01); });
        QVERIFY2(error.contains("singular") && error.contains("--propagation input"),
                 qPrintable(error));
    }

    void stoppedRunsEndAsWholeOnes_data() {
        QTest::addColumn<QString>("propagation");
        QTest::newRow("input") << "input";
        QTest::newRow("target") << "target";
    }

    void stoppedRunsEndAsWholeOnes() {
        SKIP_WITHOUT_MODEL();
        QFETCH(QString, propagation);
        const QByteArray mode = propagation.toUtf8();
        RunExecution execution;
        execution.writeModel = false;
        execution.threads = 2;
        const fs::path whole = place((mode + "-whole").constData());
        executeRun(specification(propagationFromName(mode.toStdString())), whole, execution);

        const fs::path stopped = place((mode + "-stopped").constData());
        execution.threads = 1;  // nor may the number of threads matter
        for (const int after : {1, 3}) {
            std::stop_source stop;
            int finished = 0;
            execution.onEvent = [&](const nlohmann::json& event) {
                if (event.at("event") == "matrix_finished" && ++finished == after) {
                    stop.request_stop();
                }
            };
            QCOMPARE(executeRun(specification(propagationFromName(mode.toStdString())), stopped,
                                execution, stop.get_token())
                         .termination,
                     Termination::Cancelled);
        }
        execution.onEvent = {};
        executeRun(specification(propagationFromName(mode.toStdString())), stopped, execution);
        const auto expected = weightsOf(whole);
        QCOMPARE(expected.size(), std::size_t{6});
        QVERIFY(weightsOf(stopped) == expected);

        // Later layers do see other inputs than without.
        RunSpecification off = specification(PropagationKind::Off);
        const fs::path plain = place((mode + "-off").constData());
        execution.threads = 2;
        executeRun(off, plain, execution);
        const auto without = weightsOf(plain);
        QVERIFY(without.at("blk.0.attn_k") == expected.at("blk.0.attn_k"));
        QVERIFY(without.at("blk.2.attn_k") != expected.at("blk.2.attn_k"));
    }

    // The error of a layer is against its own weight, in the metric of the inputs that it will see,
    // from the numbers in its file; that against the corrected weight stands beside it. Where
    // nothing before a layer has changed there is nothing to correct.
    void errorsAreOfTheLayersOwnWeight() {
        SKIP_WITHOUT_MODEL();
        RunSpecification s = specification(PropagationKind::Target);
        RunExecution execution;
        execution.writeModel = false;
        const fs::path directory = place("errors");
        executeRun(s, directory, execution);
        const Model original = loadModelOrRun("default");
        const Model compressed = loadModelOrRun(directory.string());
        const CalibrationOptions text = calibrationOptionsOf(s);
        const auto ids = sampleSequences(original.tokenizer(), text);
        const Observed seen = observe(compressed, m_pool, ids, text.length);
        const auto weights = weightsOf(directory);
        for (const char* name : {"blk.0.attn_k", "blk.2.attn_k", "blk.2.ffn_down"}) {
            const MatrixRecord record =
                readMatrixFile(directory / "matrices" / (std::string(name) + ".safetensors"))
                    .record;
            const LayerInfo info = original.layerInfo(name);
            const Eigen::MatrixXd& x = seen.inputs.at(info.gramKey);
            const Eigen::MatrixXd w = original.weight(name).cast<double>();
            const double error = (x.transpose() * (w - weights.at(name).cast<double>())).norm() /
                                 (x.transpose() * w).norm();
            QVERIFY2(std::abs(error - record.relativeError) < 0.01 * error,
                     qPrintable(QString("%1: %2 recorded, %3 measured")
                                    .arg(name)
                                    .arg(record.relativeError)
                                    .arg(error)));
            QVERIFY(record.targetError.has_value());
            QCOMPARE(*record.targetError == record.relativeError, info.block == 0);
        }
    }

    // What the correction is for: the hidden states after the last compressed block come closer to
    // the original's on the text that it was made from.
    void targetBringsTheOutputCloser() {
        SKIP_WITHOUT_MODEL();
        const auto distance = [&](PropagationKind propagation) {
            RunSpecification s = specification(propagation);
            s.layers = "^blk\\.[0-2]\\.(attn_output|ffn_down)";
            RunExecution execution;
            execution.writeModel = false;
            const fs::path directory = place((std::string("close-") + name(propagation)).c_str());
            executeRun(s, directory, execution);
            const Model original = loadModelOrRun("default");
            const Model compressed = loadModelOrRun(directory.string());
            const CalibrationOptions text = calibrationOptionsOf(s);
            const auto ids = sampleSequences(original.tokenizer(), text);
            const auto after = [&](const Model& model) {
                ForwardPass pass(model, m_pool);
                Eigen::MatrixXf residual = pass.embed(ids);
                for (std::int64_t block = 0; block < 3; ++block) {
                    pass.runBlock(block, residual, text.length);
                }
                return residual;
            };
            return (after(original) - after(compressed)).norm();
        };
        const double off = distance(PropagationKind::Off);
        const double target = distance(PropagationKind::Target);
        qInfo("distance after block 2: off %.4g, target %.4g", off, target);
        QVERIFY(target < off);
    }
};

COSPADI_TEST(TestPropagation)

}  // namespace tst_propagation

#include "tst_propagation.moc"
