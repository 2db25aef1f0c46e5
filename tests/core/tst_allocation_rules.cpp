// The rules by which layers share bytes: what each is called, what all keep of the bytes and of
// what is storable, on a small model with weights made up for it, and in runs.
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "allocation_arithmetic.h"
#include "core/allocation/allocation_rule.h"
#include "core/allocation/compot_rule.h"
#include "core/allocation/ratio_limits.h"
#include "core/allocation/rocket_rule.h"
#include "core/allocation/svd_llm_v2_rule.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/cospadi/cospadi_method.h"
#include "core/methods/wanda/wanda_method.h"
#include "core/run/compression_run.h"
#include "core/store/method_label.h"
#include "oracle_data.h"
#include "tests/core/reference_algebra.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_allocation_rules {

using namespace cospadi;
using namespace allocation_arithmetic;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// (d1, d2) with these singular values.
Eigen::MatrixXf weightWith(const Eigen::VectorXd& values, int d1, int d2, unsigned seed) {
    std::srand(seed);
    const reference::Svd svd = reference::svd(Eigen::MatrixXd::Random(d1, d2));
    return (svd.U * values.asDiagonal() * svd.V.transpose()).cast<float>();
}

std::vector<double> spectrumOf(const Eigen::MatrixXd& w) {
    const Eigen::VectorXd values = reference::svd(w).values;
    return {values.begin(), values.end()};
}

}  // namespace

class TestAllocationRules : public QObject {
    Q_OBJECT

    ThreadPool m_pool;
    QTemporaryDir m_folder;

    Model smallModel() { return Model::load(oracle::file("arch/a_llama_gqa"), {&m_pool, {}}); }

    std::optional<LayerRatios> allocated(const AllocationRule& rule, Model& model,
                                         const MatrixOptions& options,
                                         const ProgressCallback& progress = {},
                                         const std::stop_token& stop = {}) {
        std::vector<std::int32_t> ids;
        for (int i = 0; i < 64; ++i) {
            ids.push_back((i * i * 13 + 7 * i) % 512);
        }
        return rule.allocate({model, m_pool, nullptr, model.layers(), options, ids, 32}, progress,
                             stop);
    }

  private slots:
    void initTestCase() { qputenv("XDG_CACHE_HOME", m_folder.path().toLocal8Bit()); }

    void everyRuleHasItsWords() {
        QCOMPARE(allocationRules().size(), allocationWords().size());
        for (std::size_t i = 0; i < allocationRules().size(); ++i) {
            const AllocationRule& rule = *allocationRules()[i];
            QCOMPARE(std::string(rule.name()), std::string(allocationWords()[i].name));
            QCOMPARE(&allocationFromName(rule.name()), &rule);
            QVERIFY(*rule.words().title != 0 && *rule.words().summary != 0);
        }
        QCOMPARE(allocationRules().front(), &uniformRule());
        const QString problem = oracle::errorOf([] { allocationFromName("fair"); });
        QVERIFY(problem.contains("fair"));
        QVERIFY(oracle::errorOf([] { allocationWordsOf("fair"); }) == problem);
    }

    void specificationsNameARule() {
        QVERIFY(isUniform(runSpecificationFromJson(json::object())));
        std::set<std::string> labels;
        for (const AllocationWords& words : allocationWords()) {
            const RunSpecification s =
                runSpecificationFromJson(json{{"method", "compot"}, {"allocation", words.name}});
            validate(s);
            QCOMPARE(toJson(s).at("allocation").get<std::string>(), std::string(words.name));
            QCOMPARE(isUniform(s), &words == &allocationWords().front());
            labels.insert(methodLabel(s));
            labels.insert(shortLabel(s));
        }
        QCOMPARE(labels.size(), 2 * allocationWords().size());
        QVERIFY(labels.contains("compot"));
        QVERIFY(labels.contains("compot (knapsack)"));
        QVERIFY(labels.contains("compot (rocket allocation)"));
        QVERIFY(labels.contains("compot-cr0.20"));
        QVERIFY(labels.contains("compot-knapsack-cr0.20"));
        // Of another version of the program.
        QVERIFY_THROWS_EXCEPTION(Error, (void)runSpecificationFromJson({{"allocation", "fair"}}));
    }

    // ---- which ratios there are

    void ratiosEndWhereNothingIsStored() {
        const LayerInfo layer = layerOf("x", 64, 160);
        const RatioLimits all = storableRatios(lowRank(0.3), layer);
        QVERIFY(near(all.least, kLeastRatio, 2 * rankBytes(layer) / denseBytes(layer)));
        QVERIFY(all.least <= 0.3 && lowRankBytes(layer, all.least) <= denseBytes(layer) * 0.99);
        // Rank 1 is 2 · 224 of 2 · 10240 bytes: the last percent that has room for it.
        QCOMPARE(all.most, 0.97);
        // A short mantissa needs nine bits, which packed has below CR 0.25 alone.
        MatrixOptions packed;
        packed.method = &cospadiFreeMethod();
        packed.accounting = Accounting::Packed;
        packed.coefficientFormat = CoefficientFormat::ShortMantissa;
        packed.cr = 0.2;
        QCOMPARE(storableRatios(packed, layer).most, 0.24);
        packed.coefficientFormat = CoefficientFormat::ShortExponent;
        QVERIFY(storableRatios(packed, layer).most > 0.8);
        QVERIFY(!oracle::errorOf([&] { storableRatios(lowRank(0.99), layer); }).isEmpty());
        // A pruned layer's mask takes a sixteenth.
        MatrixOptions pruned;
        pruned.method = &wandaMethod();
        pruned.cr = 0.9;
        QCOMPARE(storableRatios(pruned, layer).most, 0.93);
    }

    // Two layers of 1536 × 576 under packed8: a rank, of at most 576, takes 1537 bytes and 576
    // coefficients, of ten bits below CR 0.3, of nine below 0.45. 0.15 and 0.34 fit where 0.3 twice
    // does; half-way to it they do not, as 0.225 has the rank of 0.15, until both are raised.
    void ratiosAreRaisedUntilTheyFit() {
        const auto bytesOf = [](double cr) {
            const double column = 1537 + 576 * (cr < 0.3 ? 10.0 : 9.0) / 8;
            return std::min(std::floor((1 - cr) * 2 * 1536 * 576 / column), 576.0) * column;
        };
        const auto bytesOfBoth = [&](const std::vector<double>& ratios) {
            return std::accumulate(ratios.begin(), ratios.end(), 0.0,
                                   [&](double sum, double cr) { return sum + bytesOf(cr); });
        };
        const double room = bytesOfBoth({0.3, 0.3});
        const auto fits = [&](const std::vector<double>& ratios) {
            return bytesOfBoth(ratios) <= room;
        };
        QCOMPARE(room, 2'473'420.0);
        QCOMPARE(bytesOfBoth({0.15, 0.34}), 2'466'822.0);
        const std::vector<double> halfWay{0.225, 0.32};
        QCOMPARE(bytesOfBoth(halfWay), 2'501'782.0);
        const auto raised = raisedToFit(halfWay, {0.48, 0.48}, fits);
        QVERIFY(raised && fits(*raised));
        const double by = (*raised)[0] - halfWay[0];
        QVERIFY(by > 0 && by < 0.02 && near((*raised)[1] - halfWay[1], by, 1e-12));
        QVERIFY(!fits({(*raised)[0] - 0.001, (*raised)[1] - 0.001}));
        // What fits stays as it is; what may not be raised far enough is none.
        QVERIFY(raisedToFit({0.15, 0.34}, {0.48, 0.48}, fits) == (std::vector{0.15, 0.34}));
        QVERIFY(!raisedToFit(halfWay, {0.226, 0.32}, fits));
        const auto one = raisedToFit(halfWay, {0.48, 0.32}, fits);
        QVERIFY(one && (*one)[1] == 0.32 && (*one)[0] > (*raised)[0]);
    }

    // ---- what all rules keep

    void everyRuleKeepsTheBytes_data() {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<double>("cr");
        for (const AllocationWords& words : allocationWords()) {
            for (const double cr : {0.2, 0.4}) {
                QTest::newRow(qPrintable(QString("%1 %2").arg(words.name).arg(cr)))
                    << QString(words.name) << cr;
            }
        }
    }

    void everyRuleKeepsTheBytes() {
        QFETCH(QString, rule);
        QFETCH(double, cr);
        const std::string name = rule.toStdString();
        const AllocationRule& shares = allocationFromName(name);
        Model model = smallModel();
        const std::vector<LayerInfo> layers = model.layers();
        std::int64_t told = 0;
        std::int64_t total = 0;
        bool monotone = true;
        const auto result = allocated(shares, model, lowRank(cr), [&](const Progress& p) {
            monotone = monotone && p.done >= told && p.stage == "allocation";
            told = p.done;
            total = p.total;
        });
        QVERIFY(result && result->ratios.size() == layers.size());
        QVERIFY(monotone && told == total);
        QCOMPARE(total > 0, &shares != &uniformRule());
        std::vector<double> ratios;
        double atoms = 0;
        double step = 0;
        for (const LayerInfo& layer : layers) {
            const double ratio = result->ratios.at(layer.name);
            MatrixOptions at = lowRank(ratio);
            QVERIFY(isStorable(at, layer.d1, layer.d2));
            ratios.push_back(ratio);
            atoms += 2 * rankBytes(layer);
            step = std::max(step, 0.05 * denseBytes(layer) + rankBytes(layer));
        }
        const double bytes = lowRankBytes(layers, ratios);
        const double uniform = uniformLowRankBytes(layers, cr);
        QVERIFY2(bytes <= uniform, qPrintable(QString("%1 of %2").arg(bytes).arg(uniform)));
        QVERIFY2(rule == "knapsack" || bytes > uniform - std::max(atoms, step),
                 qPrintable(QString("%1 of %2").arg(bytes).arg(uniform)));
        if (&shares != &uniformRule()) {
            QCOMPARE(result->layers.size(), layers.size());
            std::stop_source stop;
            stop.request_stop();
            QVERIFY(!allocated(shares, model, lowRank(cr), {}, stop.get_token()));
        }
    }

    // Where bits are left to trial, small ones end at the shorter side long before the bytes do:
    // what is stored in the end, by whichever pair, is still within the ratio. Bytes by hand
    // (docs/methods.md, "Factors in few bits").
    void trialsOfBitsStayWithinTheBytes_data() {
        QTest::addColumn<QString>("rule");
        QTest::addColumn<double>("cr");
        for (const AllocationWords& words : allocationWords()) {
            for (const double cr : {0.4, 0.5}) {
                QTest::newRow(qPrintable(QString("%1 %2").arg(words.name).arg(cr)))
                    << QString(words.name) << cr;
            }
        }
    }

    void trialsOfBitsStayWithinTheBytes() {
        QFETCH(QString, rule);
        QFETCH(double, cr);
        Model model = smallModel();
        MatrixOptions integers = lowRank(cr);
        integers.accounting = Accounting::Integers;
        const auto result = allocated(allocationFromName(rule.toStdString()), model, integers);
        QVERIFY(result.has_value());
        double bytes = 0;
        double allowed = 0;
        CpuBackend backend;
        for (const LayerInfo& layer : model.layers()) {
            MatrixOptions at = integers;
            at.cr = result->ratios.at(layer.name);
            const json facts =
                compressMatrix(backend, model.weight(layer.name), nullptr, at).weight->facts();
            const auto columns = [&](std::int64_t entries, std::int64_t count, const char* bits) {
                return static_cast<double>(count) *
                       (static_cast<double>(entries) * facts.at(bits).get<double>() / 8 +
                        2 * std::ceil(static_cast<double>(entries) / 64));
            };
            const auto rank = facts.at("rank").get<std::int64_t>();
            bytes += columns(layer.d1, rank, "left_bits") + columns(rank, layer.d2, "right_bits");
            allowed += (1 - cr) * denseBytes(layer);
        }
        QVERIFY2(bytes <= allowed, qPrintable(QString("%1 of %2").arg(bytes).arg(allowed)));
    }

    // Where only nine bits are storable no rule goes beyond what has them.
    void noRuleLeavesWhatIsStorable() {
        MatrixOptions packed;
        packed.method = &cospadiFreeMethod();
        packed.accounting = Accounting::Packed;
        packed.coefficientFormat = CoefficientFormat::ShortMantissa;
        packed.cr = 0.2;
        Model model = smallModel();
        std::srand(4);
        model.replaceLayer("blk.0.attn_q",
                           std::make_unique<DenseLayer>(5 * Eigen::MatrixXf::Random(64, 64), 1));
        for (const AllocationRule* rule : {&svdLlmV2Rule(), &compotRule(), &rocketRule()}) {
            const auto result = allocated(*rule, model, packed);
            QVERIFY(result.has_value());
            double bytes = 0;
            double uniform = 0;
            bool differ = false;
            for (const LayerInfo& layer : model.layers()) {
                MatrixOptions at = packed;
                uniform += budgetBytes(at, layer.d1, layer.d2);
                at.cr = result->ratios.at(layer.name);
                bytes += budgetBytes(at, layer.d1, layer.d2);
                QVERIFY2(at.cr < 0.25 && isStorable(at, layer.d1, layer.d2), rule->name());
                differ = differ || std::abs(at.cr - packed.cr) > 0.01;
            }
            QVERIFY2(bytes <= uniform, rule->name());
            QVERIFY2(differ, rule->name());
        }
    }

    // Of two weights of one size and norm, the one with a flat spectrum keeps more.
    void flatSpectraKeepMore() {
        Model model = smallModel();
        const std::string flat = "blk.0.ffn_up";
        const std::string steep = "blk.1.ffn_up";
        Eigen::VectorXd decaying(64);
        for (int i = 0; i < 64; ++i) {
            decaying(i) = std::exp(-0.15 * i);
        }
        const double norm = model.weight(flat).norm();
        const Eigen::VectorXd constant = Eigen::VectorXd::Constant(64, norm / 8);
        decaying *= norm / decaying.norm();
        model.replaceLayer(flat, std::make_unique<DenseLayer>(weightWith(constant, 64, 160, 1), 1));
        model.replaceLayer(steep,
                           std::make_unique<DenseLayer>(weightWith(decaying, 64, 160, 2), 1));
        for (const AllocationRule* rule : {&svdLlmV2Rule(), &compotRule(), &rocketRule()}) {
            const auto result = allocated(*rule, model, lowRank(0.3));
            QVERIFY(result.has_value());
            QVERIFY2(result->ratios.at(flat) < result->ratios.at(steep), rule->name());
        }
    }

    // The rule over the model is its formula over spectra of the test's own, kind by kind.
    void v2SharesAmongAKind() {
        Model model = smallModel();
        std::srand(4);
        model.replaceLayer("blk.0.attn_q",
                           std::make_unique<DenseLayer>(5 * Eigen::MatrixXf::Random(64, 64), 1));
        const auto result = allocated(svdLlmV2Rule(), model, lowRank(0.3));
        QVERIFY(result.has_value());
        std::map<std::string, std::vector<LayerInfo>> kinds;
        for (const LayerInfo& layer : model.layers()) {
            kinds[layer.kind].push_back(layer);
        }
        QCOMPARE(kinds.size(), std::size_t{7});
        for (const auto& [kind, layers] : kinds) {
            QCOMPARE(layers.size(), std::size_t{2});
            std::vector<double> losses;
            for (const LayerInfo& layer : layers) {
                const auto rank =
                    static_cast<std::size_t>(lowRankBytes(layer, 0.3) / rankBytes(layer));
                losses.push_back(
                    tailNorm(spectrumOf(model.weight(layer.name).cast<double>()), rank));
                QVERIFY(near(result->layers.at(layer.name).at("loss").get<double>(), losses.back(),
                             1e-5 * losses.back()));
            }
            const double least = std::min(losses[0], losses[1]);
            const double scale = least < std::numbers::e ? std::numbers::e / least : 1;
            double sum = 0;
            for (double& loss : losses) {
                loss = 1 / std::log(scale * loss);
                sum += loss;
            }
            for (std::size_t i = 0; i < 2; ++i) {
                const double atom = rankBytes(layers[i]) / denseBytes(layers[i]);
                QVERIFY2(near(result->ratios.at(layers[i].name), 2 * 0.3 * losses[i] / sum, atom),
                         layers[i].name.c_str());
            }
        }
    }

    // ---- in runs

    void runsKeepWhatARuleChose_data() {
        QTest::addColumn<QString>("rule");
        QTest::newRow("svd-llm-v2") << "svd-llm-v2";
        QTest::newRow("compot") << "compot";
        QTest::newRow("rocket") << "rocket";
    }

    void runsKeepWhatARuleChose() {
        SKIP_WITHOUT_MODEL();
        QFETCH(QString, rule);
        RunSpecification s;
        s.method = &methodFromName("svd-llm");
        s.layers = "^blk\\.[01]\\.attn_(k|output)";
        s.cr = 0.3;
        s.calibration = small_runs::onText(12, 64);
        const fs::path root(m_folder.path().toStdString());
        RunExecution execution;
        execution.writeModel = false;
        const RunSummary uniform =
            executeRun(s, root / ("uniform-" + rule.toStdString()), execution);
        s.allocation = &allocationFromName(rule.toStdString());
        const fs::path directory = root / rule.toStdString();
        const RunSummary run = executeRun(s, directory, execution);
        QCOMPARE(run.termination, Termination::Converged);
        QCOMPARE(run.matrices, uniform.matrices);

        const auto record = json::parse(oracle::text(directory / "allocation.json"));
        QCOMPARE(record.at("rule").get<std::string>(), rule.toStdString());
        ThreadPool pool(2);
        const Model model = Model::load(*oracle::defaultModel(), {&pool, {}});
        const auto grams = calibrate(model, pool, calibrationOptionsOf(s));
        std::vector<LayerInfo> layers;
        std::vector<double> ratios;
        for (const LayerInfo& layer : selectLayers(model.layers(), s.layers)) {
            const json& facts = record.at(layer.name);
            layers.push_back(layer);
            ratios.push_back(facts.at("cr").get<double>());
            if (rule == "svd-llm-v2") {
                // Of L W with LᵀL = G: the squares are the eigenvalues of WᵀGW.
                const Whitening whitening(grams->gram(layer.gramKey), layer.name);
                const Eigen::MatrixXd w = model.weight(layer.name).cast<double>();
                const auto rank =
                    static_cast<std::size_t>(lowRankBytes(layer, 0.3) / rankBytes(layer));
                const Eigen::VectorXd ascending =
                    reference::eigenvalues(w.transpose() * whitening.gram() * w).cwiseMax(0.0);
                const double loss = std::sqrt(
                    ascending.head(ascending.size() - static_cast<Eigen::Index>(rank)).sum());
                QVERIFY(near(facts.at("loss").get<double>(), loss, 1e-3 * loss));
            } else {
                QVERIFY(facts.contains(rule == "compot" ? "rank" : "trials"));
            }
        }
        QVERIFY(lowRankBytes(layers, ratios) <= uniformLowRankBytes(layers, 0.3));
        QVERIFY(std::any_of(ratios.begin(), ratios.end(),
                            [](double ratio) { return std::abs(ratio - 0.3) > 0.005; }));
        // Each matrix has the rank of its ratio.
        const auto result = json::parse(oracle::text(directory / "result.json"));
        for (const json& matrix : result.at("matrices")) {
            for (std::size_t i = 0; i < layers.size(); ++i) {
                if (layers[i].name == matrix.at("name").get<std::string>()) {
                    QCOMPARE(matrix.at("rank").get<double>(),
                             lowRankBytes(layers[i], ratios[i]) / rankBytes(layers[i]));
                }
            }
        }
    }
};

COSPADI_TEST(TestAllocationRules)

}  // namespace tst_allocation_rules

#include "tst_allocation_rules.moc"
