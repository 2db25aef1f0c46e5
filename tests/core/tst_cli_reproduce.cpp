// `cospadi reproduce` on a small model: a table to its end, the second call, holes, bad input.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/core/cli_under_test.h"
#include "tests/registered_test.h"

namespace tst_cli_reproduce {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

QList<QByteArray> linesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().split('\n')
                                          : QList<QByteArray>();
}

json rowOf(const json& table, const std::string& model, const std::string& method, double cr) {
    for (const json& row : table.at("rows")) {
        if (row.at("model") == model && row.at("method") == method &&
            row.at("cr") == (cr > 0 ? json(cr) : json(nullptr))) {
            return row;
        }
    }
    return nullptr;
}

}  // namespace

class TestCliReproduce : public QObject, CliUnderTest {
    Q_OBJECT

    // An entry of its own, in the place of those that ship; all else is found where it ships.
    void writeEntry(const QString& name, const QString& grids, const QString& more = {}) {
        QDir().mkpath(place("resources/reproduce"));
        QFile file(place("resources/reproduce/" + name + ".yaml"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QString("label: tab:ablation_data\nnumber: Table 1\nshows: a small one\n"
                           "published: [ablation-data]\n"
                           "protocol:\n  grid:\n    layers: attn_k\n    grids:\n%1"
                           "  evaluate: {text: %2, context: 16}\n%3"
                           "outputs:\n  - rows: [method, cr]\n    values: [average, wikitext, "
                           "perplexity, error, {own: bytes}]\n    figure: {x: cr, y: [error], "
                           "curves: [method]}\n"
                           "  - name: plain\n    rows: [method, cr]\n    values: [average, "
                           "wikitext, perplexity, error]\n")
                       .arg(grids, text(), more)
                       .toUtf8());
    }

  private slots:
    void initTestCase() {
        QVERIFY(isValid());
        writeEntry("tiny",
                   "      - {method: dense}\n"
                   "      - {method: [svd, cospadi-free], cr: [0.2, 0.4]}\n");
        environment.insert("COSPADI_RESOURCES", place("resources"));
    }

    void aTableToItsEnd() {
        useRuns("whole");
        const QStringList arguments = {"reproduce", "tiny",        model(),
                                       "--out",     place("made"), "--json"};
        const json plan = run(arguments + QStringList{"--dry-run"}).object();
        QCOMPARE(static_cast<int>(plan["jobs"].size()), 5);
        QCOMPARE(plan["missing"].get<int>(), 5);
        QVERIFY(plan["seconds"].get<double>() > 0);
        QVERIFY(plan["bytes"].get<double>() > 0);
        QVERIFY(!fs::exists(place("made").toStdString()));
        QVERIFY(!fs::exists((place("whole") + "/dense").toStdString()));

        const CliOutcome made = run(arguments);
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const json result = made.object();
        QCOMPARE(result["runs"].get<int>(), 5);
        QCOMPARE(result["skipped"].get<int>(), 0);
        QVERIFY(result["holes"].empty());
        for (const char* suffix : {".tex", ".csv", ".md"}) {
            QVERIFY2(fs::file_size((place("made/tiny-plain") + suffix).toStdString()) > 0, suffix);
        }

        // A picture of the figure, or how to draw it where no workbench stands beside.
        const std::string drawn = result["files"].dump() + result["commands"].dump();
        for (const char* picture : {"tiny-error.svg", "tiny-error.pdf"}) {
            QVERIFY2(drawn.find(picture) != std::string::npos, drawn.c_str());
        }

        // Own values are those that the runs themselves tell.
        const json table = result["tables"][1];
        const json own = rowOf(table, "model", "svd", 0.2);
        QVERIFY(own.is_object());
        bool isFound = false;
        const json listed = run({"runs", "list", "--json"}).object();
        for (const json& stored : listed["runs"]) {
            if (stored["method"] == "svd" && stored["cr"] == 0.2) {
                isFound = true;
                QCOMPARE(own["error"].get<double>(), stored["relative_error"].get<double>());
                QCOMPARE(own["perplexity"].get<double>(),
                         stored["evaluations"][0]["perplexity"].get<double>());
            }
        }
        QVERIFY(isFound);
        // The paper's, from its Table 1.
        const json paper = rowOf(table, "Llama-3.2-1B (paper, table 1)", "SVD", 0.2);
        QCOMPARE(paper["average"].get<double>(), 23.9);
        QCOMPARE(paper["wikitext"].get<double>(), 2.9e6);
        QVERIFY(paper["perplexity"].is_null());
        QVERIFY(rowOf(table, "model", "dense", 0).is_object());
        // A figure has no row that is at no ratio.
        for (const json& row : result["tables"][0]["rows"]) {
            QVERIFY(row["cr"].is_number());
            QVERIFY(!row["curve"].get<std::string>().empty());
        }
        bool tellsModel = false;
        for (const json& note : table["notes"]) {
            tellsModel = tellsModel || note.get<std::string>().starts_with("perplexity: per token");
        }
        QVERIFY(tellsModel);
    }

    void theSecondCallRunsNothing() {
        useRuns("whole");
        const auto stamp = [&] {
            std::map<fs::path, fs::file_time_type> times;
            for (const auto& entry :
                 fs::recursive_directory_iterator(place("whole").toStdString())) {
                if (entry.path().extension() == ".safetensors" ||
                    entry.path().extension() == ".jsonl") {
                    times[entry.path()] = entry.last_write_time();
                }
            }
            return times;
        };
        const auto before = stamp();
        QVERIFY(!before.empty());
        const CliOutcome again = run({"reproduce", "tiny", model(), "--json"});
        QVERIFY2(again.exitCode == 0, qPrintable(again.error));
        QCOMPARE(again.object()["skipped"].get<int>(), 5);
        QVERIFY(stamp() == before);
        const json plan = run({"reproduce", "tiny", model(), "--dry-run", "--json"}).object();
        QCOMPARE(plan["missing"].get<int>(), 0);
        QCOMPARE(plan["seconds"].get<double>(), 0.0);
    }

    // What a run was asked of other items, data or text is no answer.
    void otherQuestionsAreMissing() {
        useRuns("asked");
        const QString grids = "      - {method: svd, cr: 0.2}\n";
        const QString three = "  tasks: {names: [piqa, arc_easy], limit: 3}\n";
        const QStringList arguments = {"reproduce", "asked", model(), "--json"};
        const auto plan = [&](const QStringList& more = {}) {
            return run(arguments + QStringList{"--dry-run"} + more).object();
        };
        writeEntry("asked", grids, three);
        const CliOutcome made = run(arguments);
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QCOMPARE(plan()["missing"].get<int>(), 0);

        const QStringList elsewhere = {"--data", COSPADI_TEST_DATA "/tasks"};
        QCOMPARE(plan(elsewhere)["missing"].get<int>(), 1);
        QVERIFY(plan(elsewhere)["jobs"][0]["evaluation_seconds"].get<double>() > 0);
        const CliOutcome other = run(arguments + elsewhere);
        QVERIFY2(other.exitCode == 0, qPrintable(other.error));
        QCOMPARE(other.object()["skipped"].get<int>(), 0);
        QCOMPARE(plan(elsewhere)["missing"].get<int>(), 0);
        QCOMPARE(plan()["missing"].get<int>(), 0);  // either stays

        writeEntry("asked", grids, "  tasks: {names: [piqa, arc_easy], limit: 4}\n");
        QCOMPARE(plan()["missing"].get<int>(), 1);
        writeEntry("asked", grids, three);
        QFile file(text());
        QVERIFY(file.open(QIODevice::Append));
        file.write("and more");
        file.close();
        QCOMPARE(plan()["missing"].get<int>(), 1);
        QVERIFY(file.remove());
        text();  // as it was
        QCOMPARE(plan()["missing"].get<int>(), 0);
        const CliOutcome nowhere = run(arguments + QStringList{"--data", place("nowhere")});
        QCOMPARE(nowhere.exitCode, 1);
        QVERIFY2(nowhere.error.contains("nowhere"), qPrintable(nowhere.error));
        QFile::remove(place("resources/reproduce/asked.yaml"));
    }

    void holesAreNamed() {
        useRuns("holes");
        writeEntry("holed",
                   "      - {method: svd, cr: 0.2}\n"
                   "      - {method: svd, cr: 0.3, layers: ffn_sideways}\n");
        const CliOutcome made =
            run({"reproduce", "holed", model(), "--out", place("holed"), "--json"});
        QCOMPARE(made.exitCode, 1);
        const json result = made.object();
        QCOMPARE(static_cast<int>(result["holes"].size()), 1);
        QVERIFY(result["holes"][0]["reason"].get<std::string>().find("ffn_sideways") !=
                std::string::npos);
        const json hole = rowOf(result["tables"][1], "model", "svd", 0.3);
        QVERIFY(hole["error"].is_null());
        QVERIFY(hole["state"].get<std::string>().find("ffn_sideways") != std::string::npos);
        QVERIFY(rowOf(result["tables"][1], "model", "svd", 0.2)["state"].is_null());
        for (const char* suffix : {".tex", ".csv", ".md"}) {
            const QByteArray whole = linesOf(place("holed/holed-plain") + suffix).join('\n');
            QVERIFY2(whole.contains("sideways"), suffix);
        }
    }

    // A protocol that tables a slice of a run: the run is made and not measured, the slice is what
    // compressing these layers alone makes.
    void slicesStandForTheirRuns() {
        useRuns("slices");
        writeEntry("sliced",
                   "      - {method: dense}\n"
                   "      - {method: svd, cr: 0.2, layers: '(attn_k|ffn_up)$'}\n",
                   "  derive: {slice: ffn_up}\n");
        const QStringList arguments = {"reproduce", "sliced", model(), "--json"};
        const json plan = run(arguments + QStringList{"--dry-run"}).object();
        QCOMPARE(static_cast<int>(plan["jobs"].size()), 3);
        QCOMPARE(plan["missing"].get<int>(), 3);
        const CliOutcome made = run(arguments);
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QCOMPARE(made.object()["runs"].get<int>(), 3);
        const json table = made.object()["tables"][1];
        const json own = rowOf(table, "model", "svd", 0.2);
        QVERIFY(own.is_object());
        QCOMPARE(std::count_if(table.at("rows").begin(), table.at("rows").end(),
                               [](const json& row) { return row.at("model") == "model"; }),
                 std::ptrdiff_t{2});
        const CliOutcome alone = run({"compress", model(), "--method", "svd", "--cr", "0.2",
                                      "--layers", "ffn_up", "--out", place("alone"), "--json"});
        QVERIFY2(alone.exitCode == 0, qPrintable(alone.error));
        QCOMPARE(own["error"].get<double>(), alone.object()["relative_error"].get<double>());
        const json perplexity =
            run({"evaluate", place("alone"), "--perplexity", text(), "--context", "16", "--json"})
                .object();
        QCOMPARE(own["perplexity"].get<double>(), perplexity["perplexity"].get<double>());
        const json listed = run({"runs", "list", "--json"}).object();
        int measured = 0;
        QString slice;
        for (const json& stored : listed["runs"]) {
            measured += stored["evaluations"].empty() ? 0 : 1;
            const auto id = QString::fromStdString(stored["id"].get<std::string>());
            slice = id.contains("-slice") ? id : slice;
        }
        QCOMPARE(measured, 3);  // the dense one, the slice and the one made here

        QCOMPARE(run(arguments).object()["skipped"].get<int>(), 3);
        QVERIFY(!slice.isEmpty());
        QVERIFY(QDir(place("slices/" + slice)).removeRecursively());
        QCOMPARE(run(arguments + QStringList{"--dry-run"}).object()["missing"].get<int>(), 1);
        const CliOutcome again = run(arguments);
        QVERIFY2(again.exitCode == 0, qPrintable(again.error));
        QCOMPARE(again.object()["skipped"].get<int>(), 2);
        QCOMPARE(rowOf(again.object()["tables"][1], "model", "svd", 0.2)["error"], own["error"]);

        writeEntry("whole", "      - {method: svd, cr: 0.2}\n", "  derive: {slice: attn}\n");
        const CliOutcome all = run({"reproduce", "whole", model()});
        QCOMPARE(all.exitCode, 1);
        QVERIFY2(all.error.contains("'attn' matches all its layers"), qPrintable(all.error));
        for (const char* name : {"sliced", "whole"}) {
            QFile::remove(place(QString("resources/reproduce/%1.yaml").arg(name)));
        }
    }

    // Slices of some of the runs: the others are tabled as they are.
    void slicesOfChosenRuns() {
        useRuns("chosen");
        writeEntry("chosen", "      - {method: svd, cr: [0.2, 0.4], layers: '(attn_k|ffn_up)$'}\n",
                   "  derive: {slice: ffn_up, of: {cr: ['0.4']}}\n");
        const CliOutcome made = run({"reproduce", "chosen", model(), "--json"});
        QFile::remove(place("resources/reproduce/chosen.yaml"));
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QCOMPARE(made.object()["runs"].get<int>(), 3);
        std::map<double, int> rows;
        const json table = made.object()["tables"][1];
        for (const json& row : table["rows"]) {
            if (row["model"] == "model") {
                ++rows[row["cr"].get<double>()];
                QVERIFY(row["perplexity"].is_number());
            }
        }
        QVERIFY2(rows == (std::map<double, int>{{0.2, 1}, {0.4, 1}}), table.dump().c_str());
        // At 0.4 the slice and not the run that it is of.
        std::map<std::pair<double, bool>, std::size_t> measured;
        const json listed = run({"runs", "list", "--json"}).object();
        for (const json& stored : listed["runs"]) {
            const bool isSlice =
                stored["id"].get<std::string>().find("-slice") != std::string::npos;
            measured[{stored["cr"].get<double>(), isSlice}] = stored["evaluations"].size();
        }
        QVERIFY(measured == (std::map<std::pair<double, bool>, std::size_t>{
                                {{0.2, false}, 1}, {{0.4, false}, 0}, {{0.4, true}, 1}}));
    }

    void fewerBitsStandBesideTheirRuns() {
        useRuns("bits");
        QFile file(place("resources/reproduce/bits.yaml"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "label: fig:ablation_quant\nnumber: Figure 3\nshows: bits\n"
            "protocol:\n"
            "  grid: {method: cospadi-free, cr: 0.2, layers: attn_k, coefficient_bits: 16}\n"
            "  derive: {coefficient_bits: [10, 12], rounding: [truncate, nearest]}\n"
            "outputs:\n  - preset: coefficient-bits\n"
            "    figure: {x: bits, y: [relative error], curves: [cr, rounding]}\n");
        file.close();
        const CliOutcome made = run({"reproduce", "bits", model(), "--json"});
        QFile::remove(file.fileName());
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        QCOMPARE(made.object()["runs"].get<int>(), 5);
        std::map<std::pair<std::string, int>, double> errors;
        std::map<std::string, int> points;
        const json rows = made.object()["tables"][0]["rows"];
        for (const json& row : rows) {
            errors[{row["rounding"].get<std::string>(), row["bits"].get<int>()}] =
                row["relative error"].get<double>();
            ++points[row["curve"].get<std::string>()];
        }
        QCOMPARE(rows.size(), std::size_t{6});
        QVERIFY(points ==
                (std::map<std::string, int>{{"cr 0.2, truncate", 3}, {"cr 0.2, nearest", 3}}));
        for (const char* rounding : {"truncate", "nearest"}) {
            QCOMPARE(errors.at({rounding, 16}), 1.0);
            QVERIFY(errors.at({rounding, 12}) > 1);
            QVERIFY(errors.at({rounding, 10}) > errors.at({rounding, 12}));
        }
        QVERIFY(errors.at({"nearest", 10}) < errors.at({"truncate", 10}));
    }

    void badInputIsNamed() {
        useRuns("bad");
        const CliOutcome unknown = run({"reproduce", "tinny", model()});
        QCOMPARE(unknown.exitCode, 2);
        QVERIFY2(unknown.error.contains("did you mean tiny?"), qPrintable(unknown.error));
        const CliOutcome noModel = run({"reproduce", "tiny"});
        QCOMPARE(noModel.exitCode, 2);
        QVERIFY2(noModel.error.contains("no model is given"), qPrintable(noModel.error));

        writeEntry("elsewhere", "      - {method: svd, cr: 0.2, layers: '^blk\\.99\\.'}\n");
        const CliOutcome lacking = run({"reproduce", "elsewhere", model()});
        QCOMPARE(lacking.exitCode, 1);
        QVERIFY2(lacking.error.contains("none of the runs can start"), qPrintable(lacking.error));
        QVERIFY2(lacking.error.contains("blk\\.99"), qPrintable(lacking.error));

        writeEntry("untold", "      - {method: svd, cr: 0.2}\n", "  tasks: {names: [sciq]}\n");
        const CliOutcome dataless = run({"reproduce", "untold", model()});
        QCOMPARE(dataless.exitCode, 1);
        QVERIFY2(dataless.error.contains("sciq"), qPrintable(dataless.error));
        QVERIFY(QDir(place("bad")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).isEmpty());

        writeEntry("later", "      - {method: svd, cr: 0.2}\n", "unavailable: it is not there\n");
        const CliOutcome later = run({"reproduce", "later", model()});
        QCOMPARE(later.exitCode, 1);
        QVERIFY2(later.error.contains("it is not there"), qPrintable(later.error));
        for (const char* name : {"holed", "elsewhere", "untold", "later"}) {
            QFile::remove(place(QString("resources/reproduce/%1.yaml").arg(name)));
        }
        const json listed = run({"reproduce", "--json"}).object();
        QCOMPARE(static_cast<int>(listed["labels"].size()), 1);
        QVERIFY(listed["labels"][0]["available"].get<bool>());
    }

    // A table that needs no runs, by the entry that ships.
    void settingsBesideThePapers() {
        useRuns("settings");
        environment.remove("COSPADI_RESOURCES");
        const CliOutcome made = run({"reproduce", "8", model(), "--json"});
        environment.insert("COSPADI_RESOURCES", place("resources"));
        QVERIFY2(made.exitCode == 0, qPrintable(made.error));
        const json rows = made.object()["tables"][0]["rows"];
        QCOMPARE(static_cast<int>(rows.size()), 14);  // of the paper's Table 8
        for (const json& row : rows) {
            QVERIFY2(!row["here, --preset paper"].get<std::string>().empty(),
                     row["setting"].get<std::string>().c_str());
        }
        QCOMPARE(rows[0]["paper"].get<std::string>(), std::string("42"));
        QCOMPARE(rows[0]["here, --preset paper"].get<std::string>(), std::string("42"));
        QCOMPARE(rows[1]["here, --preset paper"].get<std::string>(), std::string("60"));
    }
};

COSPADI_TEST(TestCliReproduce)

}  // namespace tst_cli_reproduce

#include "tst_cli_reproduce.moc"
