// Sharing bytes between matrices: the knapsack against exhaustive search, the probe against whole
// forward passes, and the allocation's own promises.
#include <cmath>

#include "core/allocation/allocation.h"
#include "core/allocation/allocation_curve.h"
#include "core/allocation/budget_choice.h"
#include "core/allocation/curve_store.h"
#include "core/allocation/trial.h"
#include "core/evaluation/divergence_probe.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/low_rank/svd_llm_method.h"
#include "core/methods/low_rank/svd_method.h"
#include "core/methods/option_key.h"
#include "core/run/outlying_errors.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_allocation {

using namespace cospadi;
using Ids = std::vector<std::int32_t>;

namespace {

Ids someIds(std::size_t count) {
    Ids ids(count);
    for (std::size_t i = 0; i < count; ++i) {
        ids[i] = static_cast<std::int32_t>((i * i * 13 + 7 * i) % 512);
    }
    return ids;
}

Eigen::MatrixXd logProbabilities(const Model& model, ThreadPool& pool, const Ids& ids,
                                 std::int64_t length) {
    ForwardPass pass(model, pool);
    Eigen::MatrixXd logits = pass.logits(pass.hiddenStates(ids, length)).cast<double>();
    for (Eigen::Index t = 0; t < logits.cols(); ++t) {
        const double largest = logits.col(t).maxCoeff();
        logits.col(t).array() -= largest + std::log((logits.col(t).array() - largest).exp().sum());
    }
    return logits;
}

}  // namespace

class TestAllocation : public QObject {
    Q_OBJECT

    ThreadPool m_pool;

    Model smallModel() { return Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}}); }

    // Whatever of it is known before, the ratios are the same to the bit; and it is used.
    void findsWhatWasMeasuredBefore(Model& model, const std::vector<LayerInfo>& layers,
                                    const Ids& ids, AllocationOptions options,
                                    const AllocationResult& cold) {
        const auto allocate = [&] {
            const auto found = allocateRatios(model, m_pool, nullptr, layers, ids, 32, options);
            return found.value_or(AllocationResult());
        };
        const auto isAsCold = [&](const AllocationResult& other) {
            return cold.divergence == other.divergence &&
                   cold.predictedDivergence == other.predictedDivergence &&
                   std::equal(cold.ratios.begin(), cold.ratios.end(), other.ratios.begin(),
                              [](const auto& a, const auto& b) {
                                  return a.first == b.first && a.second.cr == b.second.cr &&
                                         a.second.predictedError == b.second.predictedError &&
                                         a.second.predictedDivergence ==
                                             b.second.predictedDivergence;
                              });
        };
        CurveStore store("a_llama_gqa", "", options.matrix);
        options.curves = &store;
        QVERIFY(isAsCold(allocate()));
        CurveStore warm("a_llama_gqa", "", options.matrix);
        options.curves = &warm;
        QVERIFY(isAsCold(allocate()));
        // Errors alone: weights to probe are solved once more.
        CurveStore errorsAlone("a_llama_gqa_errors", "", options.matrix);
        const CurveStore::Layer known = warm.layer(layers.front().name);
        QCOMPARE(known.errors.size(), std::size_t{5});
        QCOMPARE(known.divergences.size(), std::size_t{2});
        for (const auto& [at, error] : known.errors) {
            errorsAlone.setError(layers.front().name, at, error);
        }
        options.curves = &errorsAlone;
        QVERIFY(isAsCold(allocate()));
        QCOMPARE(errorsAlone.layer(layers.front().name).divergences, known.divergences);
        // A matrix said to lose nothing at all is taken at its word.
        CurveStore wrong("a_llama_gqa_wrong", "", options.matrix);
        for (const auto& [at, error] : known.errors) {
            wrong.setError(layers.front().name, at, 1e-5);
        }
        options.curves = &wrong;
        QVERIFY(allocate().ratios.at(layers.front().name).predictedError !=
                cold.ratios.at(layers.front().name).predictedError);
    }

    // Of the small model with every layer at its ratio, nats a token; by products of its own.
    double divergenceAt(const Model& model, const MatrixOptions& options, const Ids& ids,
                        const std::function<double(const std::string&)>& ratioOf) {
        const Eigen::MatrixXd before = logProbabilities(model, m_pool, ids, 32);
        Model changed = smallModel();
        for (const LayerInfo& layer : model.layers()) {
            MatrixOptions at = options;
            at.cr = ratioOf(layer.name);
            CpuBackend backend;
            const CompressedMatrix result =
                compressMatrix(backend, model.weight(layer.name), nullptr, at);
            changed.replaceLayer(layer.name,
                                 std::make_unique<DenseLayer>(result.weight->recomposed(), 1));
        }
        const Eigen::MatrixXd after = logProbabilities(changed, m_pool, ids, 32);
        return (before.array().exp() * (before - after).array()).sum() /
               static_cast<double>(ids.size());
    }

    QTemporaryDir m_cache;

  private slots:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_cache.path().toUtf8()); }

    void knapsackAgainstExhaustiveSearch() {
        std::srand(3);
        for (int round = 0; round < 50; ++round) {
            std::vector<std::vector<BudgetChoice>> items(5);
            double smallest = 0;
            double largest = 0;
            double widest = 0;
            for (auto& item : items) {
                double cost = 100;
                double bytes = 10 + std::rand() % 20;
                smallest += bytes;
                for (int i = 0; i < 6; ++i) {
                    item.push_back({bytes, cost});
                    const double step = 1 + std::rand() % 9;
                    widest = std::max(widest, step);
                    bytes += step;
                    cost *= 0.3 + 0.01 * (std::rand() % 70);
                }
                largest += item.back().bytes;
            }
            const double budget = smallest + 0.5 * (largest - smallest);
            double best = 1e9;          // within the budget
            double bestWithLess = 1e9;  // within a step less: what the greedy steps must reach
            for (int code = 0; code < 6 * 6 * 6 * 6 * 6; ++code) {
                double bytes = 0;
                double cost = 0;
                int rest = code;
                for (const auto& item : items) {
                    bytes += item[static_cast<std::size_t>(rest % 6)].bytes;
                    cost += item[static_cast<std::size_t>(rest % 6)].cost;
                    rest /= 6;
                }
                best = bytes <= budget ? std::min(best, cost) : best;
                bestWithLess =
                    bytes <= budget - 5 * widest ? std::min(bestWithLess, cost) : bestWithLess;
            }
            const auto chosen = chooseWithinBudget(items, budget);
            double bytes = 0;
            double cost = 0;
            for (std::size_t i = 0; i < items.size(); ++i) {
                bytes += items[i][chosen[i]].bytes;
                cost += items[i][chosen[i]].cost;
            }
            QVERIFY(bytes <= budget);
            QVERIFY(cost >= best - 1e-9);
            QVERIFY2(cost <= bestWithLess + 1e-9,
                     qPrintable(QString("%1 %2 %3").arg(cost).arg(best).arg(bestWithLess)));
        }
        QVERIFY(oracle::errorOf([] {
                    chooseWithinBudget({{{5, 1}}, {{6, 1}}}, 10);
                }).contains("exceed"));
    }

    void probeAgainstWholePasses() {
        Model model = smallModel();
        const Ids ids = someIds(96);
        const Eigen::MatrixXd before = logProbabilities(model, m_pool, ids, 48);
        DivergenceProbe probe(model, m_pool, ids, 48);
        for (const char* name : {"blk.0.attn_v", "blk.1.ffn_down"}) {
            const Eigen::MatrixXf own = model.weight(name);
            QVERIFY(probe.divergence(name, own) < 1e-9);
            const Eigen::MatrixXf other = own + 0.05F * own.norm() /
                                                    std::sqrt(static_cast<float>(own.size())) *
                                                    Eigen::MatrixXf::Random(own.rows(), own.cols());
            const double divergence = probe.divergence(name, other);
            QVERIFY(model.weight(name) == own);  // put back
            Model changed = smallModel();
            changed.replaceLayer(name, std::make_unique<DenseLayer>(other, 1));
            const Eigen::MatrixXd after = logProbabilities(changed, m_pool, ids, 48);
            const double expected = (before.array().exp() * (before - after).array()).sum() / 96.0;
            QVERIFY(expected > 0);
            QVERIFY2(std::abs(divergence - expected) < 1e-3 * expected + 1e-7,
                     qPrintable(QString("%1 for %2").arg(divergence).arg(expected)));
        }
    }

    // Between what was measured and nowhere else; more bytes never lose more.
    void curvesAreMonotoneAndEndWhereTheyWereMeasured() {
        AllocationCurve curve({{0.1, 0.05}, {0.2, 0.02}, {0.4, 0.08}});
        QCOMPARE(curve.smallestRatio(), 0.1);
        QCOMPARE(curve.largestRatio(), 0.4);
        QVERIFY(std::abs(curve.errorAt(0.1) - 0.02) < 1e-12);  // the form at 0.2 fits there
        QVERIFY(std::abs(curve.errorAt(0.3) - 0.04) < 1e-12);  // the geometric mean
        double before = 0;
        for (double cr = 0.1; cr <= 0.4; cr += 0.01) {
            QVERIFY(curve.errorAt(cr) >= before);
            before = curve.errorAt(cr);
        }
        curve.setDivergences(0.02, 0.0008, 0.08, 0.0512);  // KL = 100 e³
        QVERIFY(std::abs(curve.divergenceOf(0.04) - 0.0064) < 1e-9);
    }

    // One matrix that spoils a model stands out from its kind; few of a kind, small errors, and
    // kinds that all have large ones do not.
    void errorsThatStandOutAreFound() {
        std::vector<MatrixRecord> records;
        const auto add = [&](const char* kind, double error) {
            MatrixRecord record;
            record.kind = kind;
            record.name = std::string(kind) + "." + std::to_string(records.size());
            record.relativeError = error;
            records.push_back(record);
        };
        for (int i = 0; i < 6; ++i) {
            add("ffn_down", 0.02 + 0.001 * i);
            add("attn_v", 0.3);
            add("attn_k", 0.001);
        }
        add("attn_k", 0.015);  // fifteen times, but small
        add("ffn_down", 0.2);  // the one
        add("attn_q", 0.01);
        add("attn_q", 0.5);  // two are no kind
        const auto found = outlyingErrors(records);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(found.front().matrix), QString("ffn_down.19"));
        QVERIFY(found.front().median > 0.02 && found.front().median < 0.026);
    }

    // What fails on trial is told with the layer's name; and coders are told apart.
    void trialsNameTheirLayer() {
        TrialLayer layer;
        layer.name = "blk.0.attn_output";
        layer.weight = Eigen::MatrixXf::Zero(64, 64);
        MatrixOptions options;
        options.method = &methodFromName("cospadi-free");
        const QString error =
            oracle::errorOf([&] { compressedOnTrial(layer, options, 0.2, 2, {}); });
        QVERIFY2(error.contains("blk.0.attn_output"), qPrintable(error));
        options.solver = Solver::Ksvd;
        const std::string omp = keyOf(options);
        options.coder = Coder::Lasso;
        QVERIFY(keyOf(options) != omp);
    }

    // The bytes are those of the uniform ratio at most, and the predicted cost is no higher.
    void sharesTheUniformBytes() {
        Model model = smallModel();
        AllocationOptions options;
        options.matrix.method = &svdLlmMethod();
        options.matrix.cr = 0.4;
        const Ids ids = someIds(64);
        std::vector<LayerInfo> layers = model.layers();
        GramSet* none = nullptr;
        options.matrix.method = &svdMethod();
        std::int64_t told = 0;
        const auto allocated =
            allocateRatios(model, m_pool, none, layers, ids, 32, options,
                           [&](const Progress& p) { told = std::max(told, p.done); });
        QVERIFY(allocated);
        QCOMPARE(allocated->ratios.size(), layers.size());
        QVERIFY(told >= static_cast<std::int64_t>(layers.size() * 8));
        double bytes = 0;
        double uniform = 0;
        double smallest = 1;
        double largest = 0;
        for (const LayerInfo& layer : layers) {
            const AllocatedRatio& ratio = allocated->ratios.at(layer.name);
            bytes += lowRankBudget(layer.d1, layer.d2, ratio.cr, Accounting::Eq11).totalBytes();
            uniform += lowRankBudget(layer.d1, layer.d2, 0.4, Accounting::Eq11).totalBytes();
            smallest = std::min(smallest, ratio.cr);
            largest = std::max(largest, ratio.cr);
            QVERIFY(ratio.predictedDivergence > 0);
            QVERIFY(ratio.cr >= 0.2 && ratio.cr <= 0.64 + 1e-12);  // within what was tried
        }
        QVERIFY(bytes <= uniform * (1 + 1e-9));
        QVERIFY(bytes > 0.97 * uniform);
        QCOMPARE(smallest < 0.4 && largest > 0.4, allocated->share > 0);

        // What it says of the model is so, and it is not worse than the uniform ratio.
        const double real = divergenceAt(model, options.matrix, ids, [&](const std::string& name) {
            return allocated->ratios.at(name).cr;
        });
        const double same =
            divergenceAt(model, options.matrix, ids, [](const std::string&) { return 0.4; });
        QVERIFY(std::abs(real - allocated->divergence) < 0.01 * real);
        QVERIFY(std::abs(same - allocated->uniformDivergence) < 0.01 * same);
        QVERIFY(allocated->divergence <= allocated->uniformDivergence);

        findsWhatWasMeasuredBefore(model, layers, ids, options, *allocated);

        std::stop_source stop;
        stop.request_stop();
        QVERIFY(
            !allocateRatios(model, m_pool, none, layers, ids, 32, options, {}, stop.get_token()));
    }

    // Ratios above four fifths are shared as others are, and what is told of the uniform one is of
    // that one: rank 1 of the smallest layer takes (64 + 32)/(64 · 32), so that it ends at 0.953.
    void sharesAboveFourFifths() {
        Model model = smallModel();
        const Ids ids = someIds(64);
        AllocationOptions options;
        options.matrix.method = &svdMethod();
        options.matrix.cr = 0.85;
        const std::vector<LayerInfo> layers = model.layers();
        const auto allocated = allocateRatios(model, m_pool, nullptr, layers, ids, 32, options);
        QVERIFY(allocated);
        QVERIFY(allocated->share > 0);
        double bytes = 0;
        double uniform = 0;
        double smallest = 1;
        double largest = 0;
        for (const LayerInfo& layer : layers) {
            const double cr = allocated->ratios.at(layer.name).cr;
            bytes += lowRankBudget(layer.d1, layer.d2, cr, Accounting::Eq11).totalBytes();
            uniform += lowRankBudget(layer.d1, layer.d2, 0.85, Accounting::Eq11).totalBytes();
            smallest = std::min(smallest, cr);
            largest = std::max(largest, cr);
        }
        QVERIFY(bytes <= uniform * (1 + 1e-9));
        QVERIFY(smallest < 0.85 && largest > 0.85);
        QVERIFY(largest <= 0.925 + 1e-12);  // half of the bytes
        const double same =
            divergenceAt(model, options.matrix, ids, [](const std::string&) { return 0.85; });
        QVERIFY(std::abs(same - allocated->uniformDivergence) < 0.01 * same);
    }

    // Half-way between ratios that fit, bytes may not: ranks go by whole columns, and coefficients
    // have ten bits below CR 0.3 and nine below 0.45. A rule that is told that attention loses
    // nothing has to go back.
    void theWayBackKeepsTheBytes_data() {
        QTest::addColumn<double>("cr");
        QTest::addColumn<QByteArray>("liar");
        QTest::newRow("a quarter of the way") << 0.4 << QByteArray("attn_");
        QTest::newRow("half the way, or none") << 0.2 << QByteArray("attn_v");
    }
    void theWayBackKeepsTheBytes() {
        QFETCH(double, cr);
        QFETCH(QByteArray, liar);
        Model model = smallModel();
        AllocationOptions options;
        options.matrix.method = &svdMethod();
        options.matrix.accounting = Accounting::Packed8;
        options.matrix.cr = cr;
        CurveStore lies("a_llama_gqa_lies " + liar.toStdString(), "", options.matrix);
        const std::vector<LayerInfo> layers = model.layers();
        for (const LayerInfo& layer : layers) {
            for (const double factor : {0.5, 0.75, 1.0, 1.25, 1.6}) {
                if (layer.name.find(liar.toStdString()) != std::string::npos) {
                    lies.setError(layer.name, {factor * cr, options.matrix.rho, kTrialIterations},
                                  1e-5);
                }
            }
        }
        options.curves = &lies;
        const auto allocated =
            allocateRatios(model, m_pool, nullptr, layers, someIds(64), 32, options);
        QVERIFY(allocated);
        QVERIFY2(allocated->share < 1, "the lies are believed to the end");
        double bytes = 0;
        double uniform = 0;
        for (const LayerInfo& layer : layers) {
            const double own = allocated->ratios.at(layer.name).cr;
            bytes += lowRankBudget(layer.d1, layer.d2, own, Accounting::Packed8).totalBytes();
            uniform += lowRankBudget(layer.d1, layer.d2, cr, Accounting::Packed8).totalBytes();
        }
        QVERIFY2(bytes <= uniform, qPrintable(QString("%1 of %2").arg(bytes).arg(uniform)));
        QVERIFY(bytes > 0.97 * uniform);
        QVERIFY(allocated->divergence <= allocated->uniformDivergence);
    }
};

COSPADI_TEST(TestAllocation)

}  // namespace tst_allocation

#include "tst_allocation.moc"
