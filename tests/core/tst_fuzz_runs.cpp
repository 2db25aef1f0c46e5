// Forged run directories and archives through everything that reads them: each one is taken in, or
// ends in a cospadi::Error. Never a crash, another exception, an id that is none, or a file outside
// the folder of runs.
//
// COSPADI_FUZZ_CASES   how many in all (default 600)
// COSPADI_FUZZ_ONLY    one case again, by its number
//
// The seed is fixed.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/run/earlier_runs.h"
#include "core/run/run_archive.h"
#include "core/run/run_summary.h"
#include "core/store/run_directory.h"
#include "core/store/run_id.h"
#include "core/store/run_store.h"
#include "tests/core/file_mutations.h"
#include "tests/registered_test.h"

namespace tst_fuzz_runs {

using namespace cospadi;
using mutations::Dice;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

// Names and texts as documented, and as none of ours would be.
const json kRun = {
    {"format", 1},
    {"id", "20261121-041500-cospadi-fast-cr0.20-1a2b"},
    {"created", "2026-11-21T04:15:00Z"},
    {"specification",
     {{"model", "/models/smol.gguf"},
      {"model_sha256", "ab"},
      {"method", "cospadi"},
      {"solver", "fast"},
      {"layers", "ffn_up"},
      {"cr", 0.2},
      {"rho", 2.0},
      {"accounting", "eq11"},
      {"iterations", 60},
      {"seed", 18446744073709551615ULL},
      {"calibration", {{"text", "c4"}, {"sequences", 64}, {"length", 512}}}}},
    {"environment", {{"version", "0.1.0"}, {"cores", 2}, {"blas", {{"name", "open"}}}}}};
const json kResult = {{"status", "finished"},
                      {"seconds", 12.5},
                      {"bytes", 2001},
                      {"dense_bytes", 4000},
                      {"relative_error", 0.75},
                      {"matrices",
                       {{{"name", "blk.0.ffn_up"},
                         {"kind", "ffn_up"},
                         {"block", 0},
                         {"d1", 576},
                         {"d2", 1536},
                         {"k", 526},
                         {"s", 263},
                         {"bytes", 1000},
                         {"dense_bytes", 2000},
                         {"relative_error", 0.25},
                         {"iterations", 15},
                         {"seconds", 1.5}}}}};
const json kEvents[] = {
    {{"event", "run_started"}, {"matrices", 2}, {"finished", 0}, {"t", 0.0}},
    {{"event", "matrix_started"}, {"matrix", "blk.0.ffn_up"}, {"d1", 576}, {"d2", 1536}, {"k", 5}},
    {{"event", "iteration"},
     {"matrix", "blk.0.ffn_up"},
     {"phase", "general"},
     {"iteration", 1},
     {"relative_error", 0.5},
     {"dead_atoms", 1},
     {"support_changes", 4},
     {"usage_entropy", 0.5},
     {"usage", {3, 2, 1}},
     {"seconds", 0.25}},
    {{"event", "matrix_finished"}, {"matrix", "blk.0.ffn_up"}, {"bytes", 9}, {"relative_error", 1}},
    {{"event", "run_finished"}, {"status", "failed"}, {"message", "the disk is full"}, {"t", 2}}};
const json kPerplexity = {{"kind", "perplexity"},
                          {"text", "wiki"},
                          {"context", 512},
                          {"perplexity", 33.5},
                          {"tokens", 9}};
const json kTasks = {{"kind", "lm-eval"},
                     {"created", "2026"},
                     {"tasks",
                      {{{"task", "piqa"},
                        {"version", "1.0"},
                        {"shots", 0},
                        {"samples", 1838},
                        {"metrics",
                         {{{"metric", "acc"},
                           {"filter", "none"},
                           {"value", 0.68},
                           {"stderr", nullptr},
                           {"higher_is_better", true}}}}}}}};
const json kAnnotations = {{"tags", {"a", "b"}}, {"notes", {"first"}}, {"starred", true}};

void put(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

std::string deep(Dice& dice) {
    const std::size_t levels = 1'000'000;
    const bool closed = dice.chance(50);
    const std::string inner =
        dice.chance(50) ? std::string(levels, '[') + std::string(closed ? levels : 0, ']') : [&] {
            std::string text;
            for (std::size_t i = 0; i < levels / 10; ++i) {
                text += "{\"a\":";
            }
            return text + "1" + std::string(closed ? levels / 10 : 0, '}');
        }();
    return dice.chance(50) ? inner : "{\"format\":1,\"id\":\"x\",\"specification\":" + inner + "}";
}

std::string forgedId(Dice& dice) {
    const char* const ids[] = {"../../x", "..",       ".",   "",       "/etc/x", "a/b",
                               ".hidden", "\x1b[2Jx", "a b", "x\nnew", "a\\b",   "ok-1"};
    return dice.chance(10) ? std::string(5000, 'x') : ids[dice.below(std::size(ids))];
}

std::string textOf(json document, std::size_t damaged, std::size_t self, Dice& dice) {
    if (damaged != self) {
        return document.dump();
    }
    if (dice.chance(3)) {
        return deep(dice);
    }
    if (dice.chance(20)) {
        return mutations::damageBytes(document.dump(), {}, dice);
    }
    return mutations::damageJsonText(document.dump(), dice);
}

// A run directory with one kind of file forged.
void forge(const fs::path& run, Dice& dice) {
    const std::size_t damaged = dice.below(6);
    json document = kRun;
    if (dice.chance(20)) {
        document["id"] = forgedId(dice);
    }
    put(run / "run.json", textOf(document, damaged, 0, dice));
    if (dice.chance(50)) {
        put(run / "result.json", textOf(kResult, damaged, 1, dice));
    }
    std::string events;
    for (const json& event : kEvents) {
        const bool hit = damaged == 2 && dice.chance(40);
        events += textOf(event, hit ? 2 : 9, 2, dice) + (dice.chance(95) ? "\n" : "");
    }
    put(run / "events.jsonl", events);
    put(run / "evaluations" / "perplexity-1.json", textOf(kPerplexity, damaged, 3, dice));
    put(run / "evaluations" / "lm-eval-1.json", textOf(kTasks, damaged, 4, dice));
    put(run / "annotations.json", textOf(kAnnotations, damaged, 5, dice));
}

}  // namespace

class TestFuzzRuns : public QObject {
    Q_OBJECT

    int m_cases = 600;
    int m_first = 0;
    int m_taken = 0;
    int m_refused = 0;

    // False where it ended in anything but a value or an Error.
    bool survives(const std::function<void()>& action) {
        try {
            action();
            ++m_taken;
        } catch (const Error& error) {
            ++m_refused;
            return !error.problem().empty();
        } catch (const std::exception& error) {
            qWarning("%s: %s", typeid(error).name(), error.what());
            return false;
        }
        return true;
    }

  private slots:
    void initTestCase() {
        if (qEnvironmentVariableIsSet("COSPADI_FUZZ_CASES")) {
            m_cases = qEnvironmentVariableIntValue("COSPADI_FUZZ_CASES");
        }
        if (qEnvironmentVariableIsSet("COSPADI_FUZZ_ONLY")) {
            m_first = qEnvironmentVariableIntValue("COSPADI_FUZZ_ONLY");
            m_cases = m_first + 1;
        }
    }

    void directories() {
        QTemporaryDir place;
        const fs::path root = place.path().toStdString();
        RunStore store = RunStore::open(root / "index" / "cospadi.sqlite");
        for (int i = m_first; i < m_cases; ++i) {
            Dice dice(static_cast<std::uint64_t>(i) + 1);
            const fs::path runs = root / "runs";
            fs::remove_all(runs);
            const fs::path run = runs / "r";
            forge(run, dice);
            const QByteArray name = QByteArray("case ") + QByteArray::number(i);
            QVERIFY2(survives([&] { static_cast<void>(readRunDirectory(run)); }), name);
            QVERIFY2(survives([&] { static_cast<void>(store.importRun(run)); }), name);
            QVERIFY2(survives([&] { static_cast<void>(store.importTree(runs)); }), name);
            QVERIFY2(survives([&] { store.refreshUnfinished(); }), name);
            QVERIFY2(survives([&] { static_cast<void>(summaryOfRun(run)); }), name);
            QVERIFY2(survives([&] { static_cast<void>(wholeRun(run)); }), name);
            QVERIFY2(survives([&] { EarlierRuns().addFolder(runs); }), name);
            QVERIFY2(survives([&] {
                         RunFilter all;
                         all.includeArchived = true;
                         for (const RunRow& row : store.list(all)) {
                             if (!isRunId(row.id)) {
                                 throw std::logic_error("an id that is none: " + row.id);
                             }
                             static_cast<void>(store.iterations(row.id));
                             store.remove(row.id);
                         }
                     }),
                     name);
        }
        qInfo("%d forged directories, %d readings gave a value, %d an Error", m_cases - m_first,
              m_taken, m_refused);
        QVERIFY(m_cases - m_first < 100 || (m_taken > 0 && m_refused > 0));
    }

    void archives() {
        QTemporaryDir place;
        const fs::path root = place.path().toStdString();
        const fs::path outside = root / "outside";
        m_taken = m_refused = 0;
        // A fifth as many: each is several files that are written to the disk.
        const int last = std::max(m_first + 1, m_cases / 5);
        for (int i = m_first; i < last; ++i) {
            Dice dice(static_cast<std::uint64_t>(i) + 1'000'000);
            fs::remove_all(outside);
            const fs::path run = root / "source" / "r";
            fs::remove_all(run.parent_path());
            forge(run, dice);
            const fs::path tar = outside / "runs.tar";
            fs::create_directories(outside / "runs");
            const std::string id = dice.chance(70) ? kRun["id"].get<std::string>() : forgedId(dice);
            const QByteArray name = QByteArray("case ") + QByteArray::number(i);
            QVERIFY2(survives([&] {
                         static_cast<void>(writeRunArchive(tar, {{id, run, {}}}, {}));
                     }),
                     name);
            if (fs::exists(tar) && dice.chance(60)) {
                std::ifstream stream(tar, std::ios::binary);
                std::string bytes((std::istreambuf_iterator<char>(stream)), {});
                stream.close();
                // Names, sizes and kinds of the first headers; a checksum that fits again or not.
                put(tar, mutations::damageBytes(bytes, {0, 124, 156, 512, 636}, dice));
            }
            QVERIFY2(survives([&] { static_cast<void>(readRunArchive(tar, outside / "runs")); }),
                     name);
            for (const auto& entry : fs::directory_iterator(outside)) {
                const std::string file = entry.path().filename().string();
                QVERIFY2(file == "runs" || file == "runs.tar", name + " " + file.c_str());
            }
            for (const auto& entry : fs::directory_iterator(outside / "runs")) {
                QVERIFY2(isRunId(entry.path().filename().string()), name);
            }
        }
        qInfo("%d forged archives, %d readings gave a value, %d an Error", last - m_first, m_taken,
              m_refused);
    }

    // As the defect was seen: a file of a megabyte.
    void aMillionBrackets() {
        QTemporaryDir place;
        const fs::path runs = place.path().toStdString();
        for (const std::string open : {"[", "{\"a\":"}) {
            std::string levels;
            for (int i = 0; i < 1'000'000; ++i) {
                levels += open;
            }
            put(runs / "r" / "run.json", "{\"format\":1,\"id\":\"x\",\"specification\":" + levels);
            std::string message;
            try {
                static_cast<void>(readRunDirectory(runs / "r"));
            } catch (const Error& error) {
                message = error.what();
            }
            QVERIFY2(message.find("run.json: is nested too deeply") != std::string::npos,
                     message.c_str());
            EarlierRuns earlier;
            earlier.addFolder(runs);
            RunStore store = RunStore::open(runs / "index" / "cospadi.sqlite");
            QCOMPARE(store.importTree(runs).imported, 0);
        }
    }

    // Escape codes and paths as ids.
    void idsAreNames_data() {
        QTest::addColumn<QString>("id");
        for (const char* id : {"../../x", "..", ".", "", ".x", "a/b", "\x1b[2J", "a b", "é"}) {
            QTest::newRow(id[0] == '\0'     ? "empty"
                          : id[0] == '\x1b' ? "escape"
                                            : id)
                << QString::fromUtf8(id);
        }
    }

    void idsAreNames() {
        QFETCH(QString, id);
        QTemporaryDir place;
        const fs::path run = fs::path(place.path().toStdString()) / "r";
        json document = kRun;
        document["id"] = id.toStdString();
        put(run / "run.json", document.dump());
        std::string message;
        try {
            static_cast<void>(readRunDirectory(run));
        } catch (const Error& error) {
            message = error.what();
        }
        QVERIFY2(message.find("is not the id of a run") != std::string::npos, message.c_str());
        QVERIFY(message.find('\x1b') == std::string::npos);
        QVERIFY(runIdIn(run).empty());
        try {
            static_cast<void>(writeRunArchive(run / "out.tar", {{id.toStdString(), run, {}}}, {}));
            QFAIL("an archive was written");
        } catch (const Error& error) {
            QVERIFY(!fs::exists(run / "out.tar"));
        }
    }
};

COSPADI_TEST(TestFuzzRuns)

}  // namespace tst_fuzz_runs

#include "tst_fuzz_runs.moc"
