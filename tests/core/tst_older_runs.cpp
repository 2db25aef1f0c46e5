// Run directories of the first public revision, before the tree was taken apart into rooms: they
// are imported, shown, evaluated, exported and resumed as they are (tests/data/runs, with how they
// were made).
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/sha256.h"
#include "tests/core/cli_under_test.h"
#include "tests/core/oracle_data.h"
#include "tests/registered_test.h"

namespace tst_older_runs {

using nlohmann::json;
namespace fs = std::filesystem;

class TestOlderRuns : public QObject, CliUnderTest {
    Q_OBJECT

    // A copy among the runs here, of a model that lies where these tests put it.
    fs::path stored(const char* name) {
        const fs::path from = fs::path(COSPADI_TEST_DATA "/runs") / name;
        const fs::path to = fs::path(useRuns("runs").toStdString()) / name;
        fs::remove_all(to);
        fs::copy(from, to, fs::copy_options::recursive);
        json run = json::parse(oracle::text(to / "run.json"));
        run["specification"]["model"] = model().toStdString();
        run["specification"]["calibration"]["text"] = text().toStdString();
        std::ofstream(to / "run.json") << run.dump(1);
        return to;
    }

    static std::map<std::string, std::string> matricesOf(const fs::path& run) {
        std::map<std::string, std::string> digests;
        for (const auto& entry : fs::directory_iterator(run / "matrices")) {
            digests[entry.path().filename().string()] = cospadi::sha256OfFile(entry.path());
        }
        return digests;
    }

  private slots:
    void aFinishedRunIsReadAsItIs() {
        const fs::path directory = stored("finished");
        const auto before = matricesOf(directory);
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        const json result = json::parse(oracle::text(directory / "result.json"));
        const std::string id = json::parse(oracle::text(directory / "run.json"))["id"];
        const CliOutcome shown = run({"runs", "show", QString::fromStdString(id), "--json"});
        QVERIFY2(shown.exitCode == 0, qPrintable(shown.error));
        const json matrices = shown.object()["matrices_list"];
        QCOMPARE(matrices.size(), result["matrices"].size());
        QCOMPARE(matrices.size(), std::size_t{7});
        for (const json& there : result["matrices"]) {
            const auto here = std::ranges::find_if(
                matrices, [&](const json& row) { return row["name"] == there["name"]; });
            QVERIFY(here != matrices.end());
            QCOMPARE((*here)["relative_error"].get<double>(),
                     there["relative_error"].get<double>());
            QCOMPARE((*here)["k"], there["k"]);
            QCOMPARE((*here)["s"], there["s"]);
        }
        QVERIFY(matricesOf(directory) == before);
    }

    // What that revision measured, with its own program.
    void itsPerplexityIsWhatItWas() {
        const fs::path directory = stored("finished");
        const json then =
            json::parse(oracle::text(fs::path(COSPADI_TEST_DATA "/runs/finished-perplexity.json")));
        const CliOutcome now = run({"evaluate", QString::fromStdString(directory.string()),
                                    "--perplexity", text(), "--max-tokens", "1024", "--json"});
        QVERIFY2(now.exitCode == 0, qPrintable(now.error));
        const double expected = then["perplexity"];
        QVERIFY(std::abs(now.object()["perplexity"].get<double>() / expected - 1) < 1e-5);
        QCOMPARE(now.object()["tokens"], then["tokens"]);
    }

    void itsFactorsAreExported() {
        const fs::path directory = stored("finished");
        const CliOutcome exported = run({"export", QString::fromStdString(directory.string()),
                                         "--format", "hf-factors", "--out", place("factors")});
        QVERIFY2(exported.exitCode == 0, qPrintable(exported.error));
        QVERIFY(fs::exists(place("factors/config.json").toStdString()));
    }

    // Matrices that were done stay; the others follow.
    void anInterruptedRunGoesOn() {
        const fs::path directory = stored("interrupted");
        const auto before = matricesOf(directory);
        QVERIFY(!before.empty() && before.size() < 7);
        const QString settings = R"(--method cospadi --solver ksvd --iterations 60 --sequences 16 )"
                                 R"(--length 64 --cr 0.2 --layers blk\.0\. --no-model --json)";
        const CliOutcome resumed =
            run(QStringList{"compress", model(), "--calibration", text(), "--out",
                            QString::fromStdString(directory.string())} +
                settings.split(' '));
        QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.error));
        const auto after = matricesOf(directory);
        QCOMPARE(after.size(), std::size_t{7});
        for (const auto& [name, digest] : before) {
            QCOMPARE(after.at(name), digest);
        }
        QCOMPARE(resumed.object()["matrices"].get<int>(), 7);
    }
};

COSPADI_TEST(TestOlderRuns)

}  // namespace tst_older_runs

#include "tst_older_runs.moc"
