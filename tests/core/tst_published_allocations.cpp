// The rules that others published, in arithmetic of the test's own and by trying every choice where
// there are few.
#include <QtTest>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <set>

#include "allocation_arithmetic.h"
#include "core/allocation/compot_rule.h"
#include "core/allocation/ratio_limits.h"
#include "core/allocation/rocket_rule.h"
#include "core/allocation/svd_llm_v2_rule.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_published_allocations {

using namespace cospadi;
using namespace allocation_arithmetic;

namespace {

// Every choice of one candidate an item.
void forEachChoice(const std::vector<std::vector<BudgetChoice>>& items,
                   const std::function<void(const std::vector<std::size_t>&)>& visit) {
    std::vector<std::size_t> choice(items.size(), 0);
    for (;;) {
        visit(choice);
        std::size_t i = 0;
        while (i < items.size() && ++choice[i] == items[i].size()) {
            choice[i++] = 0;
        }
        if (i == items.size()) {
            return;
        }
    }
}

double sumOf(const std::vector<std::vector<BudgetChoice>>& items,
             const std::vector<std::size_t>& choice, double BudgetChoice::*field) {
    double sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        sum += items[i][choice[i]].*field;
    }
    return sum;
}

struct BestChoice {
    double cost = std::numeric_limits<double>::infinity();
    double bound = 0;
};

// ROCKET's problem by trying all: the smallest α of whole percents that leaves any choice within
// the bytes of the uniform one, and the least sum of errors under it.
std::optional<BestChoice> bestByTrying(const std::vector<std::vector<BudgetChoice>>& items,
                                       const std::vector<std::size_t>& uniform) {
    const double budget = sumOf(items, uniform, &BudgetChoice::bytes);
    const double mean =
        sumOf(items, uniform, &BudgetChoice::cost) / static_cast<double>(items.size());
    for (int percent = 100; percent <= 200; ++percent) {
        BestChoice best;
        best.bound = percent / 100.0;
        forEachChoice(items, [&](const std::vector<std::size_t>& choice) {
            bool within = sumOf(items, choice, &BudgetChoice::bytes) <= budget;
            for (std::size_t i = 0; i < items.size(); ++i) {
                within = within && items[i][choice[i]].cost <= best.bound * mean;
            }
            if (within) {
                best.cost = std::min(best.cost, sumOf(items, choice, &BudgetChoice::cost));
            }
        });
        if (best.cost < BestChoice().cost) {
            return best;
        }
    }
    return std::nullopt;
}

}  // namespace

class TestPublishedAllocations : public QObject {
    Q_OBJECT

  private slots:
    // ---- SVD-LLM V2

    void v2WeightsAreInverseLogarithms() {
        const auto e = [](double power) { return std::exp(power); };
        const std::vector<double> weights = svdLlmV2Weights({e(2), e(4), e(8)});
        QVERIFY(near(weights[0], 0.5, 1e-12) && near(weights[1], 0.25, 1e-12) &&
                near(weights[2], 0.125, 1e-12));
        // Logarithms that are not positive: all scaled until the least is e.
        const std::vector<double> scaled = svdLlmV2Weights({0.5, 1, 3});
        QVERIFY(near(scaled[0], 1, 1e-12));
        QVERIFY(near(scaled[1], 1 / std::log(2 * std::numbers::e), 1e-12));
        QVERIFY(near(scaled[2], 1 / std::log(6 * std::numbers::e), 1e-12));
        QVERIFY(svdLlmV2Weights({0, 0}) == (std::vector<double>{1, 1}));
        const std::vector<double> zero = svdLlmV2Weights({0, 5, 7});
        QVERIFY(zero[0] == 1 && zero[1] < 1 && zero[2] < zero[1] && zero[2] > 0);
    }

    void v2RatiosFollowTheFormula() {
        const std::vector<LayerInfo> layers = madeUp({{1024, 4096}, {1024, 4096}, {1024, 4096}});
        const std::vector<double> weights = {0.5, 0.25, 0.125};
        const std::vector<double> ratios = svdLlmV2Ratios(lowRank(0.2), layers, weights);
        const double atom = rankBytes(layers[0]) / denseBytes(layers[0]);
        for (std::size_t i = 0; i < 3; ++i) {
            const double formula = 3 * 0.2 * weights[i] / (0.5 + 0.25 + 0.125);
            QVERIFY2(near(ratios[i], formula, atom), qPrintable(QString::number(ratios[i])));
            QVERIFY(near(ratios[i] / ratios[0], weights[i] / weights[0], 1e-9));
        }
        const double uniform = uniformLowRankBytes(layers, 0.2);
        QVERIFY(lowRankBytes(layers, ratios) <= uniform);
        QVERIFY(lowRankBytes(layers, ratios) > uniform - 3 * rankBytes(layers[0]));
        // Equal losses: the uniform ratio itself, to the bit of its rank.
        for (const double ratio : svdLlmV2Ratios(lowRank(0.2), layers, {1, 1, 1})) {
            QVERIFY(near(ratio, 0.2, 1e-9));
        }
    }

    // What one layer cannot take the others do; larger matrices weigh by their entries.
    void v2RatiosStayWithinLimitsAndBytes() {
        const std::vector<LayerInfo> equal = madeUp({{1024, 4096}, {1024, 4096}, {1024, 4096}});
        const double most = storableRatios(lowRank(0.5), equal[0]).most;
        QVERIFY(most < 3 * 0.5 * 1 / 1.02);  // what the formula would have
        const std::vector<double> cut = svdLlmV2Ratios(lowRank(0.5), equal, {1, 0.01, 0.01});
        QCOMPARE(cut[0], most);
        QVERIFY(near(cut[1], (1.5 - most) / 2, 2e-3) && near(cut[2], (1.5 - most) / 2, 2e-3));
        QVERIFY(lowRankBytes(equal, cut) <= uniformLowRankBytes(equal, 0.5));

        const std::vector<LayerInfo> other = madeUp({{512, 2048}, {1024, 4096}});
        const std::vector<double> ratios = svdLlmV2Ratios(lowRank(0.3), other, {0.4, 0.2});
        const double t = 0.3 * (1 + 4) / (0.4 * 1 + 0.2 * 4);  // the second has four times the size
        QVERIFY(near(ratios[0], 0.4 * t, 3e-3) && near(ratios[1], 0.2 * t, 3e-3));
        QVERIFY(lowRankBytes(other, ratios) <= uniformLowRankBytes(other, 0.3));
    }

    // ---- COMPOT

    // Every possible cut, from none of the pool to all of it: the first that fits is the rule's.
    void compotCutIsTheFirstThatFits_data() {
        QTest::addColumn<double>("cr");
        for (const double cr : {0.1, 0.2, 0.35, 0.5, 0.7, 0.75}) {
            QTest::newRow(qPrintable(QString::number(cr))) << cr;
        }
    }

    void compotCutIsTheFirstThatFits() {
        QFETCH(double, cr);
        const std::vector<LayerInfo> layers = madeUp({{48, 32}, {32, 64}, {40, 40}});
        std::mt19937 random(5);
        std::uniform_real_distribution<double> steepness(0.02, 0.2);
        for (int round = 0; round < 20; ++round) {
            std::vector<std::vector<double>> spectra;
            std::vector<std::vector<double>> normalised;
            std::vector<double> all;
            for (const LayerInfo& layer : layers) {
                const double decay = steepness(random);
                spectra.emplace_back();
                for (int i = 0; i < std::min(layer.d1, layer.d2); ++i) {
                    spectra.back().push_back((1 + round) * std::exp(-decay * i));
                }
                normalised.push_back(spectra.back());
                for (double& value : normalised.back()) {
                    value /= tailNorm(spectra.back(), 0);
                    all.push_back(value);
                }
            }
            std::sort(all.begin(), all.end());
            all.push_back(2);  // cuts everything
            std::vector<double> expected;
            for (const double threshold : all) {
                expected.clear();
                for (std::size_t i = 0; i < layers.size(); ++i) {
                    const auto kept = static_cast<double>(
                        std::count_if(normalised[i].begin(), normalised[i].end(),
                                      [&](double value) { return value >= threshold; }));
                    const double ratio = 1 - kept * rankBytes(layers[i]) / denseBytes(layers[i]);
                    const double least =
                        std::max(kLeastRatio,
                                 1 - lowRankBytes(layers[i], kLeastRatio) / denseBytes(layers[i]));
                    expected.push_back(std::clamp(ratio, least, std::max(0.7, cr)));
                }
                if (lowRankBytes(layers, expected) <= uniformLowRankBytes(layers, cr)) {
                    break;
                }
            }
            const CompotCut cut = compotCut(lowRank(cr), layers, spectra);
            for (std::size_t i = 0; i < layers.size(); ++i) {
                QVERIFY2(near(cut.ratios[i], expected[i], 1e-9),
                         qPrintable(QString("%1 for %2").arg(cut.ratios[i]).arg(expected[i])));
                const auto kept = static_cast<std::size_t>(cut.ranks[i]);
                QVERIFY(kept == 0 || normalised[i][kept - 1] >= cut.threshold - 1e-12);
                QVERIFY(kept == normalised[i].size() ||
                        normalised[i][kept] < cut.threshold + 1e-12);
            }
        }
    }

    // ---- ROCKET

    void programmeAgainstExhaustiveSearch() {
        std::mt19937 random(9);
        std::uniform_int_distribution<int> bytes(100, 9999);
        std::uniform_real_distribution<double> cost(0.01, 1);
        for (int round = 0; round < 200; ++round) {
            std::vector<std::vector<BudgetChoice>> items(3);
            double smallest = 0;
            double largest = 0;
            for (auto& item : items) {
                for (int i = 0; i < 4; ++i) {
                    item.push_back({static_cast<double>(bytes(random)), cost(random)});
                }
                const auto [low, high] = std::minmax_element(
                    item.begin(), item.end(),
                    [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
                smallest += low->bytes;
                largest += high->bytes;
            }
            const double budget = smallest + 0.1 * (round % 11) * (largest - smallest);
            double best = 1e9;
            forEachChoice(items, [&](const std::vector<std::size_t>& choice) {
                if (sumOf(items, choice, &BudgetChoice::bytes) <= budget) {
                    best = std::min(best, sumOf(items, choice, &BudgetChoice::cost));
                }
            });
            const auto chosen = chooseByProgramme(items, budget, 50000);
            QVERIFY(sumOf(items, chosen, &BudgetChoice::bytes) <= budget);
            QVERIFY(near(sumOf(items, chosen, &BudgetChoice::cost), best, 1e-12));
            // Coarse steps hide choices, but never let one exceed the budget or find none.
            const auto coarse = chooseByProgramme(items, budget, 7);
            QVERIFY(sumOf(items, coarse, &BudgetChoice::bytes) <= budget);
        }
        QVERIFY(oracle::errorOf([] {
                    chooseByProgramme({{{5, 1}}, {{6, 1}}}, 10, 100);
                }).contains("exceed"));
    }

    // Three layers of four candidates, error falling with bytes; the second one is the uniform one.
    void rocketAgainstExhaustiveSearch() {
        std::mt19937 random(21);
        std::uniform_int_distribution<int> bytes(500, 2500);
        std::uniform_real_distribution<double> factor(1.05, 2.5);
        std::set<int> bounds;
        for (int round = 0; round < 300; ++round) {
            std::vector<std::vector<BudgetChoice>> items(3);
            for (auto& item : items) {
                double size = 9000;
                double error = 0.05 * factor(random);
                for (int i = 0; i < 4; ++i) {
                    item.push_back({size, error});
                    size -= bytes(random);
                    error *= factor(random);
                }
            }
            const std::vector<std::size_t> uniform(3, 1);
            const auto best = bestByTrying(items, uniform);
            const RocketChoice choice = rocketChoice(items, uniform);
            QVERIFY(sumOf(items, choice.chosen, &BudgetChoice::bytes) <=
                    sumOf(items, uniform, &BudgetChoice::bytes));
            QCOMPARE(choice.bound, best ? best->bound : 0.0);
            if (best) {
                QVERIFY(near(sumOf(items, choice.chosen, &BudgetChoice::cost), best->cost, 1e-12));
            }
            bounds.insert(static_cast<int>(100 * choice.bound));
        }
        QVERIFY(bounds.size() > 10);  // the bound did bind
    }

    // A layer far above the rest has nothing within any bound: it stays as it is, the others share.
    void rocketKeepsWhatNoBoundAdmits() {
        const std::vector<std::vector<BudgetChoice>> items = {{{800, 10}, {700, 12}},
                                                              {{900, 0.1}, {800, 0.2}, {700, 0.4}},
                                                              {{900, 0.2}, {800, 0.5}, {700, 0.6}}};
        QVERIFY(!bestByTrying(items, {0, 1, 1}));
        const RocketChoice choice = rocketChoice(items, {0, 1, 1});
        QCOMPARE(choice.bound, 0.0);
        QVERIFY(choice.chosen == (std::vector<std::size_t>{0, 2, 0}));  // 10 + 0.4 + 0.2
    }

    void rocketTriesBothEnds() {
        const auto are = [](const std::vector<double>& found, const std::vector<double>& expected) {
            bool same = found.size() == expected.size();
            for (std::size_t i = 0; same && i < found.size(); ++i) {
                same = near(found[i], expected[i], 1e-12);
            }
            return same;
        };
        QVERIFY(are(rocketTrials(0.2, 0.01, 0.99), {0.05, 0.125, 0.2, 0.45, 0.7}));
        QVERIFY(are(rocketTrials(0.2, 0.01, 0.24), {0.05, 0.125, 0.2, 0.22, 0.24}));
        QVERIFY(are(rocketTrials(0.03, 0.01, 0.99), {0.03, 0.365, 0.7}));
        QVERIFY(are(rocketTrials(0.8, 0.01, 0.99), {0.05, 0.425, 0.8}));
    }

    // Errors that grow by a power of e with the ratio are what the curves interpolate exactly: all
    // 15³ choices tried.
    void rocketRatiosAgainstExhaustiveSearch() {
        const std::vector<LayerInfo> layers = madeUp({{512, 1024}, {512, 512}, {1024, 512}});
        const std::vector<std::pair<double, double>> laws = {{0.02, 2}, {0.05, 4}, {0.04, 1}};
        const auto error = [&](std::size_t i, double cr) {
            return laws[i].first * std::exp(laws[i].second * cr);
        };
        std::vector<AllocationCurve> curves;
        for (std::size_t i = 0; i < 3; ++i) {
            std::vector<CurvePoint> points;
            for (const double cr : rocketTrials(0.33, 0.01, 0.98)) {
                points.push_back({cr, error(i, cr)});
            }
            curves.emplace_back(points);
        }
        std::vector<double> candidates = {0.33};
        for (int i = 1; i <= 14; ++i) {
            candidates.push_back(i * 0.05);
        }
        std::vector<std::vector<BudgetChoice>> items(3);
        for (std::size_t i = 0; i < 3; ++i) {
            for (const double cr : candidates) {
                items[i].push_back({lowRankBytes(layers[i], cr), error(i, cr)});
            }
        }
        const auto best = bestByTrying(items, {0, 0, 0});
        QVERIFY(best.has_value());
        const RocketRatios shared = rocketRatios(lowRank(0.33), layers, curves);
        QCOMPARE(shared.bound, best->bound);
        QVERIFY(near(shared.meanError, (error(0, .33) + error(1, .33) + error(2, .33)) / 3, 1e-9));
        double cost = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            cost += error(i, shared.ratios[i]);
        }
        // Partial sums that fall into one of 50,000 steps may hide one another.
        QVERIFY2(near(cost, best->cost, 1e-6),
                 qPrintable(QString("%1 %2").arg(cost).arg(best->cost)));
        QVERIFY(lowRankBytes(layers, shared.ratios) <= uniformLowRankBytes(layers, 0.33));
    }
};

COSPADI_TEST(TestPublishedAllocations)

}  // namespace tst_published_allocations

#include "tst_published_allocations.moc"
