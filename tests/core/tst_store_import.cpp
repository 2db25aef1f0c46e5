// What an import makes of a run directory: rows, evaluations and artefacts, read back by the store
// and by Python's sqlite3; directories that are broken, or hold another run than before; how fast
// it is.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "tests/core/store_fixture.h"
#include "tests/registered_test.h"

namespace tst_store_import {

using namespace cospadi;
using namespace store_fixture;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

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

}  // namespace

class TestStoreImport : public QObject, StoreFixture {
    Q_OBJECT

  private slots:
    void init() { makeFolder(); }

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
                    "('ok',) [] ('wal',) (9,)"));
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
        VERIFY_MESSAGE(store.directoryOf("first"), "no longer exists");
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
        VERIFY_MESSAGE(store.directoryOf("first"), "no longer exists");
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
};

COSPADI_TEST(TestStoreImport)

}  // namespace tst_store_import

#include "tst_store_import.moc"
