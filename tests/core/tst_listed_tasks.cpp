// Local data for tasks that only lm-eval asks: which files they have, what is written for lm-eval,
// what is refused, and that a plan knows its answers again.
#include <QtTest>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/planned_tasks.h"
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
            << QStringList{"none of the files", "bbh_NAME.jsonl", "gpqa_NAME.jsonl"};
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
};

COSPADI_TEST(TestListedTasks)

}  // namespace tst_listed_tasks

#include "tst_listed_tasks.moc"
