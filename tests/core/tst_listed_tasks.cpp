// Local data for tasks that only lm-eval asks: which files they have, what is written for lm-eval,
// what is refused, and that a plan knows its answers again.
#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/planned_tasks.h"
#include "core/lm_eval/task_check.h"
#include "core/run/dense_run.h"
#include "lm_eval_under_test.h"
#include "tests/registered_test.h"

namespace tst_listed_tasks {

using namespace cospadi;
using lm_eval::kRecorded;
using lm_eval::kSets;
using lm_eval::writeText;
using nlohmann::json;
namespace fs = std::filesystem;

class TestListedTasks : public QObject, lm_eval::UnderTest {
    Q_OBJECT

    fs::path installed() const { return place("tasks"); }
    json overlay(const std::string& task) const {
        return json::parse(oracle::text(place("written") / (task + ".yaml")));
    }

  private slots:
    void initTestCase() {
        useOwnFolders();
        // In the ways that lm-eval's own files are written: quoted keys, comments, includes.
        writeText(installed() / "ifeval/ifeval.yaml",
                  "task: ifeval\ndataset_path: google/IFEval\ndataset_name: null\n"
                  "test_split: train\nmetric_list:\n  - metric: x\n");
        writeText(installed() / "bbh/zeroshot/_template_yaml",
                  "dataset_path: SaylorTwift/bbh  # a mirror\ntest_split: test\n");
        writeText(installed() / "bbh/zeroshot/boolean_expressions.yaml",
                  "\"dataset_name\": \"boolean_expressions\"\n\"include\": \"_template_yaml\"\n"
                  "\"task\": \"bbh_zeroshot_boolean_expressions\"\n");
        writeText(installed() / "bbh/zeroshot/_bbh.yaml",
                  "group: bbh_zeroshot\ntask:\n  - bbh_zeroshot_boolean_expressions\n");
        writeText(installed() / "gpqa/n_shot/main.yaml",
                  "dataset_path: Idavidrein/gpqa\ndataset_name: gpqa_main\ntask: gpqa_main_n_shot\n"
                  "training_split: train\nvalidation_split: train\ntest_split: null\n");
        writeText(installed() / "leaderboard/musr/murder.yaml",
                  "dataset_path: TAUR-Lab/MuSR\ntask: leaderboard_musr_murder_mysteries\n"
                  "test_split: murder_mysteries\n");
        writeText(installed() / "mmlu_pro/math.yaml",
                  "dataset_path: TIGER-Lab/MMLU-Pro\ntask: 'mmlu_pro_math'\ntest_split: test\n"
                  "fewshot_split: validation\n");
        writeText(installed() / "mmlu_pro/other.yaml", "dataset_path: x/y\ntask: of_another_set\n");
    }
    void cleanup() { qunsetenv("COSPADI_LM_EVAL_PYTHON"); }

    void overlaysOfWhatIsThere() {
        std::map<std::string, LocalTask> tasks;
        for (const LocalTask& task : writeLocalTasks(kSets, installed(), place("written"))) {
            tasks.emplace(task.name, task);
        }
        QCOMPARE(tasks.size(), std::size_t{5});  // the data of MATH have no definition here
        const auto check = [&](const std::string& task, const std::string& file,
                               const std::string& definition, const json& splits,
                               const json& files) {
            QCOMPARE(tasks.at(task).data, fs::absolute(kSets / file));
            QCOMPARE(tasks.at(task).dataSha256, sha256OfFile(kSets / file));
            const json written = overlay(task);
            QCOMPARE(written.at("include"), json((installed() / definition).string()));
            QCOMPARE(written.at("dataset_path"), json("json"));
            QVERIFY(written.at("dataset_name").is_null());
            for (const char* split : {"training_split", "validation_split", "test_split"}) {
                QCOMPARE(written.at(split), splits.value(split, json()));
            }
            QCOMPARE(written.at("dataset_kwargs").at("data_files"), files);
        };
        const auto path = [](const char* file) { return fs::absolute(kSets / file).string(); };
        check("ifeval", "ifeval.jsonl", "ifeval/ifeval.yaml", {{"test_split", "train"}},
              {{"train", path("ifeval.jsonl")}});
        check("bbh_zeroshot_boolean_expressions", "bbh_boolean_expressions.jsonl",
              "bbh/zeroshot/boolean_expressions.yaml", {{"test_split", "test"}},
              {{"test", path("bbh_boolean_expressions.jsonl")}});
        check("gpqa_main_n_shot", "gpqa_main.jsonl", "gpqa/n_shot/main.yaml",
              {{"validation_split", "train"}, {"training_split", "train"}},
              {{"train", path("gpqa_main.jsonl")}});
        check("leaderboard_musr_murder_mysteries", "musr_murder_mysteries.jsonl",
              "leaderboard/musr/murder.yaml", {{"test_split", "murder_mysteries"}},
              {{"murder_mysteries", path("musr_murder_mysteries.jsonl")}});
        check("mmlu_pro_math", "mmlu_pro.jsonl", "mmlu_pro/math.yaml", {{"test_split", "test"}},
              {{"test", path("mmlu_pro.jsonl")}, {"validation", path("mmlu_pro_dev.jsonl")}});
    }

    void listsOfRecordsBecomeLines() {
        writeText(place("list/bbh_boolean_expressions.json"),
                  R"([{"input": "not True is", "target": "False"}])");
        const auto tasks = writeLocalTasks(place("list"), installed(), place("written"));
        QCOMPARE(tasks.size(), std::size_t{1});
        const std::string file = overlay("bbh_zeroshot_boolean_expressions")
                                     .at("dataset_kwargs")
                                     .at("data_files")
                                     .at("test");
        QCOMPARE(oracle::text(file),
                 std::string("{\"input\":\"not True is\",\"target\":\"False\"}\n"));
    }

    void refused_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("says");
        QTest::newRow("a field that is missing")
            << "bbh_boolean_expressions.jsonl" << QByteArray(R"({"input": "x"})")
            << QStringList{"record 1", "target", "bbh_boolean_expressions.jsonl"};
        QTest::newRow("no JSON") << "ifeval.jsonl" << QByteArray("prompt")
                                 << QStringList{"line 1", "ifeval.jsonl"};
        QTest::newRow("no examples")
            << "mmlu_pro.jsonl"
            << QByteArray(R"({"question": "x", "options": [], "answer": "A", "category": "math"})")
            << QStringList{"mmlu_pro_dev.jsonl", "mmlu_pro_math"};
        QTest::newRow("a set without tasks")
            << "bbh_unknown.jsonl" << QByteArray("{}")
            << QStringList{"none of the known files", "bbh_NAME.jsonl", "gpqa_NAME.jsonl"};
    }

    void refused() {
        QFETCH(const QString, file);
        QFETCH(const QByteArray, text);
        QFETCH(const QStringList, says);
        const fs::path folder = place("refused");
        fs::remove_all(folder);
        writeText(folder / file.toStdString(), text.toStdString());
        const QString error =
            oracle::errorOf([&] { writeLocalTasks(folder, installed(), place("written")); });
        for (const QString& part : says) {
            QVERIFY2(error.contains(part), qPrintable(error));
        }
    }

    // A sweep asks lm-eval once: an answer on the folder's data is known again, one on other data
    // and one of a chat are not.
    void plansKnowTheirAnswers() {
        json results = json::parse(oracle::text(kRecorded));
        for (auto& [name, section] : results.items()) {
            if (section.is_object() && section.contains("toy_mc")) {
                section["ifeval"] = section["toy_mc"];
                section.erase("toy_mc");
            }
        }
        results["config"]["limit"] = nullptr;
        writeText(place("answer/results_2026-11-21T02-03-31.333142.json"), results.dump());
        standIn("mkdir -p $out/m; cp '" + place("answer").string() + "'/* $out/m/\n");
        // Asked for nltk's data, too.
        const fs::path run = denseRunOf(request().model);
        TaskPlan plan;
        plan.tasks = {"ifeval"};
        plan.by = TasksBy::LmEval;
        plan.data = kSets.string();
        const PlannedTasks planned(plan);
        QCOMPARE(planned.missing(run), plan.tasks);
        QVERIFY(planned.ask(run, {}, {}));
        QVERIFY(planned.missing(run).empty());
        QVERIFY(!planned.results(run).empty());

        const fs::path other = place("other");
        fs::create_directories(other);
        fs::copy_file(kSets / "musr_murder_mysteries.jsonl", other / "musr_murder_mysteries.jsonl");
        plan.data = other.string();
        QCOMPARE(PlannedTasks(plan).missing(run), plan.tasks);

        plan.data = kSets.string();
        for (const auto& entry : fs::directory_iterator(run / "evaluations")) {
            if (entry.path().extension() == ".json") {
                json recorded = json::parse(oracle::text(entry.path()));
                recorded["chat_template"] = "chatml";
                writeText(entry.path(), recorded.dump());
            }
        }
        QCOMPARE(PlannedTasks(plan).missing(run), plan.tasks);
    }

    // Of two tasks only one was fetched, so both are asked of the network; also where the other has
    // been answered before and the fetched one is all that is left.
    void aRestIsAskedOfTheSamePlace() {
        writeText(installed() / "piqa/piqa.yaml", "task: piqa\n");
        const fs::path fetched = place("home/cospadi/task-data/piqa.jsonl");
        writeText(fetched, R"({"goal": "g", "sol1": "a", "sol2": "b", "label": 0})");
        std::string results = oracle::text(kRecorded);
        for (std::size_t at = 0; (at = results.find("toy_mc", at)) != std::string::npos;) {
            results.replace(at, std::string_view("toy_mc").size(), "piqa");
        }
        writeText(place("rest/results_2026-11-21T02-03-31.333142.json"), results);
        standIn("mkdir -p $out/m; cp '" + place("rest").string() + "'/* $out/m/\n");
        const fs::path run = denseRunOf(request().model);
        recordTaskEvaluation(run, readTaskEvaluation(kRecorded));
        TaskPlan plan;
        plan.tasks = {"toy_mc", "piqa"};
        plan.by = TasksBy::LmEval;
        const PlannedTasks planned(plan);
        QCOMPARE(planned.missing(run), std::vector<std::string>{"piqa"});
        const QString error = oracle::errorOf([&] { planned.ask(run, {}, {}); });
        fs::remove(fetched);
        QCOMPARE(error, QString());
        QVERIFY(planned.missing(run).empty());
        QVERIFY(oracle::text(place("arguments")).find("--include_path") == std::string::npos);
    }

    // lm-eval's file says of a group neither shots nor data: the tasks of the same call do.
    void groupsAreOfTheDataOfTheirParts() {
        const fs::path run = place("grouped");
        const auto record = [&](const std::string& data) {
            const auto task = [](const char* name, int shots, const std::string& of) {
                return json{{"task", name},
                            {"version", "1.0"},
                            {"shots", shots},
                            {"samples", 4},
                            {"data_sha256", of},
                            {"metrics", json::array({{{"metric", "exact_match"},
                                                      {"filter", "none"},
                                                      {"value", 0.5},
                                                      {"stderr", 0.25},
                                                      {"higher_is_better", true}}})}};
            };
            writeText(run / "evaluations/lm-eval-1.json",
                      json{{"kind", "lm-eval"},
                           {"created", "2026-11-21T04:15:00Z"},
                           {"lm_eval_version", "0.4.13"},
                           {"chat_template", nullptr},
                           {"limit", 4},
                           {"tasks", json::array({task("leaderboard_math_hard", -1, ""),
                                                  task("leaderboard_math_algebra_hard", 4, data)})}}
                          .dump());
        };
        TaskPlan plan;
        plan.tasks = {"leaderboard_math_hard"};
        plan.by = TasksBy::LmEval;
        plan.limit = 4;
        const auto isAnswered = [&](const fs::path& data) {
            plan.data = data.string();
            return PlannedTasks(plan).missing(run).empty();
        };
        record(sha256OfFile(kSets / "math_algebra.jsonl"));
        QVERIFY(isAnswered(kSets));
        QVERIFY(!isAnswered(""));
        QCOMPARE(PlannedTasks(plan).missing(""), plan.tasks);
        plan.shots = 4;
        QVERIFY(isAnswered(kSets));
        plan.shots = 0;
        QVERIFY(!isAnswered(kSets));
        plan.shots.reset();
        plan.limit = 5;
        QVERIFY(!isAnswered(kSets));
        plan.limit = 4;
        record("of another file");
        QVERIFY(!isAnswered(kSets));
        record("");  // loaded by lm-eval itself
        QVERIFY(!isAnswered(kSets));
        QVERIFY(isAnswered(""));
    }

    // Before anything is made of which lm-eval could not be asked.
    void whatCannotBeAskedIsNamed_data() {
        QTest::addColumn<QByteArray>("load");
        QTest::addColumn<QString>("data");
        QTest::addColumn<QStringList>("says");
        const QString sets = QString::fromStdString(kSets.string());
        QTest::newRow("nothing is wrong") << QByteArray(":") << "" << QStringList{};
        QTest::newRow("nothing is wrong, data of one's own")
            << QByteArray("[ -e $4/ifeval.yaml ] || exit 7") << sets << QStringList{};
        QTest::newRow("no such task") << QByteArray(
                                             "echo \"KeyError: Spec 'nonsense' is not a registered "
                                             "task/group/tag name\"; exit 1")
                                      << "" << QStringList{"nonsense", "0.4.13 has no such task"};
        QTest::newRow("no network")
            << QByteArray(
                   "echo \"ConnectionError: Couldn't reach 'TAUR-Lab/MuSR' on the Hub "
                   "(LocalEntryNotFoundError)\"; exit 1")
            << "" << QStringList{"TAUR-Lab/MuSR could not be reached", "--data"};
        QTest::newRow("not in the folder")
            << QByteArray(
                   "echo \"ConnectionError: Couldn't reach 'TAUR-Lab/MuSR' on the Hub "
                   "(OfflineModeIsEnabled)\"; exit 1")
            << sets << QStringList{"TAUR-Lab/MuSR is not in this folder", sets};
        QTest::newRow("a set that one has to ask for")
            << QByteArray(
                   "echo \"DatasetNotFoundError: Dataset 'Idavidrein/gpqa' is a gated dataset "
                   "on the Hub.\"; exit 1")
            << "" << QStringList{"Idavidrein/gpqa", "HF_TOKEN"};
        QTest::newRow("a package") << QByteArray("echo \"No module named 'sympy'\"; exit 1") << ""
                                   << QStringList{"sympy", "pip install"};
        QTest::newRow("another lm-eval")
            << QByteArray() << "" << QStringList{"has no lm-eval 0.4.13"};
    }

    void whatCannotBeAskedIsNamed() {
        QFETCH(const QByteArray, load);
        QFETCH(const QString, data);
        QFETCH(const QStringList, says);
        standIn("echo asked >'" + place("asked").string() + "'\n", load.toStdString());
        if (load.isEmpty()) {
            qputenv("COSPADI_LM_EVAL_PYTHON", "false");
        }
        TaskPlan plan;
        plan.tasks = {"ifeval", "leaderboard_musr"};
        requireAskable(plan, {}, {});  // natively nothing is looked at, known or not
        plan.by = TasksBy::LmEval;
        plan.data = data.toStdString();
        const QString error = oracle::errorOf([&] { requireAskable(plan, {}, {}); });
        QCOMPARE(error.isEmpty(), says.isEmpty());
        for (const QString& part : says) {
            QVERIFY2(error.contains(part), qPrintable(error));
        }
        QVERIFY(!fs::exists(place("asked")));
    }

    // The real one, of data that are there in part.
    void realLmEvalLoadsTasks() {
        const QByteArray python = qgetenv("COSPADI_TEST_LM_EVAL_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_LM_EVAL_PYTHON names no Python with lm-eval 0.4.13");
        }
        qputenv("COSPADI_LM_EVAL_PYTHON", python);
        TaskPlan plan;
        plan.by = TasksBy::LmEval;
        plan.data = kSets.string();
        plan.tasks = {"leaderboard_musr_murder_mysteries", "leaderboard_mmlu_pro"};
        QCOMPARE(oracle::errorOf([&] { requireAskable(plan, {}, {}); }), QString());
        plan.tasks = {"leaderboard_musr"};  // of three sets that want two more files
        QString error = oracle::errorOf([&] { requireAskable(plan, {}, {}); });
        QVERIFY2(error.contains("TAUR-Lab/MuSR is not in this folder"), qPrintable(error));
        plan.tasks = {"leaderboard_nonsense"};
        error = oracle::errorOf([&] { requireAskable(plan, {}, {}); });
        QVERIFY2(error.contains("leaderboard_nonsense"), qPrintable(error));
    }
};

COSPADI_TEST(TestListedTasks)

}  // namespace tst_listed_tasks

#include "tst_listed_tasks.moc"
