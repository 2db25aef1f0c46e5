// The sweeps in resources/sweeps: each is one that can be run, and the one for bytes against
// perplexity has what its table is about.
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/methods/method.h"
#include "core/store/method_label.h"
#include "core/store/run_settings.h"
#include "core/sweep/sweep_grid.h"
#include "tests/registered_test.h"

namespace tst_shipped_sweeps {

using namespace cospadi;
namespace fs = std::filesystem;

namespace {

const fs::path kSweeps = fs::path(COSPADI_SOURCE_DIR) / "resources" / "sweeps";

// Of the default model's linear layers.
constexpr std::pair<std::int64_t, std::int64_t> kShapes[] = {
    {576, 576}, {576, 192}, {576, 1536}, {1536, 576}};

std::vector<RunSpecification> runsOf(const SweepFile& sweep) { return expandGrid(sweep.grid); }

std::map<std::string, std::set<std::string>> valuesByMethod(
    const std::vector<RunSpecification>& runs, const std::string& field) {
    std::map<std::string, std::set<std::string>> values;
    for (const RunSpecification& run : runs) {
        const std::map<std::string, std::string> settings = settingsOf(run);
        if (const auto found = settings.find(field); found != settings.end()) {
            values[methodOf(run).name()].insert(found->second);
        }
    }
    return values;
}

}  // namespace

class TestShippedSweeps : public QObject {
    Q_OBJECT

  private slots:
    void everyRunCanBeStored() {
        int files = 0;
        for (const auto& entry : fs::directory_iterator(kSweeps)) {
            const SweepFile sweep = sweepFile(readGridFile(entry.path()));
            QCOMPARE(sweep.name, entry.path().stem().string());
            QVERIFY(!sweep.evaluate.text.empty());
            for (const RunSpecification& run : runsOf(sweep)) {
                if (isDense(run)) {
                    continue;
                }
                for (const auto& [d1, d2] : kShapes) {
                    methodOf(run).requireShape(run, d1, d2);
                    QVERIFY2(isStorable(run, d1, d2), methodLabel(run).c_str());
                    QVERIFY(methodOf(run).plan(run, d1, d2).bytes() > 0);
                }
            }
            ++files;
        }
        QVERIFY(files >= 2);
    }

    void bytesAgainstPerplexityHasEveryMethod() {
        using Words = std::set<std::string>;
        const SweepFile sweep = sweepFile(readGridFile(kSweeps / "pareto-bytes.yaml"));
        QCOMPARE(sweep.evaluate.text, std::string("wikitext2"));
        QCOMPARE(static_cast<int>(sweep.evaluate.options.maxTokens), 65536);
        // Of items that ship, or are the first of the sets where somebody has those.
        QCOMPARE(sweep.evaluate.tasks.limit, 100.0);
        QCOMPARE(sweep.evaluate.tasks.tasks.size(), std::size_t{4});
        for (const std::string& task : sweep.evaluate.tasks.tasks) {
            QVERIFY2(fs::exists(kSweeps.parent_path() / "tasks" / (task + ".jsonl")), task.c_str());
        }
        const std::vector<RunSpecification> runs = runsOf(sweep);

        auto ratios = valuesByMethod(runs, "cr");
        std::map<std::string, Words> accountings;  // as written: eq11 of low rank is no setting
        for (const RunSpecification& run : runs) {
            accountings[methodOf(run).name()].insert(name(run.accounting));
        }
        QCOMPARE(ratios.size(), std::size_t{8});
        for (const auto& [method, values] : ratios) {
            const bool leavesBlocksOut = method == "replaceme";
            for (const char* ratio : {"0.2", "0.3", "0.4", "0.5", "0.6"}) {
                const bool isFar = leavesBlocksOut && std::string(ratio) >= "0.5";
                QVERIFY2(values.contains(ratio) != isFar, (method + " " + ratio).c_str());
            }
        }
        for (const char* method : {"compot", "rocket", "cospadi"}) {
            QVERIFY2(accountings[method] == (Words{"eq11", "packed8"}), method);
        }
        QVERIFY(accountings["svd-llm-v2"] == Words{"eq11"});
        QVERIFY(accountings["svd-llm"] == (Words{"eq11", "remapped", "integers"}));
        QVERIFY(valuesByMethod(runs, "groups")["cospadi"] == (Words{"none", "all-6"}));
        for (const char* method : {"wanda", "sparsegpt"}) {
            QVERIFY2(valuesByMethod(runs, "pattern")[method] == (Words{"unstructured", "2:4"}),
                     method);
        }
        for (const char* method : {"rtn", "gptq"}) {
            QVERIFY2(valuesByMethod(runs, "bits")[method] == (Words{"2", "3", "4", "8"}), method);
            QVERIFY2(valuesByMethod(runs, "group_size")[method] == (Words{"32", "64"}), method);
        }
        // Without it the model's own file has no place in the picture.
        QVERIFY(std::any_of(runs.begin(), runs.end(), isDense));
    }
};

COSPADI_TEST(TestShippedSweeps)

}  // namespace tst_shipped_sweeps

#include "tst_shipped_sweeps.moc"
