// Records of tasks: their forms, what is wrong with them, and the examples that stand before a
// question.
#include <QTemporaryDir>
#include <fstream>
#include <set>

#include "core/tasks/python_text.h"
#include "core/tasks/task_items.h"
#include "oracle_data.h"
#include "own_folder.h"
#include "small_task_data.h"
#include "tests/registered_test.h"

namespace tst_task_records {

using namespace cospadi;
using nlohmann::json;
using small_task_data::kQuestions;
using small_task_data::writeLines;
namespace fs = std::filesystem;

namespace {

const fs::path kShipped = COSPADI_TEST_DATA "/tasks";

}  // namespace

class TestTaskRecords : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void initTestCase() {
        fs::create_directories(place("data"));
        writeLines(place("data") / "piqa.jsonl", kQuestions);
    }

    void badDataIsNamed_data() {
        QTest::addColumn<QString>("task");
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("content");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown task") << "nothing"
                                      << ""
                                      << ""
                                      << "there is no built-in task nothing";
        QTest::newRow("no file") << "piqa"
                                 << ""
                                 << ""
                                 << "the data of piqa is missing";
        QTest::newRow("empty") << "piqa"
                               << "piqa.jsonl"
                               << "\n"
                               << "contains no records";
        QTest::newRow("no JSON") << "piqa"
                                 << "piqa.jsonl"
                                 << "{\"goal\": "
                                 << "line 1 is not";
        QTest::newRow("no object") << "piqa"
                                   << "piqa.jsonl"
                                   << "\n[1]\n"
                                   << "line 2 is not";
        QTest::newRow("missing field") << "piqa"
                                       << "piqa.jsonl"
                                       << R"({"goal": "a", "sol1": "b", "label": 0})"
                                       << "record 1 has no field \"sol2\"";
        QTest::newRow("wrong type") << "piqa"
                                    << "piqa.jsonl"
                                    << R"({"goal": 7, "sol1": "b", "sol2": "c", "label": 0})"
                                    << "record 1: ";
        QTest::newRow("label beyond the choices")
            << "piqa"
            << "piqa.jsonl"
            << R"({"goal": "a", "sol1": "b", "sol2": "c", "label": 2})"
            << "record 1: its answer is not one of its choices";
        QTest::newRow("label no number")
            << "piqa"
            << "piqa.jsonl"
            << R"({"goal": "a", "sol1": "b", "sol2": "c", "label": ""})"
            << "record 1: its label is not a number";
        QTest::newRow("key among no labels")
            << "arc_easy"
            << "arc_easy.jsonl"
            << R"({"question": "q", "choices": {"text": ["a"], "label": ["A"]}, "answerKey": "B"})"
            << "not one of its choices";
        QTest::newRow("no gap")
            << "winogrande"
            << "winogrande.jsonl"
            << R"({"sentence": "s", "option1": "a", "option2": "b", "answer": "1"})"
            << "record 1: its sentence has no gap _";
        QTest::newRow("an answer is not told")
            << "winogrande"
            << "winogrande.jsonl"
            << R"({"sentence": "_", "option1": "a", "option2": "b", "answer": ""})"
            << "record 1: its label is not a number";
        QTest::newRow("neither cause nor effect")
            << "copa"
            << "copa.jsonl"
            << R"({"premise": "p.", "question": "why", "choice1": "a", "choice2": "b", "label": 0})"
            << "record 1: its question is neither cause nor effect";
        QTest::newRow("neither no nor yes") << "boolq"
                                            << "boolq.jsonl"
                                            << R"({"passage": "p", "question": "q", "label": 2})"
                                            << "its answer is not one of its choices";
        QTest::newRow("no set of openbookqa") << "openbookqa"
                                              << ""
                                              << ""
                                              << "openbookqa.jsonl";
        QTest::newRow("race without problems") << "race"
                                               << "race_high.jsonl"
                                               << R"({"article": "a", "problems": []})"
                                               << "it has no problems";
        QTest::newRow("deep") << "piqa"
                              << "piqa.jsonl" << QString(5000, '[') << "line 1 is not";
        QTest::newRow("rows of another form") << "piqa"
                                              << "piqa.json"
                                              << R"({"rows": [5]})"
                                              << "record 1 is not a JSON object";
        QTest::newRow("no subject")
            << "mmlu_astronomy"
            << "mmlu.jsonl"
            << R"({"question": "q", "choices": ["a","b","c","d"], "answer": 0})"
            << "has no field \"subject\"; required fields are question, subject, choices, answer";
        QTest::newRow("a subject that is no text")
            << "mmlu_astronomy"
            << "mmlu.jsonl"
            << R"({"question": "q", "subject": 5, "choices": ["a","b","c","d"], "answer": 0})"
            << "subject is not a text";
        QTest::newRow("no such subject")
            << "mmlu_botany"
            << "mmlu.jsonl"
            << R"({"question": "q", "subject": "art", "choices": ["a","b","c","d"], "answer": 0})"
            << "the data has no such subject";
    }
    void badDataIsNamed() {
        QFETCH(QString, task);
        QFETCH(QString, file);
        QFETCH(QString, content);
        QFETCH(QString, message);
        const fs::path folder = place("bad");
        fs::remove_all(folder);
        fs::create_directories(folder);
        if (!file.isEmpty()) {
            std::ofstream(folder / file.toStdString()) << content.toStdString();
        }
        TaskSelection selection;
        selection.data = folder;
        const QString error =
            oracle::errorOf([&] { (void)readTasks({task.toStdString()}, selection); });
        QVERIFY2(error.contains(message), qPrintable(error));
        QVERIFY2(file.isEmpty() || error.contains(file), qPrintable(error));
    }

    void otherFormsOfTheSameRecords() {
        const fs::path folder = place("forms");
        fs::create_directories(folder);
        json rows = json::array();
        for (const json& record : kQuestions) {
            rows.push_back({{"row_idx", rows.size()}, {"row", record}});
        }
        std::ofstream(folder / "piqa.json") << json{{"features", {}}, {"rows", rows}};
        TaskSelection selection;
        selection.data = place("data");
        const std::vector<Task> lines = readTasks({"piqa"}, selection);
        selection.data = folder;
        const std::vector<Task> server = readTasks({"piqa"}, selection);
        std::ofstream(folder / "piqa.json") << json(kQuestions);
        const std::vector<Task> list = readTasks({"piqa"}, selection);
        for (std::size_t i = 0; i < kQuestions.size(); ++i) {
            QCOMPARE(server[0].items[i].context, lines[0].items[i].context);
            QCOMPARE(list[0].items[i].continuations, lines[0].items[i].continuations);
        }
    }

    // Released sets have truth values where Hugging Face's copies have 0 and 1.
    void truthValuesAreLabels() {
        const fs::path folder = place("truth");
        fs::create_directories(folder);
        writeLines(folder / "boolq.jsonl",
                   {{{"passage", "p"}, {"question", "q"}, {"label", true}},
                    {{"passage", "p"}, {"question", "q"}, {"label", false}}});
        TaskSelection selection;
        selection.data = folder;
        const Task task = readTasks({"boolq"}, selection).front();
        QCOMPARE(task.items[0].continuations[static_cast<std::size_t>(task.items[0].answer)],
                 std::string(" yes"));
        QCOMPARE(task.items[1].continuations[static_cast<std::size_t>(task.items[1].answer)],
                 std::string(" no"));
    }

    // A group and one of its members, in either order, and a task that is named twice.
    void everyTaskIsAskedOnce() {
        TaskSelection selection;
        selection.data = kShipped;
        const std::size_t subjects = readTasks({"mmlu"}, selection).size();
        for (const std::vector<std::string>& names :
             {std::vector<std::string>{"mmlu", "mmlu_astronomy"}, {"mmlu_astronomy", "mmlu"}}) {
            const std::vector<Task> tasks = readTasks(names, selection);
            std::set<std::string> found;
            for (const Task& task : tasks) {
                found.insert(task.name);
            }
            QCOMPARE(tasks.size(), subjects);
            QCOMPARE(found.size(), subjects);
        }
        QCOMPARE(readTasks({"piqa", "piqa"}, selection).size(), std::size_t{1});
    }

    void examplesAreRefusedWhereThereAreNone() {
        TaskSelection selection;
        selection.data = place("data");
        selection.shots = 5;
        QVERIFY(oracle::errorOf([&] {
                    (void)readTasks({"piqa"}, selection);
                }).contains("has no examples"));
        selection.data = kShipped;
        const Task with = readTasks({"mmlu_astronomy"}, selection).front();
        selection.shots = 0;
        const Task without = readTasks({"mmlu_astronomy"}, selection).front();
        const std::string& text = with.items[0].context;
        QVERIFY(
            text.starts_with("The following are multiple choice questions (with answers) about "
                             "astronomy.\n\n"));
        QCOMPARE(pythonMatches("\nAnswer: [ABCD]\n\n", text), 5);
        const std::size_t start = text.rfind("\n\n") + 2;
        QVERIFY(without.items[0].context.ends_with(text.substr(start)));
        selection.shots = 6;
        QVERIFY(oracle::errorOf([&] {
                    (void)readTasks({"mmlu_astronomy"}, selection);
                }).contains("there are 5"));
    }
};

COSPADI_TEST(TestTaskRecords)

}  // namespace tst_task_records

#include "tst_task_records.moc"
