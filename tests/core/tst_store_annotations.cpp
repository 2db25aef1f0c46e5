// Tags, notes, stars and archive marks: they lie with the run, and outlive imports and the index.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_annotations {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;
using nlohmann::json;

class TestStoreAnnotations : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

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
        VERIFY_MESSAGE(store.importRun(m_runs / "moved"), "is also used in another directory");
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

    // The file is the truth: what others wrote to it since stays, also where it is damaged.
    void whatOthersWroteStays() {
        writeFinishedRun(m_runs / "a", "run-a", "2026-11-21T04:15:00Z");
        const fs::path file = m_runs / "a" / "annotations.json";
        RunStore store = RunStore::open(m_file);
        store.importRun(m_runs / "a");
        store.tag("run-a", "mine");
        writeText(file, R"({"tags": ["theirs"], "notes": ["elsewhere"], "starred": true})");
        store.tag("run-a", "more");
        store.note("run-a", "here");
        std::ifstream stream(file);
        const json written = json::parse(stream);
        QCOMPARE(written["tags"], json({"more", "theirs"}));
        QCOMPARE(written["notes"], json({"elsewhere", "here"}));
        QCOMPARE(written["starred"], json(true));
        QCOMPARE(store.find("run-a").tags, (std::vector<std::string>{"more", "theirs"}));
        const std::string damaged = R"({"tags": "b", "notes": ["elsewhere"]})";
        writeText(file, damaged);
        VERIFY_MESSAGE(store.star("run-a", false), "annotations.json: a field has the wrong type");
        QVERIFY(store.find("run-a").starred);
        std::ifstream left(file);
        QCOMPARE(std::string(std::istreambuf_iterator<char>(left), {}), damaged);
        // Those of another run that stands there by now are not its own.
        fs::remove_all(m_runs / "a");
        writeFinishedRun(m_runs / "a", "run-b", "2026-11-21T04:16:00Z");
        writeText(file, R"({"tags": ["of b"]})");
        store.untag("run-a", "more");
        QCOMPARE(store.find("run-a").tags, std::vector<std::string>{"theirs"});
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
};

COSPADI_TEST(TestStoreAnnotations)

}  // namespace tst_store_annotations

#include "tst_store_annotations.moc"
