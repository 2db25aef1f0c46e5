// Entries of `cospadi reproduce` whose tasks lm-eval asks: how they are read, what is refused, the
// one that ships, and its metrics as columns.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/report/published.h"
#include "core/reproduce/own_values.h"
#include "core/reproduce/reproduction.h"
#include "tests/core/own_folder.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_reproduced_tasks {

using namespace cospadi;
namespace fs = std::filesystem;

namespace {

constexpr const char* kEntryOfTasks =
    "label: tab:more_bench\nnumber: Table 13\nshows: a table\npublished: [more-bench]\n"
    "protocol:\n  grid: {{method: svd, cr: 0.2}}\n  tasks: {}\n"
    "outputs:\n  - rows: [method, cr]\n    values: {}\n";

std::string refusalOf(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
    try {
        readReproduction(file);
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

TaskResultRow taskResult(const char* task, const char* metric, double value, double error) {
    TaskResultRow row;
    row.task = task;
    row.metric = metric;
    row.value = value;
    row.standardError = error;
    row.samples = 25;
    return row;
}

}  // namespace

class TestReproducedTasks : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    // Names that only lm-eval knows are its business, and a column says which of its metrics it is.
    void tasksOfLmEvalAreRead() {
        const auto refusal = [&](const char* tasks, const char* values) {
            return refusalOf(place("entry.yaml"), fmt::format(kEntryOfTasks, tasks, values));
        };
        const char* asked = "{names: [alpha, omega], by: lm-eval, limit: 4, shots: 2}";
        QCOMPARE(refusal(asked, "[{title: bbh, own: alpha/acc_norm}, error]"),
                 std::string("accepted"));
        const TaskPlan plan = readReproduction(place("entry.yaml")).full.tasks;
        QVERIFY(plan.tasks == (std::vector<std::string>{"alpha", "omega"}));
        QVERIFY(plan.by == TasksBy::LmEval);
        QCOMPARE(plan.limit, 4.0);
        QCOMPARE(plan.shots.value(), std::int64_t{2});
        QCOMPARE(refusal(asked, "[{own: alpha_part/acc_norm}]"), std::string("accepted"));
        const auto names = [&](const char* tasks, const char* values, const char* word) {
            const std::string words = refusal(tasks, values);
            QVERIFY2(words.find("entry.yaml: ") != std::string::npos, words.c_str());
            QVERIFY2(words.find(word) != std::string::npos, words.c_str());
        };
        names(asked, "[{own: alphabet/acc}]", "alphabet is not one of the evaluated tasks");
        names("{names: [alpha]}", "[error]", "no built-in task alpha");
        names("{names: [piqa], by: me}", "[error]", "'me'");
        names("{names: [piqa], data: /sets}", "[error]", "protocol.tasks.data");
        names("{names: [piqa], limit: -1}", "[error]", "protocol.tasks: limit");
        names("{names: [piqa], lmit: 1}", "[error]", "protocol.tasks.lmit");
    }

    // Table 13: its tasks are lm-eval's, each column is a metric of one of them, and --quick asks
    // few items of the same.
    void reasoningTasksAreLmEvals() {
        const Reproduction entry =
            readReproduction(fs::path(COSPADI_SOURCE_DIR) / "resources/reproduce/more_bench.yaml");
        QVERIFY(entry.unavailable.empty());
        QVERIFY(entry.full.tasks.by == TasksBy::LmEval && entry.quick.tasks.by == TasksBy::LmEval);
        QVERIFY(entry.full.tasks.tasks == entry.quick.tasks.tasks);
        QCOMPARE(entry.full.tasks.limit, 0.0);
        QVERIFY(entry.quick.tasks.limit > 0);
        std::map<std::string, std::string> columns;  // by the paper's key
        for (const ValueColumn& column : entry.outputs.front().values) {
            columns[column.published] = column.own;
        }
        const PublishedTable printed = publishedTable("more-bench");
        std::set<std::string> tasks;
        for (const std::string& key : printed.keys) {
            const std::string own = columns[key];
            tasks.insert(own.substr(0, own.find('/')));
        }
        QVERIFY(tasks == std::set<std::string>(entry.full.tasks.tasks.begin(),
                                               entry.full.tasks.tasks.end()));
    }

    // A metric of lm-eval by its own name, in per cent, where it is an accuracy.
    void metricsOfTasksAreValues() {
        std::vector<RunRow> runs = {report_fixture::storedRun("svd", 0.2, 2, 1, 30),
                                    report_fixture::storedRun("svd", 0.3, 2, 1, 30)};
        runs[0].taskResults = {
            taskResult("leaderboard_bbh", "acc_norm", 0.375, 0.0625),
            taskResult("leaderboard_ifeval", "inst_level_strict_acc", 0.25, unknownNumber),
            taskResult("pages", "word_perplexity", 12.5, 0)};
        const OwnValues values(runs);
        const auto mean = std::get<MeanCell>(values.of(runs[0], "leaderboard_bbh/acc_norm"));
        QCOMPARE(mean.mean, 37.5);
        QCOMPARE(mean.standardError, 6.25);
        const ReportCell strict = values.of(runs[0], "leaderboard_ifeval/inst_level_strict_acc");
        QCOMPARE(std::get<double>(strict), 25.0);
        QCOMPARE(numberIn(values.of(runs[0], "pages/word_perplexity")), 12.5);
        QVERIFY(std::isnan(numberIn(values.of(runs[1], "leaderboard_bbh/acc_norm"))));
        QVERIFY(std::isnan(numberIn(values.of(runs[0], "leaderboard_bbh/acc"))));
        QVERIFY(columnOfValue("leaderboard_bbh/acc_norm", "bbh").best == BestValue::Highest);
        QVERIFY(columnOfValue("pages/word_perplexity", "pages").best == BestValue::Lowest);
        const std::string note = values.metricNote("leaderboard_bbh/acc_norm", "bbh");
        for (const char* word : {"bbh of own runs", "acc_norm", "leaderboard_bbh", "25 items"}) {
            QVERIFY2(note.find(word) != std::string::npos, note.c_str());
        }
        QVERIFY(values.metricNote("leaderboard_bbh/acc", "bbh").empty());
        QVERIFY(values.metricNote("perplexity", "perplexity").empty());
    }
};

COSPADI_TEST(TestReproducedTasks)

}  // namespace tst_reproduced_tasks

#include "tst_reproduced_tasks.moc"
