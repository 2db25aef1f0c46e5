// Index files that are not of this version: older ones are migrated or taken over, newer and
// foreign ones are refused and left as they are. Python builds most of them, from the released
// schema files where it can.
#include <QtTest>
#include <filesystem>
#include <string>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_versions {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;

class TestStoreVersions : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

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

    void olderStoresAreMigrated_data() {
        QTest::addColumn<int>("version");
        QTest::newRow("schema 1") << 1;
        QTest::newRow("schema 2") << 2;
        QTest::newRow("schema 4") << 4;
        QTest::newRow("schema 5") << 5;
        QTest::newRow("schema 6") << 6;
        QTest::newRow("schema 8") << 8;
    }

    // A store as an older program left it, written by Python from the released schema files, with a
    // run in it whose directory is still there.
    void olderStoresAreMigrated() {
        QFETCH(int, version);
        writeFinishedRun(m_runs / "old", "old", "2026-11-21T04:15:00Z");
        writeText(m_runs / "old" / "events.jsonl", iterationEvent("blk.0.ffn_up", 1, 0.5));
        QCOMPARE(
            python(
                QString("import glob, os\n"
                        "c = sqlite3.connect(sys.argv[1])\n"
                        "steps = sorted(glob.glob('" COSPADI_SOURCE_DIR
                        "/resources/schema/*.sql'))\n"
                        "for step in steps[:%1]: c.executescript(open(step).read())\n"
                        "c.execute(\"INSERT INTO runs (id, directory, created, status, model,"
                        " method, cr, rho, specification, starred) VALUES ('old', ?, '2026-01-01',"
                        " 'finished', 'm', 'svd', 0.3, 2, '{}', 1)\","
                        " [os.path.dirname(sys.argv[1]) + '/runs/old'])\n"
                        "for method in ('dense', 'cospadi'):\n"
                        "    c.execute('INSERT INTO runs (id, directory, created, status, model,"
                        " method, cr, rho, specification) VALUES (?, ?, ?, ?, ?, ?, 0.2, 2, ?)',"
                        " [method, '', '2026-01-01', 'finished', 'm', method, '{}'])\n"
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
        // What its method did not ask for it has not: no ρ, and the dense model no CR.
        QVERIFY(std::isnan(store.find("old").rho) && std::isnan(store.find("dense").cr));
        QCOMPARE(store.find("cospadi").rho, 2.0);
        QCOMPARE(store.find("cospadi").cr, 0.2);
        QCOMPARE(store.matrices("old").size(), 1u);
        // What the older program never heard of is unknown.
        QVERIFY(std::isnan(store.matrices("old").front().codingSeconds));
        QVERIFY(std::isnan(store.matrices("old").front().dictionarySeconds));
        QCOMPARE(store.matrices("old").front().activeAtoms, 0);
        QCOMPARE(store.matrices("old").front().multiplications, 0);
        QVERIFY(store.matrices("old").front().form.empty());
        QVERIFY(store.matrices("old").front().facts.empty());
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
                 QString("9 ok []"));
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
                                   << "written by a newer cospadi; this one knows up to 9";
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
};

COSPADI_TEST(TestStoreVersions)

}  // namespace tst_store_versions

#include "tst_store_versions.moc"
