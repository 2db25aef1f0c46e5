// The run store against the outside: run directories written here by hand as docs/formats.md says,
// databases built and read back by Python's sqlite3.
#include <linux/magic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/store/iteration_series.h"
#include "core/store/journal_mode.h"
#include "core/store/locations.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/run_lock.h"
#include "core/store/run_store.h"

using namespace cospadi;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Not "x" + std::to_string(i): GCC 12 warns about that wrongly (its bug 105651).
std::string numbered(const char* prefix, int number) {
    return std::string(prefix).append(std::to_string(number));
}

void writeText(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

json specification(const std::string& method) {
    return {{"model", "/models/smol.gguf"},
            {"model_sha256", "ab"},
            {"method", method},
            {"solver", "ksvd"},
            {"layers", "ffn_up"},
            {"cr", 0.2},
            {"rho", 2.0},
            {"accounting", "eq11"},
            {"iterations", 60},
            {"power_iterations", 8},
            {"seed", 7}};
}

void writeRunFile(const fs::path& run, const std::string& id, const std::string& created,
                  const std::string& method = "cospadi") {
    const json document = {{"format", 1},
                           {"id", id},
                           {"created", created},
                           {"specification", specification(method)},
                           {"environment", {{"version", "0.1.0"}, {"cores", 2}}}};
    writeText(run / "run.json", document.dump());
}

void writeFinishedRun(const fs::path& run, const std::string& id, const std::string& created,
                      int matrices = 2, const std::string& method = "cospadi") {
    writeRunFile(run, id, created, method);
    json rows = json::array();
    for (int i = 0; i < matrices; ++i) {
        rows.push_back({{"name", numbered("blk.", i) + ".ffn_up"},
                        {"kind", "ffn_up"},
                        {"block", i},
                        {"d1", 576},
                        {"d2", 1536},
                        {"k", 526},
                        {"s", 263},
                        {"bytes", 1000 + i},
                        {"dense_bytes", 2000},
                        {"relative_error", 0.25 + i},
                        {"iterations", 15},
                        {"seconds", 1.5}});
    }
    writeText(run / "result.json", json{{"status", "finished"},
                                        {"seconds", 12.5},
                                        {"bytes", 2001},
                                        {"dense_bytes", 4000},
                                        {"relative_error", 0.75},
                                        {"matrices", rows}}
                                       .dump());
}

void writeEvaluation(const fs::path& run, const std::string& file, double perplexity,
                     const std::string& created, int context = 512) {
    writeText(run / "evaluations" / file, json{{"kind", "perplexity"},
                                               {"text", "/data/wiki.txt"},
                                               {"text_sha256", "cd"},
                                               {"context", context},
                                               {"max_tokens", 6144},
                                               {"score", "all"},
                                               {"perplexity", perplexity},
                                               {"tokens", 6132},
                                               {"seconds", 3},
                                               {"created", created}}
                                              .dump());
}

std::string iterationEvent(const char* matrix, int number, double error) {
    return json{{"event", "iteration"},
                {"matrix", matrix},
                {"phase", number < 2 ? "orthogonal" : "general"},
                {"iteration", number},
                {"relative_error", error},
                {"dead_atoms", 3},
                {"support_changes", 70'000 * number},
                {"usage_entropy", 0.5},
                {"usage", {9, 4, 1}},
                {"seconds", 0.25}}
               .dump() +
           "\n";
}

// What an independent SQLite says; the arguments follow the script as sys.argv[1:].
QString python(const QString& script, const fs::path& argument) {
    QProcess process;
    process.start("python3", {"-c", "import sqlite3, sys\n" + script, argument.c_str()});
    process.waitForFinished(60000);
    const QString errors = process.readAllStandardError();
    return process.exitCode() == 0 ? QString(process.readAllStandardOutput()).trimmed() : errors;
}

std::string messageOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

#define VERIFY_MESSAGE(action, part)                                      \
    do {                                                                  \
        const std::string caught = messageOf([&] { action; });            \
        QVERIFY2(caught.find(part) != std::string::npos, caught.c_str()); \
    } while (false)

}  // namespace

class TestStore : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_root, m_runs, m_file;

  private slots:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->path().toStdString();
        m_runs = m_root / "runs";
        m_file = m_root / "cospadi.sqlite";
    }

    void locationsFollowTheEnvironment() {
        qputenv("COSPADI_RUNS", "/somewhere/runs/");
        QCOMPARE(storePath(), fs::path("/somewhere/runs/cospadi.sqlite"));
        qunsetenv("COSPADI_RUNS");
        qputenv("XDG_DATA_HOME", "/data");
        QCOMPARE(runsDirectory(), fs::path("/data/cospadi/runs"));
        QCOMPARE(storePath(), fs::path("/data/cospadi/runs/cospadi.sqlite"));
        qputenv("XDG_DATA_HOME", "relative");
        qputenv("HOME", "/home/me");
        QCOMPARE(runsDirectory(), fs::path("/home/me/.local/share/cospadi/runs"));
    }

    void anotherSqliteReadsWhatWasImported() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        writeEvaluation(m_runs / "a", "perplexity-1.json", 33.5, "2026-11-21T05:00:00Z");
        {
            RunStore store = RunStore::open(m_file);
            QCOMPARE(store.importRun(m_runs / "a"), std::string("run-a"));
            QCOMPARE(store.importRun(m_runs / "a"), std::string("run-a"));  // idempotent
            store.tag("run-a", "demo");
        }
        QCOMPARE(
            python("c = sqlite3.connect(sys.argv[1])\n"
                   "print(c.execute('SELECT id, method, iterations, power_iterations, seed,"
                   " matrices, layer_bytes, dense_bytes, relative_error, status FROM runs')"
                   ".fetchall())\n"
                   "print(c.execute('SELECT name, d1, d2, k, s, bytes FROM matrices"
                   " ORDER BY position').fetchall())\n"
                   "print(c.execute('SELECT perplexity, context FROM evaluations').fetchall())\n"
                   "print(c.execute('SELECT tag FROM tags').fetchall(),"
                   " c.execute('SELECT name, value FROM environment').fetchall())\n"
                   "print(c.execute('PRAGMA integrity_check').fetchone(),"
                   " c.execute('PRAGMA foreign_key_check').fetchall(),"
                   " c.execute('PRAGMA journal_mode').fetchone(),"
                   " c.execute('PRAGMA user_version').fetchone())",
                   m_file),
            QString("[('run-a', 'cospadi', 60, 8, 7, 2, 2001, 4000, 0.75, 'finished')]\n"
                    "[('blk.0.ffn_up', 576, 1536, 526, 263, 1000), "
                    "('blk.1.ffn_up', 576, 1536, 526, 263, 1001)]\n"
                    "[(33.5, 512)]\n"
                    "[('demo',)] [('cores', '2'), ('version', '0.1.0')]\n"
                    "('ok',) [] ('wal',) (5,)"));
    }

    void rowsComeBackWhole() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        writeEvaluation(m_runs / "a", "1.json", 40, "2026-11-21T05:00:00Z");
        writeEvaluation(m_runs / "a", "2.json", 33.5, "2026-11-21T06:00:00Z");
        writeEvaluation(m_runs / "a", "3.json", 20, "2026-11-21T05:30:00Z", 2048);
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "a");
        const RunRow run = store.find("run");  // a beginning is enough
        QCOMPARE(run.directory, (m_runs / "a").string());
        QCOMPARE(run.cr, 0.2);
        QCOMPARE(run.measuredRatio(), 1.0 - 2001.0 / 4000.0);
        QCOMPARE(run.evaluations.size(), 2u);  // the latest of each measure
        QCOMPARE(run.evaluations[0].perplexity + run.evaluations[1].perplexity, 53.5);
        QCOMPARE(store.evaluations("run-a").size(), 3u);
        QCOMPARE(store.matrices("run-a").at(1).relativeError, 1.25);
        QCOMPARE(store.environment("run-a").at("cores"), std::string("2"));
        QCOMPARE(json::parse(run.specification), specification("cospadi"));
    }

    void annotationsSurviveAnotherImport() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        writeText(m_runs / "a" / "events.jsonl", iterationEvent("blk.0.ffn_up", 1, 0.5));
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "a");
        QCOMPARE(store.iterations("run-a").size(), 1u);
        QVERIFY(!store.artefacts("run-a").empty());
        store.tag("run-a", "b");
        store.tag("run-a", "a");
        store.tag("run-a", "a");
        store.note("run-a", "first");
        store.note("run-a", "it's \"quoted\"; DROP TABLE runs");
        store.star("run-a");
        writeFinishedRun(m_runs / "moved", "run-a", "2026-11-21T04:15:00Z", 1);
        VERIFY_MESSAGE(store.importRun(m_runs / "moved"), "stands in another directory too");
        QCOMPARE(store.find("run-a").directory, (m_runs / "a").string());
        fs::remove_all(m_runs / "a");
        store.importRun(m_runs / "moved");
        const RunRow run = store.find("run-a");
        QCOMPARE(run.tags, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(run.note, std::string("it's \"quoted\"; DROP TABLE runs"));
        QCOMPARE(store.notes("run-a").size(), 2u);
        QVERIFY(run.starred);
        QCOMPARE(run.directory, (m_runs / "moved").string());
        QCOMPARE(store.matrices("run-a").size(), 1u);
        store.untag("run-a", "a");
        QCOMPARE(store.tags(), std::vector<std::string>{"b"});
        store.remove("run-a");
        QVERIFY(store.list().empty());
        QVERIFY(fs::exists(m_runs / "moved" / "run.json"));
        QCOMPARE(
            python("c = sqlite3.connect(sys.argv[1])\n"
                   "print(sum(c.execute('SELECT count(*) FROM ' + t).fetchone()[0] for t in"
                   " ('matrices', 'iterations', 'artefacts', 'tags', 'notes', 'environment')))",
                   m_file),
            QString("0"));
    }

    // By the kernel's own numbers.
    void journalsFollowTheFileSystem() {
        for (const long type :
             {long{NFS_SUPER_MAGIC}, long{SMB_SUPER_MAGIC}, long{V9FS_MAGIC}, long{AFS_SUPER_MAGIC},
              long{CODA_SUPER_MAGIC}, long{OCFS2_SUPER_MAGIC}}) {
            QVERIFY2(isNetworkFileSystem(type), QByteArray::number(qlonglong(type), 16));
        }
        for (const long type : {long{EXT4_SUPER_MAGIC}, long{BTRFS_SUPER_MAGIC}, long{TMPFS_MAGIC},
                                long{OVERLAYFS_SUPER_MAGIC}, long{F2FS_SUPER_MAGIC}}) {
            QVERIFY2(!isNetworkFileSystem(type), QByteArray::number(qlonglong(type), 16));
        }
        QCOMPARE(QByteArray(journalModeFor("/dev/shm")), QByteArray("WAL"));
    }

    // What people add lies with the run: the index can be deleted, the run taken out of it or
    // moved.
    void annotationsLieWithTheRun() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        const auto file = [&] {
            std::ifstream stream(m_runs / "a" / "annotations.json");
            return json::parse(stream);
        };
        {
            RunStore store = RunStore::open(m_file);
            store.importRun(m_runs / "a");
            QVERIFY(!fs::exists(m_runs / "a" / "annotations.json"));
            store.tag("run-a", "paper");
            store.note("run-a", "first");
            store.note("run-a", "second");
            store.star("run-a");
            VERIFY_MESSAGE(store.note("run-a", ""), "a note needs at least one character");
            QCOMPARE(file()["tags"], json({"paper"}));
            QCOMPARE(file()["notes"], json({"first", "second"}));
            QCOMPARE(file()["noted"][1], json(store.notes("run-a").at(1).created));
            QCOMPARE(file()["starred"], json(true));
            QCOMPARE(file()["archived"], json(false));
            store.remove("run-a");
            store.importRun(m_runs / "a");
            QCOMPARE(store.find("run-a").tags, std::vector<std::string>{"paper"});
            store.archive("run-a");
            store.untag("run-a", "paper");
        }
        const json before = file();
        for (const char* ending : {"", "-wal", "-shm"}) {
            fs::remove(m_file.string() + ending);
        }
        RunStore store = RunStore::open(m_file);
        QCOMPARE(store.importTree(m_runs).imported, 1);
        RunRow run = store.find("run-a");
        QCOMPARE(run.tags.size(), 0u);
        QCOMPARE(run.note, std::string("second"));
        QVERIFY(run.starred && run.archived);
        QCOMPARE(file(), before);
        // As an archive of an older version has it; and with notes of no length, which such a
        // version took.
        writeText(m_runs / "a" / "annotations.json",
                  R"({"tags": ["b", "", "a"], "notes": ["kept", ""], "starred": false})");
        store.importRun(m_runs / "a");
        run = store.find("run-a");
        QCOMPARE(run.tags, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(run.note, std::string("kept"));
        QVERIFY(!run.starred && !run.archived);
        // One that is damaged is told, and what the index has stays.
        writeText(m_runs / "a" / "annotations.json", R"({"tags": "b"})");
        std::vector<std::string> notes;
        store.importRun(m_runs / "a", &notes);
        QCOMPARE(notes.size(), 1u);
        QVERIFY2(notes[0].find("annotations.json: a field has the wrong type") != std::string::npos,
                 notes[0].c_str());
        QCOMPARE(store.find("run-a").tags.size(), 2u);
    }

    // What older versions kept in the index alone goes to the runs with the next import.
    void olderAnnotationsGoToTheRun() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "a");
        store.tag("run-a", "old");
        fs::remove(m_runs / "a" / "annotations.json");
        store.importTree(m_runs);
        QCOMPARE(store.find("run-a").tags, std::vector<std::string>{"old"});
        QVERIFY(fs::exists(m_runs / "a" / "annotations.json"));
    }

    void runsAtWorkAreNotDeleted() {
        writeRunFile(m_runs / "u", "run-u", "2026-11-21T04:15:00Z");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "u");
        {
            const auto lock = RunLock::tryTake(m_runs / "u");
            QVERIFY(lock.has_value());
            QVERIFY(!RunLock::tryTake(m_runs / "u").has_value());
            VERIFY_MESSAGE(store.remove("run-u"), "the run run-u is being written");
        }
        store.remove("run-u");
        QVERIFY(store.list().empty());
    }

    // Whoever looks whether a run is at work shares its lock for a moment: no writer is turned away
    // by that.
    void looksDoNotKeepWritersOut() {
        writeRunFile(m_runs / "u", "run-u", "2026-11-21T04:15:00Z");
        std::atomic<bool> stop{false};
        std::vector<std::jthread> lookers;
        for (int i = 0; i < 3; ++i) {
            lookers.emplace_back([&] {
                while (!stop) {
                    static_cast<void>(isBeingWritten(m_runs / "u"));
                }
            });
        }
        for (int i = 0; i < 2000; ++i) {
            if (!RunLock::tryTake(m_runs / "u")) {
                stop = true;
                QFAIL("turned away");
            }
        }
        stop = true;
    }

    // The index of an older version stands beside the folder, and other folders share it.
    void olderIndicesAreTakenOver() {
        const fs::path older = m_root / "cospadi.sqlite";
        const auto use = [&](const char* folder) {
            qputenv("COSPADI_RUNS", (m_root / folder).string().c_str());
        };
        use("a");
        writeFinishedRun(m_root / "a" / "a-1", "a-1", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_root / "a" / "my-run", "a-2", "2026-11-21T04:16:00Z");
        writeFinishedRun(m_root / "b" / "b-1", "b-1", "2026-11-21T04:17:00Z");
        writeFinishedRun(m_root / "project" / "mine", "p-1", "2026-11-21T04:18:00Z");
        {
            RunStore store = RunStore::open(older);
            for (const char* run : {"a/a-1", "a/my-run", "b/b-1", "project/mine"}) {
                const std::string id = store.importRun(m_root / run);
                store.tag(id, "tag-" + id);
                store.note(id, "note " + id);
                fs::remove(m_root / run / "annotations.json");  // which an older version wrote not
            }
        }
        writeText(m_root / "tables.json", "{\"format\": 1, \"tables\": []}");
        const auto ids = [](const RunStore& store) {
            QStringList found;
            for (const RunRow& run : store.list()) {
                found << (run.id + " " + run.tags.at(0) + " " + run.note).c_str();
            }
            return found.join(", ");
        };
        QCOMPARE(ids(RunStore::openForReading(storePath())),
                 QString("p-1 tag-p-1 note p-1, a-2 tag-a-2 note a-2, a-1 tag-a-1 note a-1"));
        QVERIFY(fs::exists(m_root / "a" / "cospadi.sqlite"));
        QVERIFY(fs::exists(m_root / "a" / "tables.json"));
        QVERIFY(fs::exists(m_root / "a" / "a-1" / "annotations.json"));
        QVERIFY(!fs::exists(m_root / "b" / "b-1" / "annotations.json"));
        // Once: what is deleted here does not come back from there.
        RunStore::open(storePath()).remove("a-1");
        QCOMPARE(ids(RunStore::open(storePath())),
                 QString("p-1 tag-p-1 note p-1, a-2 tag-a-2 note a-2"));
        use("b");
        QCOMPARE(ids(RunStore::open(storePath())),
                 QString("p-1 tag-p-1 note p-1, b-1 tag-b-1 note b-1"));
        // The older one is as it was; a folder without runs takes over what lies elsewhere.
        QCOMPARE(python("print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM runs')"
                        ".fetchone()[0])",
                        older),
                 QString("4"));
        // One that is none of ours, or damaged, is let be; one that is newer is named.
        use("c/runs");
        writeText(m_root / "c" / "cospadi.sqlite", std::string(9000, 'x'));
        QVERIFY(RunStore::open(storePath()).list().empty());
        use("d/runs");
        fs::create_directories(m_root / "d");
        python("c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE t (x)'); c.commit()",
               m_root / "d" / "cospadi.sqlite");
        QVERIFY(RunStore::open(storePath()).list().empty());
        use("e/runs");
        fs::create_directories(m_root / "e");
        fs::copy_file(older, m_root / "e" / "cospadi.sqlite");
        python(
            "c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA user_version = 99');"
            " c.commit()",
            m_root / "e" / "cospadi.sqlite");
        VERIFY_MESSAGE(RunStore::open(storePath()),
                       "e/cospadi.sqlite: the run store has schema 99");
        QVERIFY(!fs::exists(storePath()));
        qunsetenv("COSPADI_RUNS");
    }

    void filters_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("none, newest first") << ""
                                            << "" << QStringList{"c", "b", "a"};
        QTest::newRow("method") << "method"
                                << "svd" << QStringList{"b"};
        QTest::newRow("model") << "model"
                               << "/models/smol.gguf" << QStringList{"c", "b", "a"};
        QTest::newRow("status") << "status"
                                << "interrupted" << QStringList{};
        QTest::newRow("tag") << "tag"
                             << "t%" << QStringList{"a"};
        QTest::newRow("text in a tag, no wildcards") << "text"
                                                     << "T%" << QStringList{"a"};
        QTest::newRow("text in a note") << "text"
                                        << "remember" << QStringList{"c"};
        QTest::newRow("text in the method") << "text"
                                            << "SVD" << QStringList{"c", "b", "a"};
        QTest::newRow("starred") << "starred"
                                 << "" << QStringList{"b"};
        QTest::newRow("archived too") << "archived"
                                      << "" << QStringList{"d", "c", "b", "a"};
        QTest::newRow("limit") << "limit"
                               << "2" << QStringList{"c", "b"};
    }

    void filters() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        QFETCH(QStringList, expected);
        RunStore store = RunStore::open(m_file);
        const std::vector<std::string> methods = {"cospadi", "svd", "svd-llm", "dense"};
        for (std::size_t i = 0; i < 4; ++i) {
            const std::string id(1, static_cast<char>('a' + i));
            writeFinishedRun(m_runs / id, id,
                             numbered("2026-11-2", static_cast<int>(i)) + "T00:00:00Z", 1,
                             methods[i]);
        }
        store.importTree(m_runs);
        store.tag("a", "t%");
        store.tag("b", "tx");
        store.note("c", "Remember me");
        store.star("b");
        store.archive("d");
        RunFilter filter;
        const std::string wanted = value.toStdString();
        filter.method = field == "method" ? wanted : "";
        filter.model = field == "model" ? wanted : "";
        filter.status = field == "status" ? wanted : "";
        filter.tag = field == "tag" ? wanted : "";
        filter.text = field == "text" ? wanted : "";
        filter.starredOnly = field == "starred";
        filter.includeArchived = field == "archived";
        filter.limit = field == "limit" ? value.toInt() : 0;
        QStringList ids;
        for (const RunRow& row : store.list(filter)) {
            ids << row.id.c_str();
        }
        if (field == "text" && value == "SVD") {
            // the solver is "ksvd" in every run
            QCOMPARE(ids.size(), 3);
        }
        QCOMPARE(ids, expected);
    }

    void unfinishedRuns_data() {
        QTest::addColumn<QString>("lastEvent");
        QTest::addColumn<bool>("locked");
        QTest::addColumn<QString>("status");
        QTest::newRow("killed") << R"({"event":"iteration","t":3)" << false << "interrupted";
        QTest::newRow("killed in a pause")
            << R"({"event":"run_paused","t":3})" << false << "interrupted";
        QTest::newRow("at work") << R"({"event":"iteration","t":3})" << true << "running";
        QTest::newRow("paused") << R"({"event":"run_paused","t":3})" << true << "paused";
        QTest::newRow("cancelled")
            << R"({"event":"run_finished","status":"cancelled","t":3})" << true << "cancelled";
    }

    void unfinishedRuns() {
        QFETCH(QString, lastEvent);
        QFETCH(bool, locked);
        QFETCH(QString, status);
        writeRunFile(m_runs / "u", "u", "2026-11-21T04:15:00Z");
        writeText(m_runs / "u" / "events.jsonl",
                  R"({"event":"run_started","t":0})"
                  "\n"
                  R"({"event":"matrix_started","matrix":"x","d1":4,"d2":6,"k":3,"s":2,"t":1})"
                  "\n"
                  R"({"event":"matrix_finished","matrix":"x","relative_error":0.5,"bytes":30,)"
                  R"("dense_bytes":48,"seconds":1,"t":2})"
                  "\n"
                  R"({"event":"run_started","t":0.5})"
                  "\n" +
                      lastEvent.toStdString());
        // As the writer of a run does; `flock` belongs to every Debian.
        QProcess writer;
        if (locked) {
            writer.start("flock", {(m_runs / "u" / "run.lock").c_str(), "sh", "-c",
                                   "echo locked; exec sleep 30"});
            QVERIFY(writer.waitForReadyRead(10000));
        }
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "u");
        writer.kill();
        writer.waitForFinished();
        QCOMPARE(
            python("print(sqlite3.connect(sys.argv[1]).execute('SELECT length(events_stamp) > 0'"
                   " ' FROM runs').fetchone()[0])",
                   m_file),
            status == "running" || status == "paused" ? "0" : "1");  // at work: not stored
        const RunRow run = store.find("u");
        QCOMPARE(run.status, status.toStdString());
        QCOMPARE(run.matrices, 1);
        QCOMPARE(run.layerBytes, 30);
        QCOMPARE(run.seconds, lastEvent.endsWith("}") ? 5.0 : 2.5);  // both starts together
        QCOMPARE(store.matrices("u").at(0).k, 3);
    }

    // One event that is not as ours are: it is passed over and told, the rest counts, and the run
    // leaves the list of those at work.
    void foreignEventsArePassedOver() {
        writeRunFile(m_runs / "u", "u", "2026-11-21T04:15:00Z");
        const std::string begun =
            R"({"event":"matrix_started","matrix":"x","d1":4,"d2":6,"k":3,"s":2,"t":1})"
            "\n";
        writeText(m_runs / "u" / "events.jsonl", begun);
        std::optional<RunLock> lock = RunLock::tryTake(m_runs / "u");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "u");
        QCOMPARE(store.find("u").status, std::string("running"));
        lock.reset();
        writeText(m_runs / "u" / "events.jsonl",
                  begun +
                      R"({"event":["run_finished"],"t":"soon"})"
                      "\n"
                      R"({"event":"matrix_finished","matrix":"x","bytes":"many","t":2})"
                      "\n"
                      R"({"event":"matrix_finished","matrix":"x","relative_error":0.5,"bytes":30,)"
                      R"("dense_bytes":48,"t":2})"
                      "\n");
        std::vector<std::string> notes;
        const RunStore read = RunStore::openForReading(m_file, &notes);
        QCOMPARE(notes.size(), 1u);
        QVERIFY2(notes[0].find("events.jsonl: 2 events have fields of the wrong type") !=
                     std::string::npos,
                 notes[0].c_str());
        QCOMPARE(read.find("u").status, std::string("interrupted"));
        QCOMPARE(read.find("u").layerBytes, 30);
        QCOMPARE(read.matrices("u").at(0).k, 3);
    }

    // rm -r DIR and another run with --out DIR: what the index has of the first is not the
    // second's.
    void aDirectoryBelongsToOneRun_data() {
        QTest::addColumn<bool>("asTree");
        QTest::newRow("imported by itself") << false;
        QTest::newRow("imported with its folder") << true;
    }

    void aDirectoryBelongsToOneRun() {
        QFETCH(bool, asTree);
        const fs::path directory = m_runs / "my-run";
        writeFinishedRun(directory, "first", "2026-11-21T04:15:00Z");
        writeText(directory / "events.jsonl", iterationEvent("blk.0.ffn_up", 1, 0.5));
        RunStore store = RunStore::open(m_file);
        store.importRun(directory);
        QCOMPARE(store.directoryOf("first"), directory);
        fs::remove_all(directory);
        VERIFY_MESSAGE(store.directoryOf("first"), "is gone");
        writeFinishedRun(directory, "second", "2026-11-21T05:15:00Z");
        writeText(directory / "events.jsonl", iterationEvent("blk.0.ffn_gate", 1, 0.25));
        VERIFY_MESSAGE(store.directoryOf("first"), "another run, second");
        QCOMPARE(store.iterations("first").matrices.at(0).matrix, std::string("blk.0.ffn_up"));
        std::vector<std::string> notes;
        if (asTree) {
            notes = store.importTree(m_runs).notes;
        } else {
            store.importRun(directory, &notes);
        }
        QCOMPARE(notes.size(), 1u);
        QVERIFY(notes[0].find("run first") != std::string::npos);
        QCOMPARE(store.find("first").directory, std::string());
        QCOMPARE(store.matrices("first").size(), store.matrices("second").size());
        QCOMPARE(store.directoryOf("second"), directory);
        VERIFY_MESSAGE(store.directoryOf("first"), "is gone");
    }

    void runsAreFoundByTheirDirectory() {
        writeFinishedRun(m_runs / "my-run", "2026-a", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_runs / "other", "2026-b", "2026-11-21T04:15:00Z");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "my-run");
        QCOMPARE(store.find((m_runs / "my-run").string()).id, std::string("2026-a"));
        QCOMPARE(store.find((m_runs / "my-run" / "").string()).id, std::string("2026-a"));
        VERIFY_MESSAGE(store.find((m_runs / "other").string()), "runs import");
        VERIFY_MESSAGE(store.find(m_runs.string()), "no run has this id");
    }

    // A killed process cannot say that it has ended.
    void listsSeeWhatIsAtWork() {
        writeRunFile(m_runs / "u", "u", "2026-11-21T04:15:00Z");
        writeText(m_runs / "u" / "events.jsonl", R"({"event":"run_started","t":0})"
                                                 "\n");
        QProcess writer;
        // Not the child: killed alone, it would leave the lock to it.
        writer.start("flock", {"-o", (m_runs / "u" / "run.lock").c_str(), "sh", "-c",
                               "echo locked; exec sleep 30"});
        QVERIFY(writer.waitForReadyRead(10000));
        RunStore::open(m_file).importRun(m_runs / "u");
        QCOMPARE(RunStore::openForReading(m_file).find("u").status, std::string("running"));
        writer.kill();
        writer.waitForFinished();
        QCOMPARE(RunStore::openForReading(m_file).find("u").status, std::string("interrupted"));
        QCOMPARE(RunStore::open(m_file).find("u").status, std::string("interrupted"));  // stored
    }

    void brokenDirectoriesBecomeWarnings() {
        writeFinishedRun(m_runs / "good", "good", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_runs / "twin", "good", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_runs / "truncated", "truncated", "2026-11-21T04:15:00Z");
        fs::resize_file(m_runs / "truncated" / "result.json", 40);
        writeText(m_runs / "newer" / "run.json",
                  R"({"format": 2, "id": "n", "specification": {}})");
        writeText(m_runs / "typed" / "run.json", R"({"format": 1, "id": 5, "specification": {}})");
        fs::create_directories(m_runs / "empty");
        writeText(m_runs / "a file", "not a run");
        RunStore store = RunStore::open(m_file);
        const ImportSummary summary = store.importTree(m_runs);
        QCOMPARE(summary.imported, 1);
        QCOMPARE(summary.warnings.size(), 5u);
        QCOMPARE(store.list().size(), 1u);
        VERIFY_MESSAGE(store.importRun(m_runs / "truncated"), "result.json: not valid JSON");
        VERIFY_MESSAGE(store.importRun(m_runs / "newer"), "newer cospadi");
        VERIFY_MESSAGE(store.importRun(m_runs / "typed"), "wrong type");
        VERIFY_MESSAGE(store.importRun(m_runs / "empty"), "no run.json");
        VERIFY_MESSAGE(store.importTree(m_root / "absent"), "cannot be read");
    }

    void bareNonFiniteNumbersAreRead() {
        // No raw strings here: moc 6.4 loses its way at \" inside one.
        const json read = parseTolerantJson(
            "{\"a\": NaN, \"b\": [-Infinity, Infinity, 1], \"c\": \"NaN \\\" Infinity\"}", "x");
        const json expected = {
            {"a", nullptr}, {"b", {nullptr, nullptr, 1}}, {"c", "NaN \" Infinity"}};
        QCOMPARE(read, expected);
        VERIFY_MESSAGE(parseTolerantJson("{\"a\": NoN}", "file.json"), "file.json: not valid JSON");
        writeFinishedRun(m_runs / "a", "a", "2026-11-21T04:15:00Z");
        writeText(m_runs / "a" / "evaluations" / "p.json", R"({"perplexity": NaN, "tokens": 5})");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "a");
        QVERIFY(std::isnan(store.evaluations("a").at(0).perplexity));
        QCOMPARE(store.evaluations("a").at(0).tokens, 5);
    }

    void olderStoresAreMigrated_data() {
        QTest::addColumn<int>("version");
        QTest::newRow("schema 1") << 1;
        QTest::newRow("schema 2") << 2;
        QTest::newRow("schema 4") << 4;
    }

    // A store as an older program left it, written by Python from the released schema files, with a
    // run in it whose directory is still there.
    void olderStoresAreMigrated() {
        QFETCH(int, version);
        writeFinishedRun(m_runs / "old", "old", "2026-11-21T04:15:00Z");
        writeText(m_runs / "old" / "events.jsonl", iterationEvent("blk.0.ffn_up", 1, 0.5));
        QCOMPARE(
            python(QString("import glob, os\n"
                           "c = sqlite3.connect(sys.argv[1])\n"
                           "steps = sorted(glob.glob('" COSPADI_SOURCE_DIR
                           "/resources/schema/*.sql'))\n"
                           "for step in steps[:%1]: c.executescript(open(step).read())\n"
                           "c.execute(\"INSERT INTO runs (id, directory, created, status, model,"
                           " method, cr, specification, starred) VALUES ('old', ?, '2026-01-01',"
                           " 'finished', 'm', 'svd', 0.3, '{}', 1)\","
                           " [os.path.dirname(sys.argv[1]) + '/runs/old'])\n"
                           "c.execute(\"INSERT INTO matrices (run, position, name) VALUES"
                           " (1, 0, 'blk.0.ffn_up')\")\n"
                           "if %1 > 1: c.execute(\"INSERT INTO tags VALUES (1, 'mine')\")\n"
                           "c.execute('PRAGMA application_id = 0x43535044')\n"
                           "c.execute('PRAGMA user_version = %1')\n"
                           "c.commit()\n"
                           "print('made')")
                       .arg(version),
                   m_file),
            QString("made"));
        VERIFY_MESSAGE(RunStore::open(m_file, RunStore::Access::ReadOnly),
                       numbered("older schema ", version));
        RunStore store = RunStore::open(m_file);
        QCOMPARE(store.find("old").cr, 0.3);
        QVERIFY(store.find("old").starred);
        QCOMPARE(store.matrices("old").size(), 1u);
        QCOMPARE(store.find("old").tags.size(), version > 1 ? 1u : 0u);
        // Nothing is stored of its course yet: the events answer; then it is taken in.
        QCOMPARE(store.iterations("old").size(), 1u);
        QCOMPARE(store.artefacts("old").size(), 0u);
        store.importRun(m_runs / "old");
        QVERIFY(store.find("old").starred);
        fs::remove(m_runs / "old" / "events.jsonl");
        QCOMPARE(store.iterations("old").size(), 1u);
        QCOMPARE(store.artefacts("old").size(), 3u);
        store.tag("old", "kept");
        RunFilter kept;
        kept.tag = "kept";
        QCOMPARE(store.list(kept).size(), 1u);
        QCOMPARE(python("c = sqlite3.connect(sys.argv[1])\n"
                        "print(c.execute('PRAGMA user_version').fetchone()[0],"
                        " c.execute('PRAGMA integrity_check').fetchone()[0],"
                        " c.execute('PRAGMA foreign_key_check').fetchall())",
                        m_file),
                 QString("5 ok []"));
    }

    void refusedFiles_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("message");
        QTest::newRow("newer") << "c = sqlite3.connect(sys.argv[1])\n"
                                  "c.execute('CREATE TABLE future (x)')\n"
                                  "c.execute('PRAGMA application_id = 0x43535044')\n"
                                  "c.execute('PRAGMA user_version = 99')\nc.commit()"
                               << "schema 99, written by a newer cospadi";
        // The first that an older program would meet, and in which only the number is new.
        QTest::newRow("one newer") << "import glob\n"
                                      "c = sqlite3.connect(sys.argv[1])\n"
                                      "steps = sorted(glob.glob('" COSPADI_SOURCE_DIR
                                      "/resources/schema/*.sql'))\n"
                                      "for step in steps: c.executescript(open(step).read())\n"
                                      "c.execute('PRAGMA application_id = 0x43535044')\n"
                                      "c.execute('PRAGMA user_version = %d' % (len(steps) + 1))\n"
                                      "c.commit()"
                                   << "written by a newer cospadi; this one knows up to 5";
        QTest::newRow("foreign") << "c = sqlite3.connect(sys.argv[1])\n"
                                    "c.execute('CREATE TABLE bookmarks (x)')\nc.commit()"
                                 << "not a run store";
        QTest::newRow("no database") << "open(sys.argv[1], 'w').write('hello ' * 1000)"
                                     << "damaged or not an SQLite file";
        QTest::newRow("a directory") << "import os; os.mkdir(sys.argv[1])"
                                     << "cannot be opened";
    }

    void refusedFiles() {
        QFETCH(QString, script);
        QFETCH(QString, message);
        QCOMPARE(python(script, m_file), QString());
        const auto before = python("print(open(sys.argv[1], 'rb').read().hex())", m_file);
        VERIFY_MESSAGE(RunStore::open(m_file), message.toStdString());
        VERIFY_MESSAGE(RunStore::open(m_file), "(");  // with a hint
        QCOMPARE(python("print(open(sys.argv[1], 'rb').read().hex())", m_file), before);
    }

    void readOnlyStores() {
        writeFinishedRun(m_runs / "a", "a", "2026-11-21T04:15:00Z");
        VERIFY_MESSAGE(RunStore::open(m_file, RunStore::Access::ReadOnly), "no run store yet");
        { RunStore::open(m_file).importRun(m_runs / "a"); }
        {
            RunStore reader = RunStore::open(m_file, RunStore::Access::ReadOnly);
            QCOMPARE(reader.list().size(), 1u);
            VERIFY_MESSAGE(reader.tag("a", "x"), "read-only");
            VERIFY_MESSAGE(reader.importRun(m_runs / "a"), "read-only");
        }
        // As a store lies on a medium that nobody can write: without the files of WAL.
        fs::remove(m_file.string() + "-wal");
        fs::remove(m_file.string() + "-shm");
        // Permissions bind nobody who is root: be someone else for a moment.
        const bool isRoot = ::geteuid() == 0;
        ::chmod(m_file.c_str(), 0444);
        ::chmod(m_root.c_str(), 0555);
        if (isRoot) {
            QCOMPARE(::seteuid(65534), 0);
        }
        const std::string writing = messageOf([&] { RunStore::open(m_file); });
        const std::string reading = messageOf([&] {
            const RunStore store = RunStore::open(m_file, RunStore::Access::ReadOnly);
            QCOMPARE(store.list().size(), 1u);
        });
        if (isRoot) {
            QCOMPARE(::seteuid(0), 0);
        }
        ::chmod(m_root.c_str(), 0755);
        QVERIFY2(writing.find("the run store is read-only") != std::string::npos, writing.c_str());
        QCOMPARE(reading, std::string("no error"));
    }

    void twoWritersShareTheFile() {
        for (int i = 0; i < 40; ++i) {
            const std::string id = numbered("r", i);
            writeFinishedRun(m_runs / id, id, "2026-11-21T04:15:00Z", 20);
        }
        { RunStore::open(m_file); }
        std::vector<std::string> errors(2);
        std::vector<std::thread> writers;
        for (int w = 0; w < 2; ++w) {
            writers.emplace_back([&, w] {
                errors[static_cast<std::size_t>(w)] = messageOf([&] {
                    RunStore store = RunStore::open(m_file);
                    for (int i = w; i < 40; i += 2) {
                        store.importRun(m_runs / (numbered("r", i)));
                    }
                });
            });
        }
        for (std::thread& writer : writers) {
            writer.join();
        }
        QCOMPARE(errors, (std::vector<std::string>{"no error", "no error"}));
        QCOMPARE(RunStore::open(m_file).list().size(), 40u);
    }

    void unknownRuns() {
        writeFinishedRun(m_runs / "a", "run-1", "2026-11-21T04:15:00Z");
        writeFinishedRun(m_runs / "b", "run-2", "2026-11-21T04:15:00Z");
        RunStore store = RunStore::open(m_file);
        store.importTree(m_runs);
        VERIFY_MESSAGE(store.find("absent"), "absent: no run has this id");
        VERIFY_MESSAGE(store.find(""), "no run has this id");
        VERIFY_MESSAGE(store.find("run-"), "more than one run");
        VERIFY_MESSAGE(store.tag("absent", "x"), "no run has this id");
        VERIFY_MESSAGE(store.tag("run-1", ""), "at least one character");
    }

    void iterationsAreReadFromTheEvents() {
        const std::string start = R"({"event":"matrix_started","matrix":"b"})"
                                  "\n";
        // a and b are worked on side by side, the process is killed, b is begun again.
        writeText(m_root / "events.jsonl",
                  iterationEvent("a", 1, 0.5) + start + iterationEvent("b", 1, 0.75) +
                      iterationEvent("a", 2, 0.25) + "{\"event\":\"iter\n" + start +
                      iterationEvent("b", 1, 0.7) + iterationEvent("b", 2, 0.6) +
                      "{\"event\": \"itera");
        const IterationSeries series = readIterations(m_root);
        QCOMPARE(series.size(), 4u);
        QCOMPARE(series.brokenLines, 2);
        QCOMPARE(series.matrices.size(), 2u);
        QCOMPARE(series.matrices[0].matrix, std::string("a"));
        QCOMPARE(series.matrices[0].relativeError, (std::vector<float>{0.5F, 0.25F}));
        QCOMPARE(series.matrices[1].relativeError, (std::vector<float>{0.7F, 0.6F}));
        QCOMPARE(series.matrices[1].iteration, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(series.matrices[1].phase(0), std::string("orthogonal"));
        QCOMPARE(series.matrices[1].phase(1), std::string("general"));
        QCOMPARE(readIterations(m_root / "absent").size(), 0u);
    }

    void eventLines_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("iterations");
        QTest::addColumn<int>("broken");
        const QString whole = "{\"event\":\"iteration\",\"matrix\":\"a\",\"iteration\":1%1}";
        QTest::newRow("least") << whole.arg("") << 1 << 0;
        QTest::newRow("spaced") << "  { \"event\" : \"iteration\", \"iteration\":1 ,"
                                   "\"matrix\":\"a\"\t} \r"
                                << 1 << 0;
        QTest::newRow("null") << whole.arg(",\"relative_error\":null") << 1 << 0;
        QTest::newRow("an escape") << whole.arg(",\"message\":\"a \\\"quote\\\" }\"") << 1 << 0;
        QTest::newRow("an object inside") << whole.arg(",\"more\":{\"x\":[1]}") << 1 << 0;
        QTest::newRow("nested arrays") << whole.arg(",\"more\":[[1],[\"]\"]]") << 1 << 0;
        QTest::newRow("escaped name")
            << "{\"event\":\"iteration\",\"matrix\":\"a\\u0041\",\"iteration\":1}" << 1 << 0;
        QTest::newRow("another event") << "{\"event\":\"run_started\",\"t\":0}" << 0 << 0;
        QTest::newRow("no matrix") << "{\"event\":\"iteration\",\"iteration\":1}" << 0 << 1;
        QTest::newRow("no number") << "{\"event\":\"iteration\",\"matrix\":\"a\"}" << 0 << 1;
        QTest::newRow("wrong type") << "{\"event\":5}" << 0 << 1;
        QTest::newRow("no object") << "[1]" << 0 << 1;
        QTest::newRow("empty") << "{}" << 0 << 1;
        QTest::newRow("infinite") << whole.arg(",\"seconds\":inf") << 0 << 1;
        QTest::newRow("two objects") << whole.arg("") + whole.arg("") << 0 << 1;
    }

    void eventLines() {
        QFETCH(QString, line);
        QFETCH(int, iterations);
        QFETCH(int, broken);
        writeText(m_root / "events.jsonl", line.toStdString() + "\n");
        const IterationSeries series = readIterations(m_root);
        QCOMPARE(static_cast<int>(series.size()), iterations);
        QCOMPARE(static_cast<int>(series.brokenLines), broken);
        // Half a line is never an iteration, wherever it was cut.
        if (iterations == 1) {
            const std::string text = line.trimmed().toStdString();
            for (std::size_t length = 1; length < text.size(); ++length) {
                writeText(m_root / "events.jsonl", text.substr(0, length));
                QCOMPARE(readIterations(m_root).size(), 0u);
            }
        }
    }

    // Python reads the packed columns as docs/formats.md describes them.
    void anotherProgramReadsTheStoredIterations() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        writeText(m_runs / "a" / "events.jsonl", iterationEvent("m", 1, 0.5) +
                                                     iterationEvent("m", 2, 0.25) +
                                                     iterationEvent("m", 3, 0.125));
        { RunStore::open(m_file).importRun(m_runs / "a"); }
        QCOMPARE(python("import struct\n"
                        "c = sqlite3.connect(sys.argv[1])\n"
                        "matrix, n, last, phases, series = c.execute('SELECT matrix, count,"
                        " last_error, phases, series FROM iterations').fetchone()\n"
                        "print(matrix, n, last, phases, series[0])\n"
                        "at = 1\n"
                        "for name in ('error', 'seconds', 'entropy'):\n"
                        "    print(struct.unpack_from('<%df' % n, series, at)); at += 4 * n\n"
                        "for name in ('iteration', 'dead', 'changes'):\n"
                        "    width = series[at]; at += 1\n"
                        "    print(width, [int.from_bytes(series[at + i * width:at + (i + 1) *"
                        " width], 'little') for i in range(n)]); at += n * width\n"
                        "print(at == len(series))",
                        m_file),
                 QString("m 3 0.125 [[\"orthogonal\",1],[\"general\",2]] 1\n"
                         "(0.5, 0.25, 0.125)\n(0.25, 0.25, 0.25)\n(0.5, 0.5, 0.5)\n"
                         "1 [1, 2, 3]\n1 [3, 3, 3]\n4 [70000, 140000, 210000]\nTrue"));
    }

    // The store answers while it is right, and the events where it is not.
    void storedIterationsFollowTheEvents() {
        const fs::path run = m_runs / "a";
        const fs::path events = run / "events.jsonl";
        writeFinishedRun(run, "a", "2026-11-21T04:15:00Z");
        std::string text = iterationEvent("m", 1, 0.5) + iterationEvent("m", 2, 0.25);
        writeText(events, text);
        RunStore store = RunStore::open(m_file);
        store.importRun(run);
        const auto same = [](const IterationSeries& a, const IterationSeries& b) {
            return a.size() == b.size() && a.matrices[0].matrix == b.matrices[0].matrix &&
                   a.matrices[0].phases == b.matrices[0].phases &&
                   a.matrices[0].iteration == b.matrices[0].iteration &&
                   a.matrices[0].relativeError == b.matrices[0].relativeError &&
                   a.matrices[0].seconds == b.matrices[0].seconds &&
                   a.matrices[0].usageEntropy == b.matrices[0].usageEntropy &&
                   a.matrices[0].deadAtoms == b.matrices[0].deadAtoms &&
                   a.matrices[0].supportChanges == b.matrices[0].supportChanges;
        };
        QVERIFY(same(store.iterations("a"), readIterations(run)));
        text += iterationEvent("m", 3, 0.125);
        writeText(events, text);
        QCOMPARE(store.iterations("a").size(), 3u);
        fs::remove(events);
        QCOMPARE(store.iterations("a").size(), 2u);  // what is stored
        writeText(events, text);
        QCOMPARE(store.importTree(m_runs).imported, 1);
        QCOMPARE(store.importTree(m_runs).imported, 1);  // unchanged: the rows are kept
        fs::remove(events);
        QCOMPARE(store.iterations("a").size(), 3u);
        // A damaged series is named, and another import mends it.
        QCOMPARE(python("c = sqlite3.connect(sys.argv[1])\n"
                        "c.execute('UPDATE iterations SET series = substr(series, 1, 20)')\n"
                        "c.commit()",
                        m_file),
                 QString());
        VERIFY_MESSAGE(store.iterations("a"), "iterations is cut short");
        QCOMPARE(python("c = sqlite3.connect(sys.argv[1])\n"
                        "c.execute(\"UPDATE iterations SET series = x'07', count = 0\")\n"
                        "c.commit()",
                        m_file),
                 QString());
        VERIFY_MESSAGE(store.iterations("a"), "unknown version");
        writeText(events, text);
        store.importRun(run);
        QVERIFY(same(store.iterations("a"), readIterations(run)));
    }

    void columnsKeepWhatTheyAreGiven_data() {
        QTest::addColumn<qint64>("largest");
        for (const qint64 largest :
             {0LL, 1LL, 255LL, 256LL, 65535LL, 65536LL, 4294967295LL, 4294967296LL, 1LL << 53}) {
            QTest::addRow("%lld", static_cast<long long>(largest)) << largest;
        }
    }

    void columnsKeepWhatTheyAreGiven() {
        QFETCH(qint64, largest);
        MatrixIterations given;
        for (const std::int64_t value : std::vector<std::int64_t>{0, largest, largest / 2}) {
            given.iteration.push_back(value);
            given.deadAtoms.push_back(largest - value);
            given.supportChanges.push_back(value);
            given.relativeError.push_back(static_cast<float>(value) * 1e-9F);
            given.seconds.push_back(0);
            given.usageEntropy.push_back(1);
        }
        MatrixIterations read;
        unpackColumns(packColumns(given), 3, read);
        QCOMPARE(read.iteration, given.iteration);
        QCOMPARE(read.deadAtoms, given.deadAtoms);
        QCOMPARE(read.supportChanges, given.supportChanges);
        QCOMPARE(read.relativeError, given.relativeError);
        VERIFY_MESSAGE(unpackColumns(packColumns(given), 2, read), "(run `cospadi runs import`");
        VERIFY_MESSAGE(unpackColumns(packColumns(given), 4, read), "(run `cospadi runs import`");
        VERIFY_MESSAGE(unpackColumns(packColumns(given), SIZE_MAX, read), "cut short");
    }

    void artefactsAreTheFiles() {
        const fs::path run = m_runs / "a";
        writeFinishedRun(run, "a", "2026-11-21T04:15:00Z");
        writeEvaluation(run, "p.json", 33.5, "2026-11-21T05:00:00Z");
        writeText(run / "events.jsonl", "{}\n");
        writeText(run / "matrices" / "m.safetensors", std::string(1000, 'x'));
        writeText(run / "matrices" / "n.safetensors.tmp.12.0", "half");
        writeText(run / "model" / "config.json", "{}");
        fs::create_hard_link(run / "matrices" / "m.safetensors", run / "model" / "m.safetensors");
        fs::create_symlink("/etc", run / "model" / "link");
        writeText(run / "curve.svg", "<svg/>");
        writeText(run / "whole.gguf", "GGUF");
        writeText(run / "letter.txt", "dear reader");
        writeText(run / "run.lock", "");
        RunStore store = RunStore::open(m_file);
        store.importRun(run);
        QStringList found;
        for (const ArtefactRow& row : store.artefacts("a")) {
            QCOMPARE(row.bytes, static_cast<std::int64_t>(fs::file_size(run / row.path)));
            found << QString::fromStdString(row.kind + " " + row.path);
        }
        QCOMPARE(found,
                 (QStringList{"figure curve.svg", "evaluation evaluations/p.json",
                              "record events.jsonl", "other letter.txt",
                              "matrix matrices/m.safetensors", "model model/config.json",
                              "record result.json", "record run.json", "export whole.gguf"}));
        fs::remove(run / "letter.txt");
        store.importRun(run);
        QCOMPARE(store.artefacts("a").size(), 8u);
    }

    // Loose bounds (a busy machine): the targets themselves stand in `cospadi bench`.
    void manyRunsAreTakenInAndListedFast() {
        constexpr int count = 500;
        for (int i = 0; i < count; ++i) {
            const std::string id = numbered("run-", i);
            writeFinishedRun(m_runs / id, id, "2026-11-21T04:15:00Z", 200);
            writeEvaluation(m_runs / id, "p.json", i, "2026-11-21T04:15:00Z");
        }
        RunStore store = RunStore::open(m_file);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(store.importTree(m_runs).imported, count);
        const double importing = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        timer.restart();
        QCOMPARE(store.list().size(), std::size_t{count});
        const double listing = static_cast<double>(timer.nsecsElapsed()) * 1e-9;
        qInfo("%.0f runs of 200 matrices a second taken in; %d listed in %.4f s", count / importing,
              count, listing);
        QVERIFY2(count / importing > 50, "import is slow");
        QVERIFY2(listing < 0.15, "listing is slow");
    }
};

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
