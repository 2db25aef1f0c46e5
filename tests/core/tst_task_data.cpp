// The data of tasks: folders of the user's own as lm-eval is given them, samples that ship, and
// data sets that are fetched, also by the real `datasets` where COSPADI_TEST_LM_EVAL_PYTHON names
// one.
#include <QtTest>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/task_data.h"
#include "core/tasks/task_records.h"
#include "lm_eval_under_test.h"
#include "tests/registered_test.h"

namespace tst_task_data {

using namespace cospadi;
using lm_eval::writeText;
using nlohmann::json;
namespace fs = std::filesystem;

class TestTaskData : public QObject, lm_eval::UnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() { useOwnFolders(); }
    void cleanup() { qunsetenv("COSPADI_LM_EVAL_PYTHON"); }

    void localTasks() {
        const fs::path data = place("data");
        for (const char* definition :
             {"piqa/piqa.yaml", "race/race.yaml", "hellaswag/hellaswag.yaml",
              "mmlu/default/mmlu_anatomy.yaml", "mmlu/default/mmlu_virology.yaml"}) {
            writeText(place("tasks") / definition, "task: x\n");
        }
        writeText(data / "piqa.jsonl",
                  "{\"goal\": \"g\", \"sol1\": \"a\", \"sol2\": \"b\", \"label\": 0}\n");
        writeText(data / "hellaswag.jsonl",
                  "{\"query\": \"q\", \"choices\": [\"a\"], \"gold\": 0}\n");
        writeText(data / "race_high.jsonl",
                  "{\"article\": \"a\", \"problems\": [{\"question\": \"it's\", \"options\": "
                  "[\"1\"], \"answer\": \"A\"}]}\n");
        writeText(
            data / "mmlu.jsonl",
            "{\"question\": \"q\", \"subject\": \"anatomy\", \"choices\": [], \"answer\": 1}\n"
            "{\"question\": \"q\", \"subject\": \"virology\", \"choices\": [], \"answer\": 2}"
            "\n");
        const auto found = writeLocalTasks(data, place("tasks"), place("overlay"));
        QCOMPARE(found.size(), std::size_t{5});
        const json piqa = json::parse(oracle::text(place("overlay/piqa.yaml")));
        QCOMPARE(piqa["dataset_path"].get<std::string>(), std::string("json"));
        QCOMPARE(piqa["dataset_kwargs"]["data_files"]["validation"].get<std::string>(),
                 (data / "piqa.jsonl").string());
        QCOMPARE(piqa["validation_split"].get<std::string>(), std::string("validation"));
        QVERIFY(piqa["test_split"].is_null());
        const json hellaswag = json::parse(oracle::text(place("overlay/hellaswag.yaml")));
        QVERIFY(hellaswag.contains("process_docs") && hellaswag["process_docs"].is_null());
        const json race = json::parse(oracle::text(place("overlay/race_high.jsonl")));
        QVERIFY(race["problems"].is_string());
        QVERIFY(fs::exists(place("overlay/mmlu_virology_test.jsonl")));

        writeText(data / "piqa.jsonl", "{\"goal\": \"g\"}\n");
        const auto error = [&] {
            return oracle::errorOf([&] { writeLocalTasks(data, place("tasks"), place("o")); });
        };
        QVERIFY2(error().contains("sol1") && error().contains("piqa.jsonl"), qPrintable(error()));
        writeText(data / "piqa.jsonl", "not JSON\n");
        QVERIFY2(error().contains("line 1"), qPrintable(error()));
        fs::create_directories(place("nothing"));
        QVERIFY(oracle::errorOf([&] {
                    writeLocalTasks(place("nothing"), place("tasks"), place("o"));
                }).contains("none"));
    }

    // Other tasks whose names begin alike have data of their own.
    void whatBelongsToMmlu() {
        for (const char* task : {"mmlu", "mmlu_stem", "mmlu_anatomy", "mmlu_us_foreign_policy"}) {
            QVERIFY2(isPartOfMmlu(task), task);
        }
        for (const char* task : {"mmlu_pro", "mmlu_generative", "mmlu_pro_biology", "mmlu_"}) {
            QVERIFY2(!isPartOfMmlu(task), task);
        }
        writeText(fetchedDataDirectory() / "mmlu.jsonl", "{}\n");
        QCOMPARE(fetchedDataFor({"mmlu_anatomy"}), fetchedDataDirectory());
        QVERIFY(fetchedDataFor({"mmlu_pro"}).empty());
        const fs::path questions = fetchedDataDirectory() / "mmlu.jsonl";
        const std::string none = mmluDataSha256(questions, 5);
        QCOMPARE(none, mmluDataSha256(questions, 0));
        writeText(fetchedDataDirectory() / "mmlu_dev.jsonl", "{}\n");
        QVERIFY(mmluDataSha256(questions, 5) != none);
        QCOMPARE(mmluDataSha256(questions, 0), none);
        fs::remove_all(fetchedDataDirectory());
        // A subject comes with the others.
        standIn("exit 1\n");
        writeText(place("python"),
                  "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 0.4.13; echo x; exit 0; fi\n"
                  "shift; echo \"fetched $3 3 $1/mmlu.jsonl\"; test $# = 3\n");
        const auto fetched = fetchTaskData({{"mmlu_anatomy", "mmlu_virology"}, {}}, {}, {});
        QCOMPARE(fetched.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(fetched[0].task), QString("mmlu"));
        fs::remove_all(fetchedDataDirectory());
    }

    void noNetwork_data() {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<QString>("name");
        QTest::newRow("datasets") << QByteArray(
                                         "ConnectionError: Couldn't reach 'baber/piqa' on the "
                                         "Hub (LocalEntryNotFoundError)")
                                  << "the data set baber/piqa could not be reached";
        QTest::newRow("hub") << QByteArray("huggingface_hub.errors.OfflineModeIsEnabled: x")
                             << "the data set could not be reached";
    }

    void noNetwork() {
        QFETCH(const QByteArray, said);
        QFETCH(const QString, name);
        standIn("echo 'Traceback (most recent call last):'; echo \"" + said.toStdString() +
                "\"; exit 1\n");
        for (const char* task : {"piqa", "toy_mc"}) {
            LmEvalRequest asked = request();
            asked.tasks = {task};
            const QString error = oracle::errorOf([&] { runLmEval(asked, {}, {}); });
            QVERIFY2(error.contains(name) && error.contains("--data"), qPrintable(error));
            QVERIFY2(!error.contains("Traceback"), qPrintable(error));
            // Which gets what it knows.
            QCOMPARE(error.contains("cospadi data fetch piqa"), asked.tasks.front() == "piqa");
            QCOMPARE(error.contains("cospadi data fetch"), asked.tasks.front() == "piqa");
        }
        const QString fetched = oracle::errorOf([&] {
            fetchTaskData({{"piqa"}, {}}, {}, std::stop_token());
        });
        QVERIFY2(fetched.contains(name) && fetched.contains("--from"), qPrintable(fetched));
    }

    // Samples until something was fetched; a folder that is named counts alone.
    void whereDataComesFrom() {
        NativeRequest native;
        native.model = request().model;
        native.tasks = {"piqa"};
        native.selection.limit = 2;
        native.maxLength = 200;
        native.threads = 1;
        std::string note;
        NativeHooks hooks;
        hooks.note = [&](const std::string& text) { note += text; };
        const auto sample = evaluateTasks(native, hooks, {});
        QCOMPARE(sample->sampled, std::vector<std::string>{"piqa"});
        QVERIFY2(note.find("a sample of 2 items") != std::string::npos, note.c_str());
        QVERIFY(fetchedDataFor({"piqa"}).empty());

        native.tasks = {"sciq"};
        const QString error = oracle::errorOf([&] { evaluateTasks(native, hooks, {}); });
        QVERIFY2(error.contains("cospadi data fetch sciq") && error.contains("--data"),
                 qPrintable(error));

        // $2 is the folder; nothing of the user's goes into the one it is started in.
        standIn("exit 1\n");
        writeText(place("python"),
                  "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 0.4.13; echo x; exit 0; fi\n"
                  "head -3 '" COSPADI_SOURCE_DIR
                  "/resources/tasks/piqa.jsonl' >$2/piqa.jsonl\n"
                  "echo noise; echo \"fetched piqa 3 $2/piqa.jsonl\"\n");
        const auto fetched = fetchTaskData({{"piqa"}, {}}, {}, {});
        QCOMPARE(fetched.size(), std::size_t{1});
        QCOMPARE(fetched[0].items, 3);
        QCOMPARE(fetched[0].file, fetchedDataDirectory() / "piqa.jsonl");
        QCOMPARE(fetchedDataFor({"piqa"}), fetchedDataDirectory());
        QVERIFY(fetchedDataFor({"piqa", "arc_easy"}).empty());
        QVERIFY(fetchedDataFor({"gsm8k"}).empty());
        note.clear();
        native.tasks = {"piqa"};
        native.selection.limit = 0;
        native.again = true;
        const auto whole = evaluateTasks(native, hooks, {});
        QVERIFY(whole->sampled.empty() && note.empty());
        QCOMPARE(whole->items, 3);
        native.selection.data = place("nothing here");
        QVERIFY(
            oracle::errorOf([&] { evaluateTasks(native, hooks, {}); }).contains("nothing here"));
        QVERIFY(oracle::errorOf([&] {
                    fetchTaskData({{"gsm8k"}, {}}, {}, {});
                }).contains("there is no built-in task gsm8k"));
        fs::remove_all(fetchedDataDirectory());
    }

    void aFolderThatCannotBeMadeIsNamed() {
        standIn("exit 1\n");
        writeText(place("a file"), "");
        const QByteArray home = qgetenv("XDG_DATA_HOME");
        qputenv("XDG_DATA_HOME", place("a file").c_str());
        const QString error = oracle::errorOf([&] { fetchTaskData({{"piqa"}, {}}, {}, {}); });
        qputenv("XDG_DATA_HOME", home);
        QVERIFY2(error.contains("a file/cospadi/task-data: cannot be created") &&
                     error.contains("XDG_DATA_HOME to another folder"),
                 qPrintable(error));
    }

    // The script itself, with a stand-in for `datasets`: texts and folders are not only of ASCII,
    // and Python may have been told to print nothing else.
    void textsAndFoldersOfAnyLetters() {
        const std::string libraries = place("libraries").string();
        writeText(place("libraries/datasets/__init__.py"),
                  "def load_dataset(name, configuration, split):\n"
                  "    return [{'goal': 'Überlänge', 'label': 0}]\n");
        standIn("exit 1\n");
        writeText(place("python"),
                  "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 0.4.13; echo x; exit 0; fi\n"
                  "PYTHONPATH='" +
                      libraries + "' PYTHONDONTWRITEBYTECODE=1 exec python3 \"$@\"\n");
        const QByteArray home = qgetenv("XDG_DATA_HOME");
        qputenv("PYTHONIOENCODING", "ascii");
        qputenv("XDG_DATA_HOME", place("Häuser").c_str());
        std::vector<FetchedData> fetched;
        const QString error = oracle::errorOf([&] {
            fetched = fetchTaskData({{"piqa", "mmlu_anatomy"}, {}}, {}, {});
        });
        const fs::path folder = fetchedDataDirectory();
        qputenv("XDG_DATA_HOME", home);
        qunsetenv("PYTHONIOENCODING");
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QCOMPARE(fetched.size(), std::size_t{2});
        QCOMPARE(fetched[0].file, folder / "piqa.jsonl");
        QCOMPARE(fetched[1].file, folder / "mmlu.jsonl");
        QVERIFY(fs::exists(folder / "mmlu_dev.jsonl"));
        QCOMPARE(oracle::text(fetched[0].file),
                 std::string("{\"goal\": \"Überlänge\", \"label\": 0}\n"));
    }

    // The real `datasets` over repositories as the hub has them: every record as it stands there.
    void realFetch() {
        const QByteArray python = qgetenv("COSPADI_TEST_LM_EVAL_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_LM_EVAL_PYTHON names no Python with lm-eval 0.4.13");
        }
        qputenv("COSPADI_LM_EVAL_PYTHON", python);
        const fs::path samples = COSPADI_SOURCE_DIR "/resources/tasks";
        const fs::path hub = place("hub");
        const auto repository = [&](const char* name, const char* config, const char* split,
                                    const fs::path& source) {
            writeText(hub / name / "README.md",
                      std::string("---\nconfigs:\n- config_name: ") + config +
                          "\n  data_files:\n  - split: " + split + "\n    path: data.jsonl\n---\n");
            writeText(hub / name / "data.jsonl", oracle::text(source));
        };
        repository("baber/piqa", "default", "validation", samples / "piqa.jsonl");
        repository("allenai/ai2_arc", "ARC-Easy", "test", samples / "arc_easy.jsonl");
        const auto fetched = fetchTaskData({{"piqa", "arc_easy"}, hub}, {}, {});
        QCOMPARE(fetched.size(), std::size_t{2});
        for (const FetchedData& one : fetched) {
            QCOMPARE(one.items, 100);
            std::istringstream found(oracle::text(one.file));
            std::istringstream original(oracle::text(samples / one.file.filename()));
            std::string a;
            std::string b;
            while (std::getline(original, a) && std::getline(found, b)) {
                QCOMPARE(json::parse(b), json::parse(a));
            }
            QVERIFY(!std::getline(found, b));
        }
        for (const auto& entry : fs::directory_iterator(fetchedDataDirectory())) {
            QVERIFY2(entry.is_regular_file(),
                     entry.path().c_str());  // nothing of the libraries' own
        }
        const QString error = oracle::errorOf([&] { fetchTaskData({{"hellaswag"}, hub}, {}, {}); });
        QVERIFY2(error.contains("no such folder"), qPrintable(error));
        fs::remove_all(fetchedDataDirectory());
    }
};

COSPADI_TEST(TestTaskData)

}  // namespace tst_task_data

#include "tst_task_data.moc"
