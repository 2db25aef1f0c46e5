// Runs from the command line: made, listed, shown, compared, tabled, tagged, measured, killed and
// deleted.
#include <QtTest>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/core/cli_small_runs.h"
#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_runs {

using cli_runs::compressArguments;
using cli_runs::kModel;
using nlohmann::json;

namespace {

void writeJson(const QString& path, const json& object) {
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(object.dump()));
}

// A run at CR 0.2 as its files have it, without matrices.
void writeRun(const QString& runs, const char* id, const char* method, const json& result) {
    const QString directory = runs + "/" + id;
    writeJson(directory + "/run.json",
              {{"format", 1},
               {"id", id},
               {"created", "2026-11-21T04:00:00Z"},
               {"specification", {{"model", "/m/smol.gguf"}, {"method", method}, {"cr", 0.2}}}});
    writeJson(directory + "/result.json", result);
}

json finishedResult(double error) {
    return {{"status", "finished"},
            {"bytes", 800},
            {"dense_bytes", 1000},
            {"relative_error", error},
            {"matrices", json::array()}};
}

// Of the first tokens of a text; 0: of all.
void writePerplexity(const QString& run, int tokens, double perplexity) {
    writeJson(run + QString("/evaluations/%1.json").arg(tokens), {{"kind", "perplexity"},
                                                                  {"text", "/t/wiki.txt"},
                                                                  {"text_sha256", "cd"},
                                                                  {"context", 512},
                                                                  {"max_tokens", tokens},
                                                                  {"score", "all"},
                                                                  {"perplexity", perplexity}});
}

}  // namespace

class TestCliRuns : public QObject, CliUnderTest {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        useDefaultRuns();
    }

    void runsAreTakenByDirectory() {
        environment.insert("COSPADI_RUNS", place("by-directory/runs"));
        const QString out = place("by-directory/my-run");
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        const CliOutcome shown = run({"runs", "show", out});
        QCOMPARE(shown.exitCode, 0);
        QVERIFY2(!shown.out.contains("nan") && !shown.out.contains("rank") &&
                     shown.out.contains("\n  coefficient_bits       14\n") &&
                     !shown.out.contains("\n  calibration."),
                 shown.out.constData());
        QCOMPARE(run({"runs", "tag", out, "mine"}).exitCode, 0);
        QVERIFY(run({"compress", out}).error.contains("is a run"));
        // A damaged record is named with its field, and mended by the command that made it.
        QFile result(out + "/result.json");
        QVERIFY(result.open(QIODevice::WriteOnly));
        result.write("{\"bytes\":\"x\"}");
        result.close();
        const CliOutcome compared = run({"compare", kModel, out, "--weights-only"});
        QVERIFY2(compared.error.contains("result.json: has no readable field \"matrices\""),
                 qPrintable(compared.error));
        QCOMPARE(run(compressArguments(out)).exitCode, 0);
        QCOMPARE(run({"compare", kModel, out, "--weights-only"}).exitCode, 0);
        QCOMPARE(run({"runs", "delete", out, "--files"}).exitCode, 0);
        QVERIFY(!QFileInfo::exists(out));
        environment.remove("COSPADI_RUNS");
    }

    // Chosen matrix by matrix, as the files of the matrices have them.
    void integersTellTheirBits_data() {
        QTest::addColumn<QString>("method");
        QTest::newRow("sparse") << "cospadi-free";
        QTest::newRow("low rank") << "svd";
    }

    void integersTellTheirBits() {
        QFETCH(QString, method);
        environment.insert("COSPADI_RUNS", place("bits/runs"));
        const QString out = place("bits/" + method);
        QStringList arguments =
            compressArguments(out, {"--accounting", "integers", "--cr", "0.75"});
        arguments.replaceInStrings("cospadi-free", method);
        QCOMPARE(run(arguments).exitCode, 0);
        const QString shown = QString::fromUtf8(run({"runs", "show", out}).out);
        const json listed = run({"runs", "show", out, "--json"}).object()["matrices_list"];
        QVERIFY(listed.size() > 3);
        // What forms tell goes through the store as the run's files have it.
        QFile result(out + "/result.json");
        QVERIFY(result.open(QIODevice::ReadOnly));
        const json recorded = json::parse(result.readAll().toStdString())["matrices"];
        QCOMPARE(listed.size(), recorded.size());
        for (std::size_t i = 0; i < listed.size(); ++i) {
            QVERIFY(!listed[i]["form"].get<std::string>().empty() && !listed[i]["facts"].empty());
            QVERIFY(listed[i]["form"] == recorded[i]["form"]);
            QVERIFY(listed[i]["facts"] == recorded[i]["facts"]);
        }
        for (const json& matrix : listed) {
            const std::string name = matrix["name"];
            QFile file(out + "/matrices/" + QString::fromStdString(name) + ".safetensors");
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            std::uint64_t length = 0;  // little-endian, as safetensors has it
            QCOMPARE(file.read(reinterpret_cast<char*>(&length), 8), qint64{8});
            const json stored =
                json::parse(file.read(static_cast<qint64>(length)).toStdString())["__metadata__"];
            const int left = matrix["dictionary_bits"];
            const int right = matrix["coefficient_bits"];
            QVERIFY(left >= 2 && left <= 8 && right >= 2 && right <= 8);
            QCOMPARE(std::to_string(left), stored["dictionary_bits"].get<std::string>());
            QCOMPARE(std::to_string(right), stored["coefficient_bits"].get<std::string>());
            const QRegularExpression row(
                QString("%1 .* %2 \\+ %3 ").arg(QString::fromStdString(name)).arg(left).arg(right));
            QVERIFY2(shown.contains(row), qPrintable(shown));
        }
        environment.remove("COSPADI_RUNS");
    }

    void showSaysWhyARunFailedAndWhatWasNoted() {
        const QString runs = useRuns("failed/runs");
        writeRun(runs, "broken", "svd",
                 {{"status", "failed"}, {"message", "no room"}, {"matrices", json::array()}});
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        QCOMPARE(run({"runs", "tag", "broken", "mine"}).exitCode, 0);
        QCOMPARE(run({"runs", "note", "broken", "a larger disk"}).exitCode, 0);
        const QByteArray shown = run({"runs", "show", "broken"}).out;
        QVERIFY2(shown.startsWith("broken  failed: no room\n"), shown);
        QVERIFY2(shown.contains("\ntags: mine\n") && shown.contains(": a larger disk\n"), shown);
        useDefaultRuns();
    }

    // Perplexities over more or less of one text are told apart; both runs have one of them.
    void perplexitiesTellWhatTheyAreOf() {
        const QString runs = useRuns("measures/runs");
        writeRun(runs, "a", "svd", finishedResult(0.5));
        writeRun(runs, "b", "svd", finishedResult(0.25));
        writePerplexity(runs + "/a", 512, 20.5);
        writePerplexity(runs + "/a", 0, 21.25);
        writePerplexity(runs + "/b", 512, 30.5);
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        const QByteArray shown = run({"runs", "show", "a"}).out;
        QVERIFY2(
            shown.contains("\nperplexity 20.5000  wiki.txt, context 512, first 512 tokens\n") &&
                shown.contains("\nperplexity 21.2500  wiki.txt, context 512, all tokens\n"),
            shown);
        const QString compared = QString::fromUtf8(run({"runs", "diff", "a", "b"}).out);
        for (const char* line :
             {R"(perplexity \(wiki.txt, context 512, first 512 tokens\) +20.5 +30.5)",
              R"(perplexity \(wiki.txt, context 512, all tokens\) +21.25 +-)"}) {
            QVERIFY2(compared.contains(QRegularExpression(line)), qPrintable(compared));
        }
        std::map<std::string, json> byMeasure;
        const json results = run({"runs", "diff", "b", "a", "--json"}).object()["results"];
        for (const json& result : results) {
            if (result["metric"] == "perplexity") {
                byMeasure[result["measure"]] = {result["a"], result["b"]};
            }
        }
        QVERIFY((byMeasure == std::map<std::string, json>{
                                  {"wiki.txt, context 512, all tokens", {nullptr, 21.25}},
                                  {"wiki.txt, context 512, first 512 tokens", {30.5, 20.5}}}));
        // The data of a chart are of no preset.
        const json series = run({"report", "--series", "metric-cr", "--json"}).object();
        QCOMPARE(series["preset"].get<std::string>(), std::string());
        useDefaultRuns();
    }

    // A name that is typed is one of the table's; a saved design outlives what it was made with.
    void onlyWhatIsThereIsRenamed() {
        const QString runs = useRuns("renamed/runs");
        writeRun(runs, "a", "svd", finishedResult(0.5));
        writeRun(runs, "b", "svd-llm", finishedResult(0.25));
        QCOMPARE(run({"runs", "import"}).exitCode, 0);
        const auto renamed = [&](const char* pair, const QStringList& more = {}) {
            return run(QStringList{"report", "--metric", "error", "--rename", pair} + more);
        };
        QVERIFY(renamed("svd=SVD", {"--save", "mine"}).out.contains("SVD"));
        QVERIFY(renamed("cr 0.2=20 %").out.contains("20 %"));
        for (const char* pair : {"nonsense=x", "CR 0.2=20 %"}) {
            const CliOutcome refused = renamed(pair);
            QCOMPARE(refused.exitCode, 1);
            QVERIFY2(refused.error.contains("there are: method; cr 0.2; svd; svd-llm"),
                     qPrintable(refused.error));
        }
        QCOMPARE(run({"runs", "delete", "a"}).exitCode, 0);
        QCOMPARE(renamed("svd=SVD").exitCode, 1);
        QCOMPARE(run({"report", "--saved", "mine"}).exitCode, 0);
        useDefaultRuns();
    }

    // The directory of a run that was removed by hand, then used by another run.
    void deletingSparesOtherRuns() {
        environment.insert("COSPADI_RUNS", place("reused/runs"));
        const QString out = place("reused/my-run");
        const auto make = [&](const char* layers) {
            return run(compressArguments(out) + QStringList{"--layers", layers});
        };
        const std::string first = make("attn_q").object()["run"];
        QVERIFY(QDir(out).removeRecursively());
        const CliOutcome second = make("attn_k");
        QVERIFY2(second.error.contains("note: the files of run " + QString::fromStdString(first)),
                 qPrintable(second.error));
        const QString id = QString::fromStdString(first);
        QVERIFY(run({"runs", "delete", id, "--files"}).error.contains("no longer exists"));
        QVERIFY(QFileInfo::exists(out + "/run.json"));
        QVERIFY(run({"compare", kModel, id, "--weights-only"}).error.contains("no longer exists"));
        const CliOutcome series = run({"report", "--series", "error-iteration", "--search", id});
        QVERIFY(!series.out.contains("attn_k"));
        QCOMPARE(run({"runs", "delete", id}).exitCode, 0);
        environment.remove("COSPADI_RUNS");
    }

    // Killed while it works: listed all the same, and gone on with by the same command.
    void killedRunsAreListedAndGoOn() {
        environment.insert("COSPADI_RUNS", place("killed-run/runs"));
        const QStringList arguments{"compress",     kModel, "--method", "cospadi-free",
                                    "--iterations", "3000", "--json"};
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(COSPADI_CLI, arguments);
        const auto listed = [&](const char* status) {
            return run({"runs", "list", "--status", status, "--json"}).object()["runs"];
        };
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<int>(listed("running").size()), 1, 30000);
        process.kill();
        QVERIFY(process.waitForFinished());
        QCOMPARE(static_cast<int>(listed("running").size()), 0);
        const json interrupted = listed("interrupted");
        QCOMPARE(static_cast<int>(interrupted.size()), 1);
        QProcess again;
        again.setProcessEnvironment(environment);
        again.start(COSPADI_CLI, arguments);
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<int>(listed("running").size()), 1, 30000);
        QCOMPARE(listed("running")[0]["id"], interrupted[0]["id"]);
        again.kill();
        QVERIFY(again.waitForFinished());
        QVERIFY(again.readAllStandardError().contains("resuming "));
        environment.remove("COSPADI_RUNS");
    }

    void compressListShowDelete() {
        const CliOutcome run1 = run(compressArguments(place("listed")));
        QCOMPARE(run1.exitCode, 0);
        const std::string id = run1.object()["run"];
        const json listed = run({"runs", "list", "--json"}).object();
        QCOMPARE(static_cast<int>(listed["runs"].size()), 1);
        QCOMPARE(listed["runs"][0]["bytes"], run1.object()["bytes"]);
        QCOMPARE(run({"runs", "tag", QString::fromStdString(id), "mine"}).exitCode, 0);
        QCOMPARE(static_cast<int>(
                     run({"runs", "list", "--tag", "mine", "--json"}).object()["runs"].size()),
                 1);
        QCOMPARE(run({"runs", "delete", QString::fromStdString(id)}).exitCode, 0);
        QCOMPARE(static_cast<int>(run({"runs", "list", "--json"}).object()["runs"].size()), 0);
        QCOMPARE(run({"runs", "import", place("listed")}).exitCode, 0);
        QCOMPARE(static_cast<int>(run({"runs", "list", "--json"}).object()["runs"].size()), 1);
    }

    // Both kinds of evaluation of a model stand with its dense run.
    void evaluationsOfAModelAreRecorded() {
        environment.insert("COSPADI_RUNS", place("recorded/runs"));
        const QString folder = model();
        const CliOutcome outcome =
            run({"evaluate", folder, "--perplexity", text(), "--context", "16", "--json"});
        QVERIFY2(outcome.exitCode == 0, qPrintable(outcome.error));
        const json runs = run({"runs", "list", "--json"}).object()["runs"];
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs[0]["method"].get<std::string>(), std::string("dense"));
        QCOMPARE(runs[0]["evaluations"][0]["perplexity"], outcome.object()["perplexity"]);
        environment.remove("COSPADI_RUNS");
    }

    void inspectShowsRuns() {
        const QString out = place("inspected");
        const json made = run(compressArguments(out) + QStringList{"--layers", "attn_k"}).object();
        const json object = run({"inspect", out, "--json"}).object();
        QCOMPARE(object["run"], made["run"]);
        std::int64_t bytes = 0;
        for (const json& layer : object["layers"]) {
            if (layer["kind"] == "attn_k") {
                QVERIFY(layer["dtype"].get<std::string>().starts_with("k "));
                bytes += layer["bytes"].get<std::int64_t>();
            } else {
                QVERIFY(!layer["dtype"].get<std::string>().starts_with("k "));
            }
        }
        QCOMPARE(bytes, made["bytes"].get<std::int64_t>());
    }

    // Later blocks are the same where they are; what is neither sparse nor of low rank has its
    // form's name.
    void inspectTellsBlocksApart() {
        const QByteArray dense = run({"inspect", kModel}).out;
        QVERIFY2(dense.contains("and the same in blocks 1 to 1 (--layers lists all)"), dense);
        const QString out = place("one-matrix");
        QStringList arguments = compressArguments(
            out, {"--layers", "blk.1.attn_k", "--bits", "3", "--group-size", "32"});
        arguments.replaceInStrings("cospadi-free", "rtn");
        QCOMPARE(run(arguments).exitCode, 0);
        const QByteArray brief = run({"inspect", out}).out;
        QVERIFY2(brief.contains("and blocks 1 to 1 (--layers lists them)"), brief);
        const QByteArray whole = run({"inspect", out, "--layers"}).out;
        QVERIFY2(whole.contains("group-quantised") && !whole.contains("k 0, s 0"), whole);
        const json layers = run({"inspect", out, "--json"}).object()["layers"];
        const auto rounded = std::find_if(layers.begin(), layers.end(), [](const json& layer) {
            return layer["name"] == "blk.1.attn_k";
        });
        QVERIFY(rounded != layers.end());
        QCOMPARE((*rounded)["dtype"].get<std::string>(), std::string("group-quantised"));
    }
};

COSPADI_TEST(TestCliRuns)

}  // namespace tst_cli_runs

#include "tst_cli_runs.moc"
