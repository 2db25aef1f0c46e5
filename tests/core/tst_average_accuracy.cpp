// The mean of accuracies as a metric: of which tasks, when it is there, its standard error; mmlu as
// a group; and that tables, series, filters and lists have it.
#include <QtTest>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/report/average_accuracy.h"
#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/report/run_metrics.h"
#include "core/report/series.h"
#include "core/report/table_design.h"
#include "core/store/task_groups.h"
#include "core/tasks/mmlu_subjects.h"
#include "tests/core/message_of.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_average_accuracy {

using namespace cospadi;
using namespace report_fixture;

class TestAverageAccuracy : public QObject {
    Q_OBJECT

    static constexpr const char* kEight[] = {
        "piqa", "hellaswag", "lambada_openai", "arc_easy", "arc_challenge", "sciq", "race", "mmlu"};

    static TaskResultRow result(const std::string& task, const std::string& metric, double value,
                                double error, std::int64_t samples = 100) {
        TaskResultRow row = taskResult(task, value, samples);
        row.metric = metric;
        row.standardError = error;
        return row;
    }

    // A run with all eight: acc 0.1, 0.2 … 0.8, each with a standard error of 0.01 · its place, and
    // acc_norm 0.05 above in the tasks that have it.
    static RunRow measured(double cr, int seed = 1) {
        RunRow run = storedRun("cospadi", cr, 2, seed, 40.0);
        int place = 0;
        for (const char* task : kEight) {
            ++place;
            const std::string name = task;
            run.taskResults.push_back(result(task, "acc", 0.1 * place, 0.01 * place));
            if (name != "lambada_openai" && name != "race" && name != "mmlu") {
                run.taskResults.push_back(
                    result(task, "acc_norm", 0.1 * place + 0.05, 0.02 * place));
            }
        }
        return run;
    }

    // What the text above comes to: sums by hand.
    static double expected() { return (0.15 + 0.25 + 0.30 + 0.45 + 0.55 + 0.65 + 0.70 + 0.80) / 8; }
    static double expectedError() {
        const double errors[] = {0.02, 0.04, 0.03, 0.08, 0.10, 0.12, 0.07, 0.08};
        double squares = 0;
        for (const double error : errors) {
            squares += error * error;
        }
        return std::sqrt(squares) / 8;
    }

    static void without(RunRow& run, const std::string& task) {
        std::erase_if(run.taskResults, [&](const TaskResultRow& row) { return row.task == task; });
    }

  private slots:
    void isTheMeanOfAllEight() {
        const RunRow run = measured(0.2);
        const Measure measure = commonMeasure({run}, kAverageAccuracy);
        QVERIFY(std::abs(metricOf(run, kAverageAccuracy, measure) - expected()) < 1e-15);
        QVERIFY(std::abs(standardErrorOf(run, kAverageAccuracy, measure) - expectedError()) <
                1e-15);
        const std::string label = inEnglish(measure.label);
        QVERIFY(label.find("piqa/acc_norm") != std::string::npos);
        QVERIFY(label.find("race/acc ") != std::string::npos);
        // An error that is unknown leaves that of the mean unknown, and not smaller.
        RunRow vague = run;
        vague.taskResults[2].standardError = unknownNumber;
        QVERIFY(vague.taskResults[2].metric == "acc");  // hellaswag's plain one counts for nothing
        QVERIFY(standardErrorOf(vague, kAverageAccuracy, measure) > 0);
        vague.taskResults[1].standardError = unknownNumber;
        QCOMPARE(standardErrorOf(vague, kAverageAccuracy, measure), 0.0);
    }

    void isThereWithAllOfThemOnly() {
        for (const char* task : kEight) {
            RunRow run = measured(0.2);
            without(run, task);
            const Measure measure = commonMeasure({run, measured(0.3)}, kAverageAccuracy);
            QVERIFY2(std::isnan(metricOf(run, kAverageAccuracy, measure)), task);
            QCOMPARE(missingTasks(run, measure.tasks), std::vector<std::string>{task});
        }
        // Nor where one was measured on other items than in most runs.
        RunRow other = measured(0.2);
        other.taskResults.back().samples = 7;
        const Measure measure =
            commonMeasure({other, measured(0.3), measured(0.4)}, kAverageAccuracy);
        QVERIFY(std::isnan(metricOf(other, kAverageAccuracy, measure)));
        // Nor without any.
        const RunRow bare = storedRun("cospadi", 0.2, 2, 1, 40.0);
        QVERIFY(
            std::isnan(metricOf(bare, kAverageAccuracy, commonMeasure({bare}, kAverageAccuracy))));
    }

    void takesTasksOfOnesOwn() {
        const RunRow run = measured(0.2);
        const std::string metric = "avg_acc:piqa+race";
        const Measure measure = commonMeasure({run}, metric);
        QVERIFY(std::abs(metricOf(run, metric, measure) - (0.15 + 0.7) / 2) < 1e-15);
        QVERIFY(std::abs(standardErrorOf(run, metric, measure) -
                         std::sqrt(0.02 * 0.02 + 0.07 * 0.07) / 2) < 1e-15);
        for (const char* wrong : {"avg_acc:", "avg_acc:piqa+", "avg_acc:piqa+piqa", "avg_accc"}) {
            QVERIFY2(messageOf([&] { metricFromName(wrong); }) != "no error", wrong);
        }
    }

    void tablesHaveIt() {
        RunRow lacking = measured(0.4);
        without(lacking, "race");
        without(lacking, "mmlu");
        const std::vector<RunRow> runs = {measured(0.2), lacking,
                                          storedRun("svd-llm", 0.2, 2, 1, 90.0)};
        PivotOptions options;
        options.metric = kAverageAccuracy;
        const ReportTable table = pivot(runs, options);
        QCOMPARE(table.rows.size(), std::size_t{1});
        QCOMPARE(table.columns.size(), std::size_t{2});
        const auto& cell = std::get<MeanCell>(table.rows[0].cells[1]);
        QVERIFY(std::abs(cell.mean - expected()) < 1e-15);
        QVERIFY(std::abs(cell.standardError - expectedError()) < 1e-15);
        QVERIFY(noteAbout(table, "avg_acc: mean of").find("mmlu/acc") != std::string::npos);
        const std::string note = noteAbout(table, "have no average");
        QVERIFY2(note.find("1 runs") != std::string::npos &&
                     note.find("mmlu, race") != std::string::npos,
                 note.c_str());
        // Where nobody has it, the nearest run says what it lacks.
        const std::string why = messageOf([&] { pivot({lacking}, options); });
        QVERIFY2(why.find(lacking.id + " lacks race, mmlu") != std::string::npos, why.c_str());

        const ReportTable front =
            series({measured(0.2), measured(0.4), lacking}, {"pareto", kAverageAccuracy, ""});
        QCOMPARE(front.rows.size(), std::size_t{2});
        // Equal accuracy: the one of fewer bytes beats the other.
        QCOMPARE(std::get<std::int64_t>(front.rows[0].cells.back()), std::int64_t{1});
        QCOMPARE(std::get<std::int64_t>(front.rows[1].cells.back()), std::int64_t{0});
        QVERIFY(messageOf([&] {
                    series({lacking}, {"pareto", kAverageAccuracy, ""});
                }).find("lacks race, mmlu") != std::string::npos);

        const ReportTable list = tableOfRuns(runs);
        QCOMPARE(list.columns[10].name, std::string(kAverageAccuracy));
        QVERIFY(std::abs(numberIn(list.rows[0].cells[10]) - expected()) < 1e-15);
        QVERIFY(std::isnan(numberIn(list.rows[1].cells[10])));
        QCOMPARE(tableOfRuns({lacking}).columns[10].name, std::string("status"));
    }

    void standsBesideThePapersOwn() {
        PivotOptions options;
        options.metric = kAverageAccuracy;
        options.rows = {"method"};
        options.columns = {"cr"};
        options.beside = {publishedTable("main-llama3-8b")};
        const ReportTable table = pivot({measured(0.2)}, options);
        bool found = false;
        for (const ReportRow& row : table.rows) {
            found =
                found || std::abs(numberIn(row.cells[1]) - 0.683) < 1e-12;  // Qwen3 14B, CoSpaDi
        }
        QVERIFY(found);
    }

    // The colon in the name of a mean of one's own tasks is no relation.
    void filtersCompare() {
        const RunCondition filter = conditionsIn("avg_acc>=0.5").front();
        QCOMPARE(filter.field, std::string(kAverageAccuracy));
        QVERIFY(filter.relation == Relation::AtLeast);
        QCOMPARE(textOf(filter), std::string("avg_acc>=0.5"));
        QCOMPARE(conditionsIn("avg_acc:piqa+sciq<0.5").front().field,
                 std::string("avg_acc:piqa+sciq"));
        for (const char* wrong : {">=0.5", "avg_acc>=", "avg_acc>much"}) {
            QVERIFY2(messageOf([&] { conditionsIn(wrong); }) != "no error", wrong);
        }
    }

    // The numbers are those of lm-eval 0.4.13's aggregate_subtask_metrics and pooled_sample_stderr
    // for these 57 accuracies and sizes.
    void mmluIsWeightedAsLmEvalDoes() {
        std::vector<TaskResultRow> results;
        for (std::size_t i = 0; i < kMmluSubjects.size(); ++i) {
            const auto n = static_cast<std::int64_t>(100 + 7 * i);
            const double acc = static_cast<double>((37 * static_cast<std::int64_t>(i) + 11) % n) /
                               static_cast<double>(n);
            results.push_back(result(std::string("mmlu_") + kMmluSubjects[i], "acc", acc,
                                     std::sqrt(acc * (1 - acc) / static_cast<double>(n - 1)), n));
        }
        QCOMPARE(results.size(), std::size_t{57});
        std::vector<TaskResultRow> all = results;
        TaskResultRow own = result("mmlu", "acc", 0.4612968231389284, 0.0028936130428791496, 0);
        own.shots = -1;  // as lm-eval's file says of a group: nothing
        all.push_back(own);
        addTaskGroups(all);
        QCOMPARE(all.size(), std::size_t{58});
        const TaskResultRow& group = all.back();
        QCOMPARE(group.task, std::string("mmlu"));
        QVERIFY(std::abs(group.value - 0.4612968231389284) < 1e-14);
        QVERIFY(std::abs(group.standardError - 0.0028936130428791496) < 1e-15);
        QCOMPARE(group.samples, std::int64_t{16872});
        QCOMPARE(group.shots, std::int64_t{0});

        std::vector<TaskResultRow> some(results.begin() + 1, results.end());
        addTaskGroups(some);
        QCOMPARE(some.size(), std::size_t{56});  // one is missing: no group
        std::vector<TaskResultRow> other = results;
        other.front().shots = 5;
        addTaskGroups(other);
        QCOMPARE(other.size(), std::size_t{57});  // one was asked otherwise
        std::vector<TaskResultRow> unknown = results;
        unknown.front().standardError = unknownNumber;
        addTaskGroups(unknown);
        QVERIFY(std::isfinite(unknown.back().value) && std::isnan(unknown.back().standardError));
    }

    // Answers to the first ten items of each, and to all: two results, which are not mixed.
    void limitedSubjectsAreNotMixed() {
        std::vector<TaskResultRow> results;
        for (std::size_t i = 0; i < kMmluSubjects.size(); ++i) {
            const std::string task = std::string("mmlu_") + kMmluSubjects[i];
            results.push_back(result(task, "acc", 0.5, 0.01, 10));
            results.push_back(result(task, "acc", 0.25, 0.01, 100 + static_cast<int>(i)));
        }
        std::vector<TaskResultRow> both = results;
        addTaskGroups(both);
        QCOMPARE(both.size(), results.size() + 2);
        for (const TaskResultRow& row : both) {
            if (row.task == "mmlu") {
                QCOMPARE(row.value, row.samples == 570 ? 0.5 : 0.25);
                QVERIFY(row.samples == 570 || row.samples == 57 * 100 + 56 * 57 / 2);
            }
        }
        // Of one subject the first ten alone: no group of all.
        results.erase(results.begin() + 1);
        addTaskGroups(results);
        QCOMPARE(results.back().task, std::string("mmlu"));
        QCOMPARE(results.back().samples, std::int64_t{570});
        QCOMPARE(results.size(), std::size_t{2 * 57 - 1 + 1});
    }

    // A mean over the eight, and not over seven and 57 subjects.
    void partsOfAGroupAreNoTasksBesideIt() {
        RunRow run = measured(0.2);
        run.taskResults.push_back(result("mmlu_anatomy", "acc", 0.9, 0.1));
        QCOMPARE(accuracyMetrics({run}).size(), std::size_t{8});
        without(run, "mmlu");
        const std::vector<std::string> metrics = accuracyMetrics({run});
        QVERIFY(std::find(metrics.begin(), metrics.end(), "mmlu_anatomy/acc") != metrics.end());
    }
};

COSPADI_TEST(TestAverageAccuracy)

}  // namespace tst_average_accuracy

#include "tst_average_accuracy.moc"
