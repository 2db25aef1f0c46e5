// Comparison of two models against Python's own sums over the logits that Hugging Face's oracle
// checks elsewhere, and against what must hold by definition.
#include <QProcess>
#include <QtTest>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/evaluation/model_comparison.h"
#include "core/model/forward.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_compare {

using namespace cospadi;
using nlohmann::json;

namespace {

const std::filesystem::path kArch = COSPADI_TEST_DATA "/oracle/arch";

// Means over positions of KL, agreement of the argmax, and both perplexities; math.fsum throughout.
const char* kReference =
    "import sys, json, math\n"
    "q = json.load(sys.stdin)\n"
    "def logs(x):\n"
    "    m = max(x); z = math.log(math.fsum(math.exp(v - m) for v in x)) + m\n"
    "    return [v - z for v in x]\n"
    "kl = []; same = 0; na = []; nb = []\n"
    "for a, b, t in zip(q['a'], q['b'], q['next']):\n"
    "    p, r = logs(a), logs(b)\n"
    "    kl.append(math.fsum(math.exp(x) * (x - y) for x, y in zip(p, r)))\n"
    "    same += p.index(max(p)) == r.index(max(r)); na.append(p[t]); nb.append(r[t])\n"
    "n = len(kl)\n"
    "print(json.dumps([math.fsum(kl) / n, max(kl), same / n, math.exp(-math.fsum(na) / n),\n"
    "                  math.exp(-math.fsum(nb) / n)]))\n";

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT
    ThreadPool m_pool{2};
    std::vector<std::int32_t> m_ids;

  private slots:
    void initTestCase() {
        for (int i = 0; i < 70; ++i) {
            m_ids.push_back((i * 37 + 11) % 500);
        }
    }

    // A model that computes no numbers is none that agrees.
    void refusesWhatIsNoNumber() {
        const Model a = Model::load(kArch / "a_llama_gqa");
        Model b = Model::load(kArch / "a_llama_gqa");
        const Eigen::MatrixXf huge = 1e30F * b.weight("blk.1.ffn_down");
        b.replaceLayer("blk.1.ffn_down", std::make_unique<DenseLayer>(huge, 0));
        Eigen::MatrixXf nothing = b.weight("blk.0.ffn_down");
        nothing.setConstant(std::numeric_limits<float>::quiet_NaN());
        b.replaceLayer("blk.0.ffn_down", std::make_unique<DenseLayer>(nothing, 0));
        const QString error = oracle::errorOf([&] { comparePredictions(a, b, m_pool, m_ids, 32); });
        QVERIFY2(error.contains("not finite"), qPrintable(error));
    }

    void agreesWithPython() {
        Model a = Model::load(kArch / "a_llama_gqa");
        Model b = Model::load(kArch / "a_llama_gqa");
        const Eigen::MatrixXf half = 0.5F * b.weight("blk.1.ffn_down");
        b.replaceLayer("blk.1.ffn_down", std::make_unique<DenseLayer>(half, 0));

        const auto layers = compareWeights(a, b, m_pool);
        QCOMPARE(layers.size(), a.layers().size());
        for (const LayerDifference& layer : layers) {
            QCOMPARE(layer.relativeError, layer.name == "blk.1.ffn_down" ? 0.5 : 0.0);
        }

        constexpr std::int64_t context = 32;  // two chunks, six tokens are left over
        const auto found = comparePredictions(a, b, m_pool, m_ids, context);
        QVERIFY(found.has_value());
        QCOMPARE(found->positions, 62);

        json question{{"a", json::array()}, {"b", json::array()}, {"next", json::array()}};
        for (std::size_t chunk = 0; chunk < 2; ++chunk) {
            const std::span<const std::int32_t> ids(m_ids.data() + chunk * context, context);
            for (const auto& [name, model] : {std::pair{"a", &a}, std::pair{"b", &b}}) {
                ForwardPass pass(*model, m_pool);
                const Eigen::MatrixXf logits = pass.logits(pass.hiddenStates(ids, context));
                for (std::int64_t t = 0; t + 1 < context; ++t) {
                    const Eigen::VectorXf column = logits.col(t);
                    question[name].push_back(
                        std::vector<float>(column.data(), column.data() + column.size()));
                }
            }
            for (std::size_t t = 1; t < context; ++t) {
                question["next"].push_back(ids[t]);
            }
        }
        QProcess python;
        python.start("python3", {"-c", kReference});
        python.write(question.dump().c_str());
        python.closeWriteChannel();
        QVERIFY(python.waitForFinished(60000));
        const json expected =
            json::parse(python.readAllStandardOutput().toStdString(), nullptr, false);
        QVERIFY2(expected.is_array(), python.readAllStandardError().constData());
        const auto close = [](double x, double y) {
            return std::abs(x - y) < 1e-9 + 1e-7 * std::abs(y);
        };
        QVERIFY(close(found->meanDivergence, expected[0]));
        QVERIFY(close(found->maxDivergence, expected[1]));
        QVERIFY(close(found->top1Agreement, expected[2]));
        QVERIFY(close(found->perplexityA, expected[3]));
        QVERIFY(close(found->perplexityB, expected[4]));
        QVERIFY(found->meanDivergence > 1e-4);
        QVERIFY(found->p99Divergence <= found->maxDivergence);
    }

    void aModelIsItself() {
        const Model a = Model::load(kArch / "a_llama_gqa");
        const auto found = comparePredictions(a, a, m_pool, m_ids, 16);
        QCOMPARE(found->maxDivergence, 0.0);
        QCOMPARE(found->top1Agreement, 1.0);
        QCOMPARE(found->perplexityA, found->perplexityB);
    }

    void unlikeModelsAreRefused() {
        const Model a = Model::load(kArch / "a_llama_gqa");
        const std::filesystem::path other = COSPADI_SHARED_DIR "/oracle/arch/b_llama3_rope";
        if (!std::filesystem::exists(other)) {
            QSKIP("the oracle model b_llama3_rope is not on this machine");
        }
        const Model b = Model::load(other);
        try {
            compareWeights(a, b, m_pool);
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("same architecture"), error.what());
        }
    }

    void shortTextsAreRefused() {
        const Model a = Model::load(kArch / "a_llama_gqa");
        QVERIFY_THROWS_EXCEPTION(Error, comparePredictions(a, a, m_pool, m_ids, 512));
    }
};

COSPADI_TEST(TestCompare)

}  // namespace tst_compare

#include "tst_compare.moc"
