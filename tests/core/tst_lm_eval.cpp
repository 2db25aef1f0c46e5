// lm-eval's results as values, in runs, in the store and in reports; its tasks over local data; the
// child process; and whole runs, with a stand-in for Python that behaves well or badly, and with
// the real lm-eval where COSPADI_LM_EVAL_PYTHON names one.
#include <sys/wait.h>

#include <QtTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/child_process.h"
#include "core/base/user_directories.h"
#include "core/lm_eval/lm_eval_run.h"
#include "core/lm_eval/local_tasks.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/python_environment.h"
#include "core/lm_eval/task_data.h"
#include "core/report/pivot.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"
#include "served_model.h"

using namespace cospadi;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kData = COSPADI_TEST_DATA "/lm_eval";
const fs::path kRecorded = kData / "results_2026-11-21T02-03-31.333142.json";

void writeText(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

const TaskResultRow& rowOf(const TaskEvaluation& evaluation, const std::string& metric) {
    const auto found = std::find_if(evaluation.results.begin(), evaluation.results.end(),
                                    [&](const TaskResultRow& row) { return row.metric == metric; });
    if (found == evaluation.results.end()) {
        throw Error("is not among the results", metric, "");
    }
    return *found;
}

// Whether a process is there and is no zombie.
bool isRunning(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(status, text);
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
}

}  // namespace

// The current folder, for as long as the object lives.
class Inside {
  public:
    explicit Inside(const fs::path& folder) : m_before(fs::current_path()) {
        fs::create_directories(folder);
        fs::current_path(folder);
    }
    ~Inside() { fs::current_path(m_before); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

  private:
    fs::path m_before;
};

class TestLmEval : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;

    // A folder with modules that leave a mark if Python takes them for its own. Returns the mark.
    fs::path trap(const fs::path& folder) const {
        const fs::path mark = place("mark");
        fs::remove(mark);
        for (const char* module : {"pip", "venv", "ensurepip", "lm_eval", "datasets", "argparse",
                                   "zipfile", "pathlib", "sitecustomize"}) {
            writeText(folder / (std::string(module) + ".py"),
                      "open('" + mark.string() + "', 'a').write(__name__)\n");
        }
        return mark;
    }

    fs::path place(const std::string& name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }

    TaskEvaluation evaluationOf(const std::string& text) const {
        writeText(place("results.json"), text);
        return readTaskEvaluation(place("results.json"));
    }

    // A Python that says it has lm-eval and does `script` when it is asked to run it; $out is the
    // output folder.
    void standIn(const std::string& script) const {
        const std::string text =
            "#!/bin/sh\n"
            "if [ \"$1\" = -c ]; then echo 0.4.13; echo " +
            place("tasks").string() +
            "; exit 0; fi\n"
            "url=; out=\n"
            "while [ $# -gt 0 ]; do case $1 in --output_path) out=$2 ;; esac; shift; done\n" +
            script;
        writeText(place("python"), text);
        fs::permissions(place("python"), fs::perms::owner_all);
        qputenv("COSPADI_LM_EVAL_PYTHON", place("python").c_str());
    }

    LmEvalRequest request() {
        served::model(m_folder);
        LmEvalRequest request;
        request.model = place("a_llama_gqa").string();
        request.tasks = {"toy_mc"};
        request.threads = 1;
        return request;
    }

  private slots:
    void initTestCase() {
        if (const auto model = oracle::defaultModel()) {  // it lies in the folder that changes now
            qputenv("COSPADI_DEFAULT_MODEL", model->c_str());
        }
        qputenv("XDG_DATA_HOME", place("home").c_str());
    }
    void cleanup() { qunsetenv("COSPADI_LM_EVAL_PYTHON"); }

    // The recorded run; the numbers stand in its file and in the independent float64 results.
    void recordedResults() {
        for (const fs::path& source : {kRecorded, kData}) {
            const TaskEvaluation evaluation = readTaskEvaluation(source);
            QCOMPARE(evaluation.results.size(), std::size_t{2});
            const json independent = json::parse(oracle::text(kData / "toy_mc_logliks_fp64.json"));
            QCOMPARE(rowOf(evaluation, "acc").value, independent.at("acc").get<double>());
            QCOMPARE(rowOf(evaluation, "acc_norm").value, independent.at("acc_norm").get<double>());
            QCOMPARE(rowOf(evaluation, "acc").standardError, 0.10942433098048308);
            QCOMPARE(rowOf(evaluation, "acc").samples, 20);
            QCOMPARE(rowOf(evaluation, "acc").shots, 0);
            QCOMPARE(rowOf(evaluation, "acc").version, std::string("1.0"));
            QCOMPARE(evaluation.model, std::string("smollm2"));
            QCOMPARE(evaluation.samples.size(), std::size_t{1});
            QCOMPARE(evaluation.seconds, 89.86918280200007);
        }
    }

    void oddNumbers() {
        const TaskEvaluation evaluation = readTaskEvaluation(kData / "odd_numbers.json");
        QCOMPARE(evaluation.results.size(), std::size_t{4});
        QVERIFY(std::isnan(rowOf(evaluation, "ppl").value));
        QVERIFY(std::isnan(rowOf(evaluation, "ppl").standardError));
        QVERIFY(std::isnan(rowOf(evaluation, "inf").value));
        const TaskResultRow& old = evaluation.results.front();  // tasks by name
        QCOMPARE(old.task, std::string("old"));
        QCOMPARE(old.value, 0.25);
        QCOMPARE(old.standardError, 0.1);
        QCOMPARE(old.shots, -1);
        QCOMPARE(old.version, std::string("0"));
        QVERIFY(old.higherIsBetter);
        QVERIFY(!evaluation.results[1].higherIsBetter);
        QCOMPARE(evaluation.limit, 40.0);
    }

    void unusableResults_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QFile file(QString::fromStdString(kRecorded.string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray whole = file.readAll();
        QTest::newRow("empty") << QByteArray() << "JSON";
        QTest::newRow("cut off") << whole.left(whole.size() / 2) << "JSON";
        QTest::newRow("a list") << QByteArray("[1]") << "results";
        QTest::newRow("no results") << QByteArray("{}") << "results";
        QTest::newRow("empty results") << QByteArray(R"({"results": {}})") << "results";
        QTest::newRow("no numbers")
            << QByteArray(R"({"results": {"t": {"alias": "t"}}})") << "no number";
    }

    void unusableResults() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, says);
        const QString error = oracle::errorOf([&] { evaluationOf(text.toStdString()); });
        QVERIFY2(error.contains(says), qPrintable(error));
        QVERIFY(error.contains("results.json"));
    }

    void nothingWasWritten() {
        fs::create_directories(place("empty"));
        const QString error = oracle::errorOf([&] { readTaskEvaluation(place("empty")); });
        QVERIFY2(error.contains("no results"), qPrintable(error));
    }

    // Into a run, out of its directory, through the store, and into a table.
    void resultsOfARun() {
        const fs::path runs = place("runs");
        const auto makeRun = [&](const std::string& id, double cr) {
            const json document{
                {"format", 1},
                {"id", id},
                {"created", "2026-01-01T00:00:00Z"},
                {"specification", {{"method", "svd"}, {"model", "m"}, {"cr", cr}, {"seed", 1}}}};
            writeText(runs / id / "run.json", document.dump());
            writeText(runs / id / "result.json", R"({"status": "finished"})");
        };
        TaskEvaluation evaluation = readTaskEvaluation(kRecorded);
        for (const auto& [id, cr, shots] :
             {std::tuple("a", 0.2, 0), {"b", 0.3, 0}, {"c", 0.4, 5}, {"d", 0.5, 0}}) {
            makeRun(id, cr);
            for (TaskResultRow& row : evaluation.results) {
                row.shots = shots;
            }
            if (std::string(id) != "d") {
                recordTaskEvaluation(runs / id, evaluation);
            }
        }
        recordTaskEvaluation(runs / "a", readTaskEvaluation(kRecorded));  // replaces, not adds
        RunStore store = RunStore::open(place("store.sqlite"));
        QCOMPARE(store.importTree(runs).imported, 4);
        const RunRow run = store.find("a");
        QCOMPARE(run.taskResults.size(), std::size_t{2});
        QCOMPARE(run.taskResults[0].metric, std::string("acc"));
        QCOMPARE(run.taskResults[0].value, 0.65);
        QCOMPARE(run.taskResults[0].samples, 20);
        QCOMPARE(run.taskResults[1].standardError, 0.10513149660756933);
        const fs::path folder =
            runs / "a" / "evaluations" / fs::path(run.taskResults[0].file).stem();
        QCOMPARE(oracle::text(folder / "results.json"), oracle::text(kRecorded));
        QVERIFY(fs::exists(folder / "samples_toy_mc.jsonl"));
        // Broken evaluations are named, not passed over.
        PivotOptions options;
        options.metric = "toy_mc/acc";
        const ReportTable table = pivot(store.list(), options);
        QCOMPARE(table.rows.size(), std::size_t{1});
        QCOMPARE(table.columns.size(), std::size_t{3});  // method, cr 0.2, cr 0.3: not the 5-shot
        QCOMPARE(numberIn(table.rows[0].cells[1]), 0.65);
        QString notes;
        for (const std::string& note : table.notes) {
            notes += QString::fromStdString(note) + "\n";
        }
        QVERIFY2(notes.contains("0 shots") && notes.contains("1 runs are left out"),
                 qPrintable(notes));
        options.metric = "piqa/acc";
        QVERIFY(oracle::errorOf([&] { pivot(store.list(), options); }).contains("piqa/acc"));
        QVERIFY(store.find("d").taskResults.empty());
    }

    void resultsOfOthers() {
        const fs::path runs = place("external");
        const fs::path run = writeExternalRun(runs, readTaskEvaluation(kRecorded));
        QCOMPARE(writeExternalRun(runs, readTaskEvaluation(kRecorded)), run);
        const RunRecord record = readRunDirectory(run);
        QCOMPARE(record.run.method, std::string("external"));
        QCOMPARE(record.run.model, std::string("smollm2"));
        QCOMPARE(record.run.taskResults.size(), std::size_t{2});
    }

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

    void childSpeaksAndEnds() {
        std::string said;
        const auto take = [&](std::string_view text) { said += text; };
        QCOMPARE(runChild({{"sh", "-c", "echo $WORD; echo error >&2; exit 3"}, {{"WORD", "hello"}}},
                          take)
                     .exitCode,
                 3);
        QCOMPARE(said, std::string("hello\nerror\n"));
        QCOMPARE(runChild({{"sh", "-c", "kill -KILL $$"}, {}}, take).exitCode, 128 + SIGKILL);
        QCOMPARE(runChild({{"/nowhere/at/all"}, {}}, take).exitCode, 127);
    }

    // Also one that ignores SIGTERM's beginning, and what it has started itself.
    void childIsStopped() {
        std::stop_source source;
        std::string said;
        const ChildOutcome outcome = runChild(
            {{"sh", "-c", "sleep 1000 & echo $!; wait"}, {}},
            [&](std::string_view text) {
                said += text;
                source.request_stop();  // once it is known to run
            },
            source.get_token());
        QVERIFY(outcome.stopped);
        QTRY_VERIFY(!isRunning(std::stoi(said)));
    }

    // kill −9 of the program itself.
    void childDiesWithItsParent() {
        std::array<int, 2> report{};
        QCOMPARE(pipe(report.data()), 0);
        const pid_t parent = fork();
        if (parent == 0) {
            runChild({{"sh", "-c", "echo $$; exec sleep 1000"}, {}}, [&](std::string_view text) {
                [[maybe_unused]] auto written = write(report[1], text.data(), text.size());
            });
            _exit(0);
        }
        std::array<char, 32> text{};
        QVERIFY(read(report[0], text.data(), text.size() - 1) > 0);
        const pid_t child = std::atoi(text.data());
        QVERIFY(isRunning(child));
        kill(parent, SIGKILL);
        waitpid(parent, nullptr, 0);
        QTRY_VERIFY(!isRunning(child));
        close(report[0]);
        close(report[1]);
    }

    void wellBehaved() {
        standIn(
            "printf 'Requesting API:  50%%|#####     | 10/20 [00:02<00:02, 5it/s]\\r'\n"
            "mkdir -p $out/m; cp '" +
            kRecorded.string() + "' $out/m/\n");
        std::vector<Progress> progress;
        LmEvalHooks hooks;
        hooks.progress = [&](const Progress& p) { progress.push_back(p); };
        const auto outcome = runLmEval(request(), hooks, {}, place("kept"));
        QVERIFY(outcome.has_value());
        QCOMPARE(rowOf(outcome->evaluation, "acc").value, 0.65);
        QCOMPARE(progress.size(), std::size_t{1});
        QCOMPARE(progress[0].done, 10);
        QCOMPARE(progress[0].total, 20);
        QVERIFY(fs::exists(place("kept") / kRecorded.filename()));
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }

    void badlyBehaved_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QString>("says");
        QTest::newRow("fails") << QByteArray("echo no such task >&2; exit 1") << "no such task";
        QTest::newRow("writes nothing") << QByteArray("echo all done; exit 0") << "no results";
        QTest::newRow("half a file")
            << QByteArray("mkdir -p $out/m; echo '{\"results\": {' > $out/m/results_1.json")
            << "JSON";
    }

    void badlyBehaved() {
        QFETCH(const QByteArray, script);
        QFETCH(const QString, says);
        standIn(script.toStdString() + "\n");
        const QString error = oracle::errorOf([&] { runLmEval(request(), {}, {}); });
        QVERIFY2(error.contains(says), qPrintable(error));
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }

    void cancelled() {
        standIn("echo started; sleep 1000\n");
        std::stop_source source;
        LmEvalHooks hooks;
        hooks.step = [&](const std::string& step) {
            if (step == "lm-eval is starting") {
                source.request_stop();
            }
        };
        QVERIFY(!runLmEval(request(), hooks, source.get_token()).has_value());
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }

    // Python searches the folder it is started in first; the user may stand anywhere.
    void startedInAFolderOfItsOwn() {
        standIn("mkdir -p $out/m; cp '" + kRecorded.string() + "' $out/m/; pwd >'" +
                place("stood").string() + "'; echo \"$PYTHONSAFEPATH\" >>'" +
                place("stood").string() + "'\n");
        const Inside inside(place("elsewhere"));
        LmEvalRequest relative = request();
        QVERIFY(runLmEval(relative, {}, {}).has_value());
        const QString stood = QString::fromStdString(oracle::text(place("stood")));
        QVERIFY2(stood.contains("lm-eval-work/work-") && stood.endsWith("\n1\n"),
                 qPrintable(stood));
        relative.include = place("include");
        writeText(place("include/own.yaml"), "task: own\n");
        QVERIFY(runLmEval(relative, {}, {}).has_value());
        QVERIFY(oracle::text(place("stood")).find("/tasks/included\n") != std::string::npos);
    }

    void modulesOfTheCurrentFolderStayOut() {
        const fs::path here = place("trap");
        const fs::path mark = trap(here);
        const Inside inside(here);
        qputenv("PIP_NO_INDEX", "1");
        qunsetenv("PIP_FIND_LINKS");
        // venv and pip; nothing can be fetched, so that it ends there.
        QString error = oracle::errorOf([] { lmEvalEnvironment(); });
        QVERIFY2(error.contains("require-hashes"), qPrintable(error));
        QVERIFY2(!fs::exists(mark), oracle::text(mark).c_str());
        // An interpreter that was named and has no lm-eval.
        qputenv("COSPADI_LM_EVAL_PYTHON", "python3");
        error = oracle::errorOf([] { lmEvalEnvironment(); });
        QVERIFY2(error.contains("has no lm-eval"), qPrintable(error));
        QVERIFY2(!fs::exists(mark), oracle::text(mark).c_str());
        // The script behind ./run.
        std::string said;
        const auto outcome =
            runChild({{"sh", COSPADI_SOURCE_DIR "/packaging/fetch_model.sh"}, {}, here},
                     [&](std::string_view text) { said += text; });
        QVERIFY(outcome.exitCode != 0);
        QVERIFY2(said.find("package index") != std::string::npos, said.c_str());
        QVERIFY2(!fs::exists(mark), oracle::text(mark).c_str());
        qunsetenv("PIP_NO_INDEX");
    }

    // Every package of the lists in one version, and no file without a hash, from nowhere in
    // particular.
    void lockedPackages() {
        for (const char* name : {"build.txt", "requirements.txt"}) {
            std::istringstream lines(
                oracle::text(fs::path(COSPADI_SOURCE_DIR "/resources/lm_eval") / name));
            std::map<std::string, int> hashes;
            std::string package;
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with("    --hash=sha256:")) {
                    ++hashes[package];
                } else if (!line.starts_with("#")) {
                    package = line.substr(0, line.find(' '));
                    QVERIFY2(package.find("==") != std::string::npos, line.c_str());
                    QVERIFY2(hashes.emplace(package, 0).second, line.c_str());
                }
                QVERIFY2(line.find("://") == std::string::npos, line.c_str());
            }
            for (const auto& [locked, count] : hashes) {
                QVERIFY2(count > 0, locked.c_str());
            }
            QVERIFY(std::any_of(hashes.begin(), hashes.end(), [](const auto& entry) {
                return entry.first.starts_with("setuptools==");
            }));
            QCOMPARE(hashes.contains(std::string("lm-eval==") + lmEvalVersion),
                     std::string(name) == "requirements.txt");
        }
    }

    void homeIsNobodyElses() {
        const QByteArray home = qgetenv("HOME");
        QCOMPARE(xdgDirectory("XDG_DATA_HOME", "x"), place("home"));
        qputenv("HOME", "relative");
        const fs::path account = homeDirectory();
        QVERIFY(account.is_absolute());
        qunsetenv("HOME");
        QCOMPARE(homeDirectory(), account);  // of the account, as without a HOME that counts
        QCOMPARE(xdgDirectory("COSPADI_NOT_SET", "a/b"), account / "a/b");
        qputenv("HOME", "/somewhere");
        QCOMPARE(homeDirectory(), fs::path("/somewhere"));
        qputenv("HOME", home);
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
        const QString error = oracle::errorOf([&] { runLmEval(request(), {}, {}); });
        QVERIFY2(error.contains(name), qPrintable(error));
        QVERIFY2(error.contains("--data") && error.contains("cospadi data fetch toy_mc"),
                 qPrintable(error));
        QVERIFY2(!error.contains("Traceback"), qPrintable(error));
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
                }).contains("there is no task gsm8k"));
        fs::remove_all(fetchedDataDirectory());
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

    // The real lm-eval asks the real server about the default model: every choice's log likelihood
    // against the independent float64 pass, the accuracies against the recorded run.
    void realLmEval() {
        SKIP_WITHOUT_MODEL();
        const QByteArray python = qgetenv("COSPADI_TEST_LM_EVAL_PYTHON");
        if (python.isEmpty()) {
            QSKIP("COSPADI_TEST_LM_EVAL_PYTHON names no Python with lm-eval 0.4.13");
        }
        qputenv("COSPADI_LM_EVAL_PYTHON", python);
        const json task{
            {"include", (kData / "toy_mc.yaml").string()},
            {"task", "toy_mc"},
            {"dataset_kwargs", {{"data_files", {{"test", (kData / "toy_mc.jsonl").string()}}}}}};
        writeText(place("include/toy_mc.yaml"), task.dump());
        LmEvalRequest real;
        real.model = oracle::defaultModel()->string();
        real.tasks = {"toy_mc"};
        real.include = place("include");
        const auto outcome = runLmEval(real, {}, {}, place("real"));
        QVERIFY(outcome.has_value());
        const TaskEvaluation recorded = readTaskEvaluation(kRecorded);
        for (const char* metric : {"acc", "acc_norm"}) {
            QCOMPARE(rowOf(outcome->evaluation, metric).value, rowOf(recorded, metric).value);
            QCOMPARE(rowOf(outcome->evaluation, metric).version, rowOf(recorded, metric).version);
        }
        QCOMPARE(outcome->evaluation.samples.size(), std::size_t{1});
        const TaskEvaluation kept = readTaskEvaluation(place("real"));
        std::map<std::pair<int, int>, std::pair<double, bool>> found;
        std::istringstream lines(oracle::text(kept.samples.at(0)));
        for (std::string line; std::getline(lines, line);) {
            const json sample = json::parse(line);
            int choice = 0;
            for (const json& response : sample.at("filtered_resps")) {
                found[{sample.at("doc_id").get<int>(), choice++}] = {
                    std::stod(response.at(0).get<std::string>()), response.at(1) == "True"};
            }
        }
        double worst = 0;
        const json truth = json::parse(oracle::text(kData / "toy_mc_logliks_fp64.json"));
        for (const json& item : truth.at("items")) {
            const auto& [value, greedy] = found.at({item.at("doc"), item.at("choice")});
            worst = std::max(worst, std::abs(value - item.at("loglik").get<double>()));
            QCOMPARE(greedy, item.at("is_greedy").get<bool>());
        }
        QCOMPARE(truth.at("items").size(), found.size());
        qInfo("%d choices, largest deviation of a log likelihood: %.2e",
              static_cast<int>(found.size()), worst);
        QVERIFY(worst < 1e-3);
    }

    // What a killed predecessor left is swept up; what a living one holds is not.
    void leftovers() {
        writeText(place("home/cospadi/lm-eval-work/1/lock"), "");
        standIn("exit 1\n");
        QVERIFY(!oracle::errorOf([&] { runLmEval(request(), {}, {}); }).isEmpty());
        QVERIFY(fs::is_empty(place("home/cospadi/lm-eval-work")));
    }
};

QTEST_GUILESS_MAIN(TestLmEval)
#include "tst_lm_eval.moc"
