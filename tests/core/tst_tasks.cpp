// The native tasks against lm-eval 0.4.13: its prompts to the character, its choices item by item
// through the same model, its means and errors from the same answers; Python's string functions
// against Python.
//
// COSPADI_ALL_ITEMS=1 compares every recorded item (200 a task, minutes); a few otherwise.
#include <set>

#include "core/base/sha256.h"
#include "core/tasks/python_text.h"
#include "core/tasks/task_evaluator.h"
#include "core/tasks/task_records.h"
#include "oracle_data.h"
#include "tests/registered_test.h"

namespace tst_tasks {

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kShipped = COSPADI_TEST_DATA "/tasks";
const fs::path kShared = COSPADI_SHARED_DIR "/data";
const std::vector<std::string> kTasks = {
    "piqa", "hellaswag", "lambada_openai", "arc_easy", "arc_challenge", "sciq", "race",
    "mmlu", "wikitext",  "winogrande",     "boolq",    "openbookqa",    "copa"};
const std::set<std::string> kWrittenByHand = {"winogrande", "boolq", "openbookqa", "copa"};

const json& reference() {
    static const json file = json::parse(oracle::text(kShipped / "reference.json"));
    return file;
}

// The whole sets where they are, else the records that ship; empty where neither has the task.
fs::path dataOf(const std::string& task) {
    const std::string file = task == "mmlu" ? kMmluFile : knownTask(task)->file;
    for (const fs::path& folder : {kShared, kShipped}) {
        if (!findRecords(folder, file).empty()) {
            return folder;
        }
    }
    return {};
}

std::vector<Task> tasksOf(const std::string& name, double limit = 0) {
    TaskSelection selection;
    selection.data = dataOf(name);
    selection.limit = limit;
    std::vector<Task> tasks = readTasks({name}, selection);
    std::erase_if(tasks, [](const Task& task) { return !reference().contains(task.name); });
    return tasks;
}

std::string digest(const std::string& context, const std::string& continuation) {
    return sha256OfString(context + std::string(1, '\0') + continuation).substr(0, 16);
}

void addTaskRows() {
    QTest::addColumn<QString>("name");
    for (const std::string& task : kTasks) {
        QTest::addRow("%s", task.c_str()) << QString::fromStdString(task);
    }
}

}  // namespace

class TestTasks : public QObject {
    Q_OBJECT

  private slots:
    void textFunctionsAreThoseOfPython() {
        // Each value is what Python 3.11 answers.
        QCOMPARE(pythonLength("aé€😀"), 4);
        QCOMPARE(std::string(pythonStrip("\u00a0\u3000 a b\x1f\n")), std::string("a b"));
        QCOMPARE(std::string(pythonLeftStrip("\t\n a ")), std::string("a "));
        QCOMPARE(std::string(pythonRightStrip(" a \u2003")), std::string(" a"));
        QCOMPARE(std::string(pythonStrip(" \u200b")), std::string("\u200b"));
        QCOMPARE(pythonCapitalize("éCOLE DE Ñandú"), std::string("École de ñandú"));
        QCOMPARE(pythonCapitalize(""), std::string());
        QCOMPARE(pythonLowerFirst("Éva and ÉVA"), std::string("éva and ÉVA"));
        QCOMPARE(pythonLowerFirst("\"Out\""), std::string("\"Out\""));
        QCOMPARE(pythonReplace("aaaa", "aa", "b"), std::string("bb"));
        QCOMPARE(pythonSubstitute("\\[.*?\\]", "", "a [x] b [y\nz] [w]"),
                 std::string("a  b [y\nz] "));
        QCOMPARE(pythonSubstitute(R"(\(\s*([^\)]*?)\s*\))", "(${1})", "( a ) (b\u00a0)"),
                 std::string("(a) (b)"));
        QCOMPARE(pythonMatches("\\s+", " a\u2003b \n c"), 3);
    }

    void promptsAreThoseOfLmEval_data() { addTaskRows(); }
    void promptsAreThoseOfLmEval() {
        QFETCH(QString, name);
        if (dataOf(name.toStdString()).empty()) {
            QSKIP("the data set is not shipped and absent from shared/data");
        }
        const std::vector<Task> tasks = tasksOf(name.toStdString());
        if (tasks.empty()) {
            QSKIP("lm-eval's answers are not recorded");
        }
        std::int64_t compared = 0;
        for (const Task& task : tasks) {
            const json& expected = reference()[task.name];
            QCOMPARE(QString::fromStdString(task.version),
                     QString::fromStdString(expected["version"].get<std::string>()));
            QCOMPARE(task.shots, expected["shots"].get<std::int64_t>());
            const std::size_t count = std::min(task.items.size(), expected["items"].size());
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<std::string> prompts;
                for (const std::string& continuation : task.items[i].continuations) {
                    prompts.push_back(
                        digest(task.items[i].contextOf(prompts.size()), continuation));
                }
                QVERIFY2(prompts == expected["items"][i]["prompts"].get<std::vector<std::string>>(),
                         qPrintable(QString("%1 item %2: %3")
                                        .arg(name)
                                        .arg(i)
                                        .arg(QString::fromStdString(task.items[i].context))));
                ++compared;
            }
        }
        const bool isOwn = kWrittenByHand.contains(name.toStdString());
        QVERIFY(compared >= (name == "wikitext" ? 6 : isOwn ? 16 : 25));
    }

    // The means and errors that lm-eval made of the answers that it recorded.
    void metricsAreThoseOfLmEval_data() { addTaskRows(); }
    void metricsAreThoseOfLmEval() {
        QFETCH(QString, name);
        const fs::path data = dataOf(name.toStdString());
        if (data.empty()) {
            QSKIP("the data set is not shipped and absent from shared/data");
        }
        for (const Task& task : tasksOf(name.toStdString())) {
            const json& expected = reference()[task.name];
            if (task.items.size() < expected["items"].size()) {
                QSKIP("only the first records of the data set are here");
            }
            TaskTally tally(task);
            for (std::size_t i = 0; i < expected["items"].size(); ++i) {
                const json& item = expected["items"][i];
                std::vector<ContinuationScore> scores;
                for (std::size_t c = 0; c < item["log_likelihoods"].size(); ++c) {
                    scores.push_back({item["log_likelihoods"][c].get<double>(),
                                      item.contains("greedy") && item["greedy"][c].get<bool>()});
                }
                tally.add(task.items[i], outcomeOf(task, task.items[i], std::move(scores)));
            }
            std::set<std::string> names;
            for (const TaskMetric& metric : tally.metrics()) {
                names.insert(metric.name);
                const double value = expected["metrics"][metric.name];
                QVERIFY2(std::abs(metric.value - value) <= 1e-6 * std::abs(value),
                         qPrintable(QString("%1 %2: %3, lm-eval %4")
                                        .arg(name, QString::fromStdString(metric.name))
                                        .arg(metric.value)
                                        .arg(value)));
                const json& error = expected["metrics"][metric.name + "_stderr"];
                QCOMPARE(std::isfinite(metric.standardError), error.is_number());
                if (metric.name.starts_with("acc")) {
                    QVERIFY(std::abs(metric.standardError - error.get<double>()) < 1e-9);
                } else if (error.is_number()) {  // lm-eval draws samples for it
                    QVERIFY(std::abs(metric.standardError / error.get<double>() - 1) < 0.2);
                }
            }
            for (const auto& [metric, value] : expected["metrics"].items()) {
                QVERIFY2(metric.ends_with("_stderr") || names.contains(metric), metric.c_str());
            }
        }
    }

    void choicesAreThoseOfLmEval_data() { addTaskRows(); }
    void choicesAreThoseOfLmEval() {
        QFETCH(QString, name);
        SKIP_WITHOUT_MODEL();
        if (dataOf(name.toStdString()).empty()) {
            QSKIP("the data set is not shipped and absent from shared/data");
        }
        const bool all = qEnvironmentVariableIntValue("COSPADI_ALL_ITEMS") != 0;
        if (!all && (name == "wikitext" || name == "race")) {
            QSKIP("long texts: set COSPADI_ALL_ITEMS=1");
        }
        static const Model model = Model::load(*oracle::defaultModel());
        ThreadPool pool;
        TaskEvaluator evaluator(model, pool, {2048, model.config().bosId});
        std::vector<Task> tasks = tasksOf(name.toStdString());
        if (tasks.empty()) {
            QSKIP("lm-eval's answers are not recorded");
        }
        std::int64_t compared = 0;
        for (Task& task : tasks) {
            const json& expected = reference()[task.name]["items"];
            const bool isOwn = kWrittenByHand.contains(name.toStdString());
            const std::size_t most = all || isOwn ? expected.size() : name == "mmlu" ? 2 : 6;
            task.items.resize(std::min({task.items.size(), expected.size(), most}));
            const auto outcome = evaluator.evaluate(task);
            QVERIFY(outcome);
            for (std::size_t i = 0; i < task.items.size(); ++i) {
                std::vector<ContinuationScore> answered;
                for (std::size_t c = 0; c < expected[i]["log_likelihoods"].size(); ++c) {
                    const double known = expected[i]["log_likelihoods"][c];
                    const ContinuationScore& score = outcome->items[i].scores[c];
                    QVERIFY2(std::abs(score.logLikelihood - known) < 1e-5 * std::abs(known) + 2e-4,
                             qPrintable(QString("%1 item %2 continuation %3: %4, lm-eval %5")
                                            .arg(name)
                                            .arg(i)
                                            .arg(c)
                                            .arg(score.logLikelihood)
                                            .arg(known)));
                    if (task.form != TaskForm::Rolling) {
                        QCOMPARE(score.isGreedy, expected[i]["greedy"][c].get<bool>());
                    }
                    answered.push_back({known, score.isGreedy});
                }
                const ItemOutcome its = outcomeOf(task, task.items[i], std::move(answered));
                QCOMPARE(outcome->items[i].chosen, its.chosen);
                QCOMPARE(outcome->items[i].chosenByLength, its.chosenByLength);
                ++compared;
            }
        }
        QVERIFY(compared > 0);
        qInfo("%s: %lld items agree", qPrintable(name), static_cast<long long>(compared));
    }
};

COSPADI_TEST(TestTasks)

}  // namespace tst_tasks

#include "tst_tasks.moc"
