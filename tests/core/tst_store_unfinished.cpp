// Runs without a result: at work, paused, cancelled or killed, as lock and events tell; what their
// lock keeps others from, and what it must not.
#include <sys/wait.h>
#include <unistd.h>

#include <QProcess>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/store/run_lock.h"
#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_unfinished {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;

class TestStoreUnfinished : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

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

    // Of other processes: one's own lock is nothing to ask to end.
    void theProcessThatWritesARunIsKnown() {
        if (!fs::exists("/proc/locks")) {
            QSKIP("the kernel tells of no locks here");
        }
        writeRunFile(m_runs / "u", "run-u", "2026-11-21T04:15:00Z");
        QVERIFY(!processWriting(m_runs / "u"));
        {
            const auto own = RunLock::tryTake(m_runs / "u");
            QVERIFY(own.has_value());
            QVERIFY(!processWriting(m_runs / "u"));
        }
        const pid_t child = ::fork();
        if (child == 0) {
            const auto lock = RunLock::tryTake(m_runs / "u");
            ::pause();
            ::_exit(0);
        }
        QVERIFY(child > 0);
        QTRY_VERIFY(isBeingWritten(m_runs / "u"));
        const auto writer = processWriting(m_runs / "u");
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        QCOMPARE(writer, std::optional<int>(child));
        QVERIFY(!processWriting(m_runs / "u"));
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

    // That the index cannot be written, as while another process does, says nothing about the run.
    void aRunAtWorkOutlastsAFailingIndex() {
        writeRunFile(m_runs / "u", "u", "2026-11-21T04:15:00Z");
        writeText(m_runs / "u" / "events.jsonl", R"({"event":"run_started","t":0})"
                                                 "\n");
        const std::optional<RunLock> lock = RunLock::tryTake(m_runs / "u");
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "u");
        static_cast<void>(
            python("sqlite3.connect(sys.argv[1]).executescript('CREATE TRIGGER refuse BEFORE UPDATE"
                   " OF created ON runs BEGIN SELECT RAISE(ABORT, \"no imports\"); END')",
                   m_file));
        VERIFY_MESSAGE(store.refreshUnfinished(), "no imports");
        QCOMPARE(store.find("u").status, std::string("running"));
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
};

COSPADI_TEST(TestStoreUnfinished)

}  // namespace tst_store_unfinished

#include "tst_store_unfinished.moc"
