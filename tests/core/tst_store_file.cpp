// The store as a file: where it lies, which journal it keeps, who may read and write it at once.
#include <linux/magic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QtTest>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/store/journal_mode.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_file {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;

class TestStoreFile : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

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
};

COSPADI_TEST(TestStoreFile)

}  // namespace tst_store_file

#include "tst_store_file.moc"
