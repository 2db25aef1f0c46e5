// Reports against the outside: a store filled from run directories written here by hand, CSV read
// back by Python's csv module.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/report/equal_bytes.h"
#include "core/report/paper_table.h"
#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/report/series.h"
#include "core/report/table_layout.h"

using namespace cospadi;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Run {
    const char* id;
    const char* method;
    const char* solver;
    int iterations;
    const char* layers;
    double perplexity;  // 0 = not measured
    int context = 512;
    const char* status = "finished";
};

void writeRun(const fs::path& runs, const Run& run, int number) {
    const fs::path directory = runs / run.id;
    fs::create_directories(directory / "evaluations");
    std::string created = "2026-11-21T04:00:00Z";
    created[18] = static_cast<char>('0' + number);
    std::ofstream(directory / "run.json") << json{{"format", 1},
                                                  {"id", run.id},
                                                  {"created", created},
                                                  {"specification",
                                                   {{"model", "/m/smol_lm.gguf"},
                                                    {"method", run.method},
                                                    {"solver", run.solver},
                                                    {"iterations", run.iterations},
                                                    {"power_iterations", 8},
                                                    {"layers", run.layers},
                                                    {"cr", 0.2},
                                                    {"rho", 2.0}}}};
    const bool dense = std::string(run.method) == "dense";
    std::ofstream(directory / "result.json") << json{{"status", run.status},
                                                     {"seconds", 1.0 / 3.0},
                                                     {"bytes", dense ? 0 : 169'869'312},
                                                     {"dense_bytes", dense ? 0 : 212'336'640},
                                                     {"relative_error", 0.125},
                                                     {"matrices", json::array()}};
    if (run.perplexity > 0) {
        std::ofstream(directory / "evaluations" / "p.json")
            << json{{"kind", "perplexity"}, {"text_sha256", "cd"}, {"context", run.context},
                    {"max_tokens", 6144},   {"score", "all"},      {"perplexity", run.perplexity}};
    }
}

ReportTable sampleTable() {
    ReportTable table;
    table.columns = {{"name, odd"},
                     {"size", ColumnKind::Bytes},
                     {"value", ColumnKind::Number, 2, BestValue::Lowest}};
    table.rows = {{{"a_b & 50% $x$ #1 {\\} ~^", std::int64_t{1'234'567}, 3.14159}, "g"},
                  {{"says \"hi\",\nthen | leaves", std::int64_t{999}, 2.0}, "g"},
                  {{"dense", std::monostate(), 1.0}, "g", true},
                  {{"Größe", std::int64_t{2'000'000'000}, std::nan("")}, "h"}};
    return table;
}

// A run as the store lists it, without files.
RunRow storedRun(const std::string& method, double cr, double rho, int seed, double perplexity,
                 int sequences = 64) {
    static int number = 0;
    RunRow run;
    run.id = QString("run-%1").arg(number++).toStdString();
    run.status = "finished";
    run.model = "/m/smol.gguf";
    run.method = method;
    run.solver = "fast";
    run.layers = ".*";
    run.cr = cr;
    run.rho = rho;
    run.seed = seed;
    run.layerBytes = static_cast<std::int64_t>(1e6 * (1 - cr));
    run.denseBytes = 1'000'000;
    run.relativeError = cr / 2;
    run.seconds = 10 + seed;
    run.specification =
        json{
            {"model", run.model}, {"model_sha256", "ab"},
            {"method", method},   {"solver", "fast"},
            {"layers", ".*"},     {"cr", cr},
            {"rho", rho},         {"iterations", 0},
            {"seed", seed},       {"calibration", {{"sequences", sequences}, {"text_sha256", "x"}}}}
            .dump();
    EvaluationRow evaluation;
    evaluation.text = "/t/wiki.txt";
    evaluation.textSha256 = "cd";
    evaluation.context = 512;
    evaluation.perplexity = perplexity;
    run.evaluations = {evaluation};
    return run;
}

// The same with other fields in its specification.
RunRow withSettings(RunRow run, const json& fields) {
    json specification = json::parse(run.specification);
    specification.merge_patch(fields);
    run.specification = specification.dump();
    return run;
}

TaskResultRow taskResult(const std::string& task, double value, std::int64_t samples) {
    TaskResultRow row;
    row.task = task;
    row.metric = "acc";
    row.filter = "none";
    row.value = value;
    row.samples = samples;
    row.shots = 0;
    return row;
}

const std::vector<std::string> kPresets = {"demo",    "rho",     "iterations",
                                           "solvers", "storage", "paper-main"};

std::string noteAbout(const ReportTable& table, const std::string& word) {
    for (const std::string& note : table.notes) {
        if (note.find(word) != std::string::npos) {
            return note;
        }
    }
    return "";
}

}  // namespace

class TestReport : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<RunStore> m_store;

  private slots:
    void initTestCase() {
        const fs::path root = m_folder.path().toStdString();
        const std::vector<Run> runs = {
            {"old-fast", "cospadi", "fast", 0, ".*", 99.0},
            {"fast", "cospadi", "fast", 0, ".*", 65.5},
            {"dense", "dense", "fast", 0, ".*", 33.8},
            {"llm", "svd-llm", "fast", 0, ".*", 358.0},
            {"svd", "svd", "fast", 0, ".*", 1e6, 2048},
            {"ksvd-part", "cospadi", "ksvd", 60, "blk\\.1\\.", 40.25},
            {"fast-part", "cospadi", "fast", 0, "blk\\.1\\.", 39.5},
            {"cancelled", "cospadi", "fast", 0, ".*", 1.0, 512, "cancelled"},
            {"untagged", "cospadi", "fast", 0, ".*", 2.0},
        };
        int number = 0;
        for (const Run& run : runs) {
            writeRun(root / "runs", run, number++);
        }
        m_store = std::make_unique<RunStore>(RunStore::open(root / "cospadi.sqlite"));
        QCOMPARE(m_store->importTree(root / "runs").imported, 9);
        for (const Run& run : runs) {
            if (std::string(run.id) != "untagged") {
                m_store->tag(run.id, "demo");
            }
        }
    }

    void demoCsvIsTheContract() {
        // The latest of each, dense first; svd was measured at another context, so it has no
        // perplexity here; a third in full digits.
        QCOMPARE(
            QString::fromStdString(render(buildReport(*m_store, "demo"), ReportFormat::Csv)),
            QString("method,layers,cr,rho,bytes,seconds,perplexity\r\n"
                    "dense,all,0,,212336640,0.3333333333333333,33.8\r\n"
                    "svd,all,0.2,,169869312,0.3333333333333333,\r\n"
                    "svd-llm,all,0.2,,169869312,0.3333333333333333,358\r\n"
                    "cospadi (fast),all,0.2,2,169869312,0.3333333333333333,65.5\r\n"
                    "cospadi (ksvd 60x8),blk\\.1\\.,0.2,2,169869312,0.3333333333333333,40.25\r\n"
                    "cospadi (fast),blk\\.1\\.,0.2,2,169869312,0.3333333333333333,39.5\r\n"));
    }

    void bestIsBoldWithinTheSameLayers() {
        const std::string markdown = render(buildReport(*m_store, "demo"), ReportFormat::Markdown);
        QCOMPARE(QString::fromStdString(markdown).count("**"), 4);
        QVERIFY(markdown.find("| **65.50** |") != std::string::npos);
        QVERIFY(markdown.find("| **39.50** |") != std::string::npos);
        const std::string latex = render(buildReport(*m_store, "demo"), ReportFormat::Latex);
        QVERIFY(latex.find("\\textbf{65.50}") != std::string::npos);
        QVERIFY(latex.find("blk\\textbackslash{}.1") != std::string::npos);
        QVERIFY(latex.find("& 169.9 MB &") != std::string::npos);
    }

    void csvIsReadBackByPython() {
        QProcess python;
        python.start("python3", {"-c",
                                 "import csv, io, sys\n"
                                 "data = sys.stdin.buffer.read().decode()\n"
                                 "print(list(csv.reader(io.StringIO(data, newline=''))))"});
        python.write(render(sampleTable(), ReportFormat::Csv).c_str());
        python.closeWriteChannel();
        QVERIFY(python.waitForFinished());
        QCOMPARE(QString::fromUtf8(python.readAllStandardOutput()).trimmed(),
                 QString("[['name, odd', 'size', 'value'], "
                         "['a_b & 50% $x$ #1 {\\\\} ~^', '1234567', '3.14159'], "
                         "['says \"hi\",\\nthen | leaves', '999', '2'], "
                         "['dense', '', '1'], ['Größe', '2000000000', '']]"));
    }

    void latexIsEscaped() {
        QCOMPARE(QString::fromStdString(render(sampleTable(), ReportFormat::Latex)),
                 QString("% \\usepackage{booktabs}\n"
                         "\\begin{tabular}{lrr}\n\\toprule\n"
                         "name, odd & size & value \\\\\n\\midrule\n"
                         "a\\_b \\& 50\\% \\$x\\$ \\#1 \\{\\textbackslash{}\\} "
                         "\\textasciitilde{}\\textasciicircum{} & 1.2 MB & 3.14 \\\\\n"
                         "says \"hi\",\nthen \\textbar{} leaves & 999 B & \\textbf{2.00} \\\\\n"
                         "dense &  & 1.00 \\\\\n"
                         "Größe & 2.00 GB &  \\\\\n"
                         "\\bottomrule\n\\end{tabular}\n"));
    }

    void terminalColumnsAlign() {
        ReportTable table = sampleTable();
        table.rows.erase(table.rows.begin() + 1);
        QCOMPARE(QString::fromStdString(render(table, ReportFormat::Terminal)),
                 QString("name, odd                   size  value\n"
                         "---------------------------------------\n"
                         "a_b & 50% $x$ #1 {\\} ~^   1.2 MB   3.14\n"
                         "dense                              1.00\n"
                         "Größe                    2.00 GB\n"));
    }

    void tableOfRunsKeepsTheOrder() {
        const ReportTable table = tableOfRuns({m_store->find("untagged"), m_store->find("dense")});
        QCOMPARE(table.rows.size(), 2u);
        QCOMPARE(std::get<std::string>(table.rows[0].cells[0]), std::string("untagged"));
        QCOMPARE(std::get<std::string>(table.rows[0].cells[1]), std::string("smol_lm.gguf"));
        QCOMPARE(std::get<double>(table.rows[0].cells[7]), 0.125);
        QVERIFY(render(table, ReportFormat::Latex).find("smol\\_lm.gguf") != std::string::npos);
    }

    // Means and deviations against Python's statistics module.
    void meansOverSeeds() {
        const std::vector<double> values = {40.25, 41.5, 43.125};
        std::vector<RunRow> runs = {storedRun("svd-llm", 0.2, 2, 42, 358.0),
                                    storedRun("dense", 0.2, 2, 42, 33.8)};
        for (int seed = 0; seed < 3; ++seed) {
            runs.push_back(
                storedRun("cospadi", 0.2, 2, seed, values[static_cast<std::size_t>(seed)]));
        }
        runs.push_back(storedRun("cospadi", 0.3, 2, 0, 60.0));
        runs.push_back(storedRun("svd-llm", 0.3, 2, 0, 700.0));
        const ReportTable table = pivot(runs, {});
        QCOMPARE(static_cast<int>(table.rows.size()), 3);
        QCOMPARE(static_cast<int>(table.columns.size()), 3);
        QCOMPARE(table.columns[1].name, std::string("cr 0.2"));
        QProcess python;
        python.start("python3", {"-c",
                                 "import statistics as s\n"
                                 "v = [40.25, 41.5, 43.125]\n"
                                 "print(s.mean(v), s.stdev(v))"});
        QVERIFY(python.waitForFinished());
        const QList<QByteArray> expected = python.readAllStandardOutput().trimmed().split(' ');
        const auto mean = std::get<MeanCell>(table.rows[2].cells[1]);
        QVERIFY(std::abs(mean.mean - expected[0].toDouble()) < 1e-12);
        QVERIFY(std::abs(mean.deviation - expected[1].toDouble()) < 1e-12);
        QCOMPARE(static_cast<int>(mean.count), 3);

        // The dense model stands in both columns and is never the best.
        QCOMPARE(numberIn(table.rows[0].cells[1]), 33.8);
        QCOMPARE(numberIn(table.rows[0].cells[2]), 33.8);
        const std::string markdown = render(table, ReportFormat::Markdown);
        QVERIFY2(markdown.find("| **41.62 ± 1.44 (n=3)** | **60.00** |") != std::string::npos,
                 markdown.c_str());
        QVERIFY(markdown.find("| <u>358.00</u> | <u>700.00</u> |") != std::string::npos);
        QVERIFY(markdown.find("| dense | 33.80 | 33.80 |") != std::string::npos);
        const std::string csv = render(table, ReportFormat::Csv);
        QVERIFY2(csv.starts_with("method,cr 0.2,cr 0.2 std,cr 0.2 n,cr 0.3\r\n"), csv.c_str());
        QVERIFY(!noteAbout(table, "wiki.txt, context 512").empty());
        QVERIFY(noteAbout(table, "differ in").empty());
    }

    // Two sizes of calibration: shown is the one that fills more cells, the other named, nothing
    // mixed; alone in the table with a cell that has only the other, nothing is ranked.
    void unlikeRunsAreNotMixed() {
        std::vector<RunRow> runs = {
            storedRun("cospadi", 0.2, 2, 1, 50.0, 64), storedRun("cospadi", 0.2, 2, 1, 90.0, 16),
            storedRun("cospadi", 0.3, 2, 1, 70.0, 16), storedRun("svd-llm", 0.2, 2, 1, 80.0, 16)};
        ReportTable table = pivot(runs, {});
        QCOMPARE(numberIn(table.rows[1].cells[1]), 90.0);
        QVERIFY(noteAbout(table, "cells also differ").empty());
        QCOMPARE(rankCells(table)[0][1], 1);  // svd-llm's 80, against the run that is like it
        runs.pop_back();
        runs.push_back(storedRun("svd-llm", 0.3, 2, 1, 99.0, 64));
        runs.push_back(storedRun("svd-llm", 0.2, 2, 1, 98.0, 64));
        table = pivot(runs, {});
        QCOMPARE(numberIn(table.rows[1].cells[1]), 50.0);
        QCOMPARE(numberIn(table.rows[1].cells[2]), 70.0);  // of the other kind
        QVERIFY(noteAbout(table, "nothing is ranked").find("calibration.sequences") !=
                std::string::npos);
        for (const auto& row : rankCells(table)) {
            QVERIFY(std::all_of(row.begin(), row.end(), [](int rank) { return rank == 0; }));
        }
        runs.erase(runs.end() - 2, runs.end());
        table = pivot(runs, {});
        QCOMPARE(numberIn(table.rows[0].cells[1]), 90.0);
        QCOMPARE(static_cast<int>(std::get<MeanCell>(table.rows[0].cells[1]).count), 1);
        QVERIFY(!noteAbout(table, "1 runs are left out").empty());
        QVERIFY(noteAbout(table, "left out").find("calibration.sequences") != std::string::npos);
        PivotOptions options;
        options.columns = {"cr", "calibration.sequences"};
        table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.columns.size()), 4);
        QVERIFY(noteAbout(table, "differ").empty());
    }

    // Plain errors beside whitened ones, and perplexities of another text.
    void whatCannotBeComparedIsNotRanked() {
        std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 2, 1, 50.0),
                                    storedRun("svd", 0.2, 2, 1, 90.0)};
        PivotOptions options;
        options.metric = "error";
        ReportTable table = pivot(runs, options);
        QVERIFY(!noteAbout(table, "nothing is ranked").empty());
        QCOMPARE(rankCells(table)[0][1], 0);
        QCOMPARE(rankCells(table)[1][1], 0);
        table = pivot(runs, {});  // perplexities can be
        QVERIFY(noteAbout(table, "ranked").empty());
        QCOMPARE(rankCells(table)[1][1], 1);

        runs.push_back(storedRun("svd-llm", 0.2, 2, 1, 60.0));
        runs.back().evaluations.front().textSha256 = "another text";
        table = pivot(runs, {});
        QCOMPARE(static_cast<int>(table.rows.size()), 2);
        QVERIFY(
            !noteAbout(table, "1 runs are left out: they have perplexity of another text").empty());
    }

    // What ρ is nothing to stands in every column of ρ.
    void settingsThatDoNotApply() {
        const std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 1.5, 1, 50.0),
                                          storedRun("cospadi", 0.2, 3, 1, 45.0),
                                          storedRun("svd-llm", 0.2, 2, 1, 358.0)};
        PivotOptions options;
        options.columns = {"rho"};
        ReportTable table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.columns.size()), 3);
        QCOMPARE(numberIn(table.rows[0].cells[1]), 358.0);
        QCOMPARE(numberIn(table.rows[0].cells[2]), 358.0);
        // Methods across: the best of each row is bold.
        options.rows = {"rho"};
        options.columns = {"method"};
        table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.rows.size()), 2);
        QCOMPARE(rankCells(table)[0][2], 1);
        QCOMPARE(rankCells(table)[0][1], 2);
    }

    // Where both are there, the ablation shows what takes the same bytes; else all that there is.
    void equalBytesArePreferred() {
        const auto run = [](const char* accounting, int bits, double rho, double measured) {
            RunRow row = withSettings(storedRun("cospadi", 0.2, rho, 1, 50.0),
                                      {{"accounting", accounting}, {"coefficient_bits", bits}});
            row.layerBytes = std::llround(1e6 * (1 - measured));
            return row;
        };
        const std::vector<RunRow> unequal = {run("eq11", 0, 1.5, 0.22), run("eq11", 0, 2, 0.2),
                                             run("eq11", 0, 3, 0.2)};
        const std::vector<RunRow> equal = {run("packed", 14, 1.5, 0.2005),
                                           run("packed", 14, 2, 0.2)};
        PivotOptions byRho;
        byRho.columns = {"rho"};
        std::vector<RunRow> runs = unequal;
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 0);
        QVERIFY2(!noteAbout(pivot(runs, byRho), "bytes are not the same").empty(),
                 "unequal rows say so");
        runs.insert(runs.end(), equal.begin(), equal.end());
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 3);
        QCOMPARE(static_cast<int>(runs.size()), 2);
        QVERIFY(noteAbout(pivot(runs, byRho), "bytes are not the same").empty());
        // One run at equal bytes is no ablation; nor is one on other layers, or at another CR.
        runs = unequal;
        runs.push_back(equal[1]);
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 0);
        runs = unequal;
        for (RunRow row : equal) {
            runs.push_back(withSettings(row, {{"layers", "ffn"}}));
        }
        QCOMPARE(static_cast<int>(preferEqualBytes(runs)), 0);
    }

    void otherMetrics_data() {
        QTest::addColumn<QString>("metric");
        QTest::addColumn<double>("value");
        QTest::newRow("error") << "error" << 0.1;
        QTest::newRow("bytes") << "bytes" << 8e5;
        QTest::newRow("seconds") << "seconds" << 11.0;
        QTest::newRow("ratio") << "ratio" << 0.2;
    }

    void otherMetrics() {
        QFETCH(QString, metric);
        QFETCH(double, value);
        PivotOptions options;
        options.metric = metric.toStdString();
        const ReportTable table = pivot({storedRun("cospadi", 0.2, 2, 1, 50.0)}, options);
        QVERIFY(std::abs(numberIn(table.rows[0].cells[1]) - value) < 1e-9 * value);
    }

    void labelsTellSettings_data() {
        QTest::addColumn<QByteArray>("fields");
        QTest::addColumn<QString>("label");
        const auto row = [](const json& fields, const char* label) {
            QTest::newRow(label) << QByteArray::fromStdString(fields.dump()) << QString(label);
        };
        row({{"method", "svd-llm"}, {"update", "mod"}}, "svd-llm");
        row({{"method", "cospadi"}}, "cospadi (fast)");
        row({{"iterations", 40}}, "cospadi (fast 40)");
        row({{"solver", "ksvd"}}, "cospadi (ksvd 60x8)");
        row({{"solver", "ksvd"}, {"iterations", 20}, {"power_iterations", 3}},
            "cospadi (ksvd 20x3)");
        row({{"solver", "ksvd"}, {"update", "mod"}}, "cospadi (mod 60)");
        row({{"solver", "ksvd"}, {"update", "ksvd-exact"}}, "cospadi (ksvd-exact 60)");
        row({{"solver", "ksvd"}, {"power_iterations", 0}, {"iterations", 61}},
            "cospadi (ksvd-exact 61)");
        row({{"solver", "ksvd"}, {"init", "svd"}}, "cospadi (ksvd 60x8, init svd)");
        row({{"solver", "ksvd"}, {"init", "weight"}}, "cospadi (ksvd 60x8, init weight)");
        row({{"solver", "ksvd"}, {"dead_atoms", "keep"}, {"coefficient_rounding", "truncate"}},
            "cospadi (ksvd 60x8, dead atoms kept, truncated)");
        row({{"dead_atoms", "keep"}, {"coefficient_rounding", "truncate"}}, "cospadi (fast)");
        row({{"accounting", "packed"}, {"coefficient_bits", 12}, {"propagation", "target"}},
            "cospadi (fast, packed, 12 bits, target)");
        row({{"method", "svd-llm"}, {"accounting", "packed"}}, "svd-llm (packed)");
        row({{"method", "svd"}, {"accounting", "packed8"}, {"coefficient_bits", 8}},
            "svd (packed8, 8 bits)");
        row({{"method", "svd-llm"}, {"accounting", "eq10"}, {"coefficient_bits", 9}}, "svd-llm");
        row({{"method", "svd-llm"}, {"refit", "on"}}, "svd-llm (refit)");
        row({{"method", "svd-llm"}, {"refit", "off"}}, "svd-llm");
        row({{"method", "svd-llm"}, {"accounting", "packed"}, {"refit", "off"}},
            "svd-llm (packed, no refit)");
        row({{"refit", "on"}}, "cospadi (fast)");
        row({{"refit", "off"}}, "cospadi (fast, no refit)");
        row({{"solver", "ksvd"}, {"refit", "on"}}, "cospadi (ksvd 60x8, refit)");
        row({{"solver", "ksvd"}, {"accounting", "packed8"}, {"refit", "on"}},
            "cospadi (ksvd 60x8, packed8)");
        row({{"solver", "ksvd"}, {"coefficient_format", "exponent"}, {"refit", "on"}},
            "cospadi (ksvd 60x8, short exponents, refit)");
        row({{"solver", "ksvd"}, {"coefficient_format", "mantissa"}, {"refit", "off"}},
            "cospadi (ksvd 60x8)");
        row({{"solver", "ksvd"}, {"accounting", "eq10"}, {"coefficient_format", "exponent"}},
            "cospadi (ksvd 60x8, eq10)");
        row({{"coefficient_format", "mantissa"}}, "cospadi (fast, short mantissas)");
        row({{"method", "svd"}, {"coefficient_format", "mantissa"}}, "svd");
        row({{"method", "cospadi-free"}, {"solver", "ksvd"}, {"side", "output"}},
            "cospadi-free (ksvd 60x8, output side)");
        row({{"coefficient_bits", 14}, {"side", "input"}, {"tolerance", 0.001}},
            "cospadi (fast, input side, tolerance 0.001)");
    }

    void labelsTellSettings() {
        QFETCH(QByteArray, fields);
        QFETCH(QString, label);
        const RunRow run =
            withSettings(storedRun("cospadi", 0.2, 2, 1, 50.0), json::parse(fields.toStdString()));
        QCOMPARE(QString::fromStdString(methodLabel(run)), label);
    }

    // Runs that differ in a setting never share a row, in no order of their making.
    void unlikeSolversHaveRowsOfTheirOwn() {
        const std::vector<json> kinds = {{{"solver", "ksvd"}},
                                         {{"solver", "ksvd"}, {"update", "mod"}},
                                         {{"solver", "ksvd"}, {"update", "ksvd-exact"}},
                                         {{"solver", "ksvd"}, {"init", "gaussian"}},
                                         {{"solver", "fast"}}};
        std::vector<RunRow> runs;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            runs.push_back(withSettings(
                storedRun("cospadi", 0.2, 2, 1, 40.0 + static_cast<double>(i)), kinds[i]));
        }
        ReportTable table = pivot(runs, {});
        QCOMPARE(table.rows.size(), kinds.size());
        QVERIFY(noteAbout(table, "left out").empty());
        // A setting with a column of its own leaves the label.
        PivotOptions options;
        options.columns = {"update"};
        table = pivot({runs[0], runs[1]}, options);
        QCOMPARE(table.rows.size(), 1u);
        QCOMPARE(std::get<std::string>(table.rows[0].cells[0]), std::string("cospadi (ksvd 60)"));
        QCOMPARE(table.columns.size(), 3u);
        QCOMPARE(numberIn(table.rows[0].cells[1]), 40.0);
        QCOMPARE(numberIn(table.rows[0].cells[2]), 41.0);
    }

    void everyPresetFilters() {
        for (const std::string& preset : kPresets) {
            RunSelection nothing;
            nothing.filter.tag = "nosuch";
            bool refused = false;
            try {
                buildReport(*m_store, preset, nothing);
            } catch (const Error&) {
                refused = true;
            }
            QVERIFY2(refused, preset.c_str());
        }
        RunSelection part;
        part.layers = "blk\\.1\\.";
        QCOMPARE(buildReport(*m_store, "demo", part).rows.size(), 2u);
        QCOMPARE(buildReport(*m_store, "rho", part).rows.size(), 2u);
        QCOMPARE(reportPresets().size(), kPresets.size());
    }

    // Three seeds that moved nothing are one observation; what differs in the last bit is three.
    void seedsThatMoveNothingCountOnce() {
        std::vector<RunRow> runs;
        for (int seed = 1; seed <= 3; ++seed) {
            runs.push_back(storedRun("cospadi", 0.2, 2, seed, 50.0));
            runs.push_back(storedRun("svd-llm", 0.2, 2, seed, 60.0 + seed));
        }
        ReportTable table = pivot(runs, {});
        // svd-llm reads no seed at all: the newest run stands alone.
        QCOMPARE(std::get<MeanCell>(table.rows[0].cells[1]), (MeanCell{61.0, 0, 1}));
        QCOMPARE(std::get<MeanCell>(table.rows[1].cells[1]), (MeanCell{50.0, 0, 1}));
        QVERIFY(!noteAbout(table, "seeds that moved nothing").empty());
        runs[2].relativeError = std::nextafter(runs[2].relativeError, 1.0);
        table = pivot(runs, {});
        QCOMPARE(std::get<MeanCell>(table.rows[1].cells[1]).count, 2);
    }

    // Another model's measures take no cells away, unlike runs are not mixed, seeds are a mean.
    void paperTableKeepsKindsApart() {
        std::vector<RunRow> runs;
        const auto add = [&](RunRow run, std::vector<TaskResultRow> results) {
            run.taskResults = std::move(results);
            runs.push_back(std::move(run));
        };
        add(storedRun("cospadi", 0.2, 2, 1, 0), {taskResult("piqa", 0.60, 100)});
        add(storedRun("cospadi", 0.2, 2, 2, 0), {taskResult("piqa", 0.70, 100)});
        runs.back().relativeError += 0.001;
        add(storedRun("cospadi", 0.2, 3, 1, 0), {taskResult("piqa", 0.99, 100)});
        add(storedRun("cospadi", 0.3, 2, 1, 0), {taskResult("piqa", 0.55, 100)});
        add(storedRun("svd-llm", 0.2, 2, 1, 0), {taskResult("piqa", 0.40, 100)});
        RunRow partial = storedRun("cospadi", 0.2, 2, 1, 0);
        partial.layers = "ffn";
        partial.specification = withSettings(partial, {{"layers", "ffn"}}).specification;
        add(partial, {taskResult("piqa", 0.98, 100)});
        for (int seed = 1; seed <= 3; ++seed) {
            RunRow other = withSettings(storedRun("cospadi", 0.2, 2, seed, 0),
                                        {{"model_sha256", "other"}, {"model", "/m/other.gguf"}});
            other.model = "/m/other.gguf";
            add(other, {taskResult("piqa", 0.5, 1838)});
        }
        std::vector<RunRow> newestFirst(runs.rbegin(), runs.rend());
        const ReportTable table = paperTable(newestFirst, {});
        QCOMPARE(table.rows.size(), 4u);
        QVERIFY(noteAbout(table, "also differ").empty());
        const auto cellOf = [&](const std::string& model) {
            for (const ReportRow& row : table.rows) {
                if (std::get<std::string>(row.cells[0]) == model && numberIn(row.cells[1]) == 0.2 &&
                    std::get<std::string>(row.cells[2]) != "svd-llm") {
                    return std::get<MeanCell>(row.cells[3]);
                }
            }
            return MeanCell();
        };
        QCOMPARE(cellOf("smol").count, 2);
        QVERIFY(std::abs(cellOf("smol").mean - 65) < 1e-9);
        QVERIFY(std::abs(cellOf("smol").deviation - 10 / std::sqrt(2.0)) < 1e-9);
        QVERIFY(std::abs(cellOf("other").mean - 50) < 1e-9);
        QVERIFY(noteAbout(table, "left out: they share a row").find("rho") != std::string::npos);
        QVERIFY(!noteAbout(table, "1 runs with results are left out: they compress").empty());
    }

    void seriesAreLongTables() {
        const std::vector<RunRow> runs = {
            storedRun("cospadi", 0.2, 1.5, 1, 50.0), storedRun("cospadi", 0.2, 1.5, 2, 52.0),
            storedRun("cospadi", 0.2, 3, 1, 45.0), storedRun("svd-llm", 0.2, 2, 1, 358.0),
            storedRun("svd-llm", 0.4, 2, 1, 900.0)};
        const std::string rho =
            render(series(runs, {"metric-rho", "perplexity", ""}), ReportFormat::Csv);
        QCOMPARE(QString::fromStdString(rho),
                 QString("method,rho,perplexity,std,n\r\n"
                         "cospadi (fast),1.5,51,1.4142135623730951,2\r\n"
                         "cospadi (fast),3,45,0,1\r\n"));
        const ReportTable front = series(runs, {"pareto", "perplexity", ""});
        int best = 0;
        for (const ReportRow& row : front.rows) {
            const bool marked = std::get<std::int64_t>(row.cells.back()) == 1;
            best += marked ? 1 : 0;
            QCOMPARE(marked, numberIn(row.cells[6]) == 45.0 || numberIn(row.cells[6]) == 900.0);
        }
        QCOMPARE(best, 2);  // the fewest bytes, and the best at the next size
    }

    void errorsOverIterations() {
        RunRow run = storedRun("cospadi", 0.2, 2, 1, 50.0);
        run.directory = m_folder.filePath("iterations").toStdString();
        fs::create_directories(run.directory);
        std::ofstream(fs::path(run.directory) / "events.jsonl")
            << R"({"event":"iteration","matrix":"blk.0.ffn_up","phase":"general","iteration":1,)"
               R"("relative_error":0.5,"dead_atoms":0,"support_changes":3,"usage_entropy":1,)"
               R"("usage":[1],"seconds":0.25})"
               "\n";
        QCOMPARE(QString::fromStdString(render(series({run}, {"error-iteration", "perplexity", ""}),
                                               ReportFormat::Csv)),
                 QString("run,method,matrix,phase,iteration,error,seconds\r\n"
                         "%1,cospadi (fast),blk.0.ffn_up,general,1,0.5,0.25\r\n")
                     .arg(QString::fromStdString(run.id)));
        // Given a source, it asks that one; a float reads as it was written.
        SeriesOptions options;
        options.kind = "error-iteration";
        options.iterations = [](const RunRow&) {
            IterationSeries stored;
            MatrixIterations& m = stored.matrices.emplace_back();
            m.matrix = "x";
            m.phases = {{"ksvd", 1}};
            m.iteration = {7};
            m.relativeError = {0.1216F};
            m.seconds = {0.25F};
            return stored;
        };
        QCOMPARE(QString::fromStdString(render(series({run}, options), ReportFormat::Csv)),
                 QString("run,method,matrix,phase,iteration,error,seconds\r\n"
                         "%1,cospadi (fast),x,ksvd,7,0.1216,0.25\r\n")
                     .arg(QString::fromStdString(run.id)));
    }

    // Two matrices of 3 and 1 iterations: the mean goes on over both.
    void meansKeepMatricesThatEnded() {
        IterationSeries stored;
        const auto add = [&](const char* name, std::vector<float> errors) {
            MatrixIterations& m = stored.matrices.emplace_back();
            m.matrix = name;
            for (std::size_t i = 0; i < errors.size(); ++i) {
                m.iteration.push_back(static_cast<std::int64_t>(i) + 1);
                m.seconds.push_back(0.25F);
            }
            m.relativeError = std::move(errors);
        };
        add("blk.0.attn_q", {0.5F, 0.25F, 0.125F});
        add("blk.0.attn_k", {1.0F});
        const std::vector<MeanError> means = meanErrors(stored);
        QCOMPARE(means.size(), 3u);
        const double expected[] = {0.75, 0.625, 0.5625};
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(means[i].error, expected[i]);
            QCOMPARE(static_cast<int>(means[i].matrices), 2);
            QCOMPARE(static_cast<int>(means[i].ended), i == 0 ? 0 : 1);
        }
        SeriesOptions options;
        options.kind = "mean-error-iteration";
        options.iterations = [&](const RunRow&) { return stored; };
        const ReportTable table = series({storedRun("cospadi", 0.2, 2, 1, 50.0)}, options);
        QCOMPARE(table.rows.size(), 3u);
        QVERIFY(!noteAbout(table, "keep their last error").empty());
    }

    // At ρ below 2 eq 11 leaves bytes unused; and rows of other number formats say so.
    void storageBehindRowsIsTold() {
        RunRow thin = storedRun("cospadi", 0.2, 1.5, 1, 50.0);
        thin.layerBytes = 773'000;  // CR 0.227
        std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 2, 1, 45.0), thin};
        PivotOptions options;
        options.columns = {"rho"};
        const std::string bytes = noteAbout(pivot(runs, options), "bytes are not the same");
        QCOMPARE(bytes, std::string("bytes are not the same at cr 0.2: as measured rho 2 0.2000; "
                                    "rho 1.5 0.2270"));
        runs[1].layerBytes = 800'000;
        QVERIFY(noteAbout(pivot(runs, options), "bytes are not").empty());
        QVERIFY(noteAbout(pivot(runs, options), "number formats").empty());
        runs.push_back(
            withSettings(storedRun("cospadi", 0.2, 2, 1, 40.0), {{"accounting", "packed"}}));
        runs.push_back(storedRun("svd-llm", 0.2, 2, 1, 300.0));
        QCOMPARE(
            noteAbout(pivot(runs, options), "number formats"),
            std::string("rows of different number formats are compared: cospadi (fast): 16-bit "
                        "dictionary, 14-bit coefficients (short exponents); cospadi (fast, "
                        "packed): 16-bit dictionary, 9-bit coefficients (short exponents); "
                        "svd-llm: 16-bit factors"));
        runs.erase(runs.begin(), runs.end() - 1);
        options.columns = {"cr"};
        for (const char* accounting : {"packed", "packed8"}) {
            runs.push_back(
                withSettings(storedRun("svd-llm", 0.2, 2, 1, 90.0), {{"accounting", accounting}}));
        }
        QCOMPARE(noteAbout(pivot(runs, options), "number formats"),
                 std::string("rows of different number formats are compared: svd-llm: 16-bit "
                             "factors; svd-llm (packed): 16-bit left factor, 9-bit right factor "
                             "(short exponents); svd-llm (packed8): 8-bit left factor, 10-bit "
                             "right factor (short exponents)"));
        // K-SVD's coefficients lose mantissa, as published, those of fast exponent.
        runs = {storedRun("cospadi", 0.2, 2, 1, 45.0),
                withSettings(storedRun("cospadi", 0.2, 2, 1, 45.0), {{"solver", "ksvd"}})};
        QVERIFY(
            noteAbout(pivot(runs, options), "number formats")
                .find("(ksvd 60x8): 16-bit dictionary, 14-bit coefficients (short mantissas)") !=
            std::string::npos);
        runs[1] = withSettings(runs[1], {{"coefficient_format", "exponent"}});
        QVERIFY(noteAbout(pivot(runs, options), "number formats").empty());
    }

    void standardErrorsAreOfSingleResults() {
        RunRow one = storedRun("cospadi", 0.2, 2, 1, 0);
        one.taskResults = {taskResult("piqa", 0.68, 1838)};
        one.taskResults.front().standardError = 0.0109;
        PivotOptions options;
        options.metric = "piqa/acc";
        ReportTable table = pivot({one}, options);
        TableLayout layout;
        layout.decimals = 2;
        applyLayout(table, layout);
        QCOMPARE(displayText(table.rows[0].cells[1], table.columns[1]), std::string("0.68"));
        table = pivot({one}, options);
        layout.standardErrors = true;
        applyLayout(table, layout);
        QCOMPARE(displayText(table.rows[0].cells[1], table.columns[1]), std::string("0.68 (0.01)"));
        QVERIFY(!noteAbout(table, "standard error").empty());
        QVERIFY(render(table, ReportFormat::Csv).find("cr 0.2 stderr\r\n") != std::string::npos);
    }

    void latexFloatsWithCaptionAndNotes() {
        ReportTable table = sampleTable();
        table.notes = {"50% of it"};
        TableLayout layout;
        layout.caption = "What it costs & saves";
        layout.label = "tab:costs";
        applyLayout(table, layout);
        const std::string latex = render(table, ReportFormat::Latex);
        QVERIFY(latex.find("\\caption{What it costs \\& saves}\n\\label{tab:costs}\n") !=
                std::string::npos);
        QVERIFY(latex.find("50\\% of it.\\par\n\\end{minipage}\n\\end{table}\n") !=
                std::string::npos);
    }

    void latexCompiles() {
        const QString compiler = QStandardPaths::findExecutable("pdflatex");
        if (compiler.isEmpty()) {
            QSKIP("no pdflatex on this machine");
        }
        std::vector<RunRow> runs;
        for (int seed = 0; seed < 3; ++seed) {
            runs.push_back(storedRun("cospadi", 0.2, 2, seed, 40.0 + seed));
            runs.push_back(storedRun("svd-llm", 0.2, 2, seed, 400.0 + seed, 16));
        }
        const std::string text =
            "\\documentclass{article}\\usepackage{booktabs}\n"
            "\\begin{document}\n" +
            render(pivot(runs, {}), ReportFormat::Latex) + "\n\n" +
            render(sampleTable(), ReportFormat::Latex) + "\\end{document}\n";
        std::ofstream(m_folder.filePath("table.tex").toStdString()) << text;
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(compiler, {"-halt-on-error", "-interaction=nonstopmode", "table.tex"});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardOutput().right(1500).constData());
        QVERIFY(QFileInfo(m_folder.filePath("table.pdf")).size() > 1000);
    }

    void wrongPivotsAreAnswered_data() {
        QTest::addColumn<QString>("rows");
        QTest::addColumn<QString>("metric");
        QTest::addColumn<QString>("says");
        QTest::newRow("dimension") << "colour"
                                   << "error"
                                   << "calibration.sequences";
        QTest::newRow("metric") << "method"
                                << "beauty"
                                << "perplexity, error";
        QTest::newRow("series") << ""
                                << ""
                                << "error-iteration";
    }

    void wrongPivotsAreAnswered() {
        QFETCH(QString, rows);
        QFETCH(QString, metric);
        QFETCH(QString, says);
        const std::vector<RunRow> runs = {storedRun("cospadi", 0.2, 2, 1, 50.0)};
        try {
            if (rows.isEmpty()) {
                series(runs, {"spiral", "perplexity", ""});
            } else {
                PivotOptions options;
                options.rows = {rows.toStdString()};
                options.metric = metric.toStdString();
                pivot(runs, options);
            }
            QFAIL("was accepted");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains(says), error.what());
        }
    }

    void wrongNamesAreAnswered() {
        const auto messageOf = [](const std::function<void()>& action) {
            try {
                action();
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string("no error");
        };
        QCOMPARE(messageOf([&] { buildReport(*m_store, "dmeo"); }),
                 std::string("--preset: there is no report preset \"dmeo\" (there are: demo, rho, "
                             "iterations, solvers, storage, paper-main)"));
        QCOMPARE(messageOf([] { reportFormatFromName("pdf"); }),
                 std::string("--format: there is no report format \"pdf\""
                             " (there are: csv, md, latex, table)"));
        const fs::path empty = fs::path(m_folder.path().toStdString()) / "empty.sqlite";
        QVERIFY(messageOf([&] {
                    buildReport(RunStore::open(empty), "demo");
                }).find("no finished run is tagged demo") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestReport)
#include "tst_report.moc"
