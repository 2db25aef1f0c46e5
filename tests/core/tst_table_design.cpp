// Tables as their authors lay them out: order, digits, what stands out, and the paper's rows beside
// one's own. Printed numbers were read off the paper; LaTeX is judged by pdflatex.
#include <fmt/format.h>

#include <QProcess>
#include <QStandardPaths>
#include <QtTest>
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/report/pivot.h"
#include "core/report/published.h"
#include "core/report/report.h"
#include "core/report/report_table.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "core/report/table_layout.h"
#include "tests/core/own_folder.h"
#include "tests/registered_test.h"

namespace tst_table_design {

using namespace cospadi;
using nlohmann::json;

namespace {

RunRow measuredRun(const std::string& method, double cr, double accuracy) {
    RunRow run;
    run.id = method + std::to_string(cr);
    run.model = "/m/Meta-Llama-3-8B";
    run.method = method;
    run.solver = "fast";
    run.status = "finished";
    run.layers = ".*";
    run.cr = cr;
    run.rho = 2;
    run.specification =
        json{{"model", run.model}, {"method", method}, {"cr", cr}, {"rho", 2.0}, {"solver", "fast"}}
            .dump();
    TaskResultRow row;
    row.task = "piqa";
    row.metric = "acc_norm";
    row.value = accuracy;
    row.samples = 100;
    run.taskResults = {row};
    return run;
}

std::vector<RunRow> someRuns() {
    return {measuredRun("dense", 0, 0.8), measuredRun("svd-llm", 0.2, 0.71),
            measuredRun("svd-llm", 0.3, 0.65), measuredRun("cospadi", 0.2, 0.77),
            measuredRun("cospadi", 0.3, 0.72)};
}

PivotOptions accuracies() {
    PivotOptions options;
    options.metric = "piqa/acc_norm";
    return options;
}

QString rowNamed(const ReportTable& table, const char* label) {
    const std::vector<std::string> labels = rowLabels(table);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == label) {
            QStringList cells;
            for (std::size_t c = 1; c < table.columns.size(); ++c) {
                cells << QString::fromStdString(
                    displayText(table.rows[i].cells[c], table.columns[c]));
            }
            return cells.join('|');
        }
    }
    return "no such row";
}

}  // namespace

class TestTableDesign : public QObject, OwnFolder {
    Q_OBJECT

  private slots:
    void rowsAndColumnsByHand() {
        ReportTable table = pivot(someRuns(), accuracies());
        QVERIFY(
            (rowLabels(table) == std::vector<std::string>{"dense", "svd-llm", "cospadi (fast)"}));
        TableLayout layout;
        layout.rowOrder = {"cospadi (fast)", "nobody", "dense"};
        layout.columnOrder = {"method", "cr 0.3"};
        applyLayout(table, layout);
        QVERIFY(
            (rowLabels(table) == std::vector<std::string>{"cospadi (fast)", "dense", "svd-llm"}));
        QCOMPARE(table.columns[1].name, std::string("cr 0.3"));
        QCOMPARE(rowNamed(table, "cospadi (fast)"), QString("0.7200|0.7700"));
        QCOMPARE(rowNamed(table, "svd-llm"), QString("0.6500|0.7100"));
    }

    void hidingAndRenaming() {
        ReportTable table = pivot(someRuns(), accuracies());
        TableLayout layout;
        layout.hidden = {"dense", "cr 0.2"};
        layout.renamed = {{"cospadi (fast)", "CoSpaDi"}, {"cr 0.3", "30 %"}};
        layout.decimals = 1;
        applyLayout(table, layout);
        QCOMPARE(
            QString::fromStdString(render(table, ReportFormat::Markdown)).section("\n\n", 0, 0),
            QString("| method | 30 % |\n|---|---:|\n| svd-llm | <u>0.7</u> |\n"
                    "| CoSpaDi | **0.7** |"));
    }

    void whatStandsOut_data() {
        QTest::addColumn<bool>("best");
        QTest::addColumn<QVariant>("second");
        QTest::addColumn<int>("bold");
        QTest::addColumn<int>("underlined");
        QTest::newRow("as the pivot has it") << true << QVariant() << 2 << 2;
        QTest::newRow("second off") << true << QVariant(false) << 2 << 0;
        QTest::newRow("neither") << false << QVariant(true) << 0 << 0;
    }

    void whatStandsOut() {
        QFETCH(bool, best);
        QFETCH(QVariant, second);
        QFETCH(int, bold);
        QFETCH(int, underlined);
        ReportTable table = pivot(someRuns(), accuracies());
        TableLayout layout;
        layout.best = best;
        if (second.isValid()) {
            layout.second = second.toBool();
        }
        applyLayout(table, layout);
        const QString latex = QString::fromStdString(render(table, ReportFormat::Latex));
        QCOMPARE(latex.count("\\textbf"), bold);
        QCOMPARE(latex.count("\\underline"), underlined);
    }

    void meansWithoutDeviations() {
        ReportTable table;
        table.columns = {{"method"}, {"value", ColumnKind::Number, 1}};
        table.rows = {{{"a", MeanCell{33.14, 0.4, 3}}, ""}};
        QVERIFY(render(table, ReportFormat::Markdown).find("33.1 ± 0.4 (n=3)") !=
                std::string::npos);
        TableLayout layout;
        layout.deviations = false;
        applyLayout(table, layout);
        QVERIFY(render(table, ReportFormat::Markdown).find("| a | 33.1 |") != std::string::npos);
        QCOMPARE(QString::fromStdString(render(table, ReportFormat::Csv)),
                 QString("method,value\r\na,33.14\r\n"));
    }

    // Lines of headings, whole headings and texts of cells; a row's label of several cells is none.
    void whatCanBeRenamed() {
        PivotOptions options = accuracies();
        options.rows = {"model", "method"};
        options.columns = {"cr", "layers"};
        std::vector<RunRow> runs = someRuns();
        runs.erase(runs.begin());
        const std::vector<std::string> texts = renamableTexts(pivot(runs, options));
        const auto count = [&](const char* text) {
            return std::count(texts.begin(), texts.end(), text);
        };
        for (const char* text : {"method", "cr 0.2", "layers all", "cr 0.2, layers all",
                                 "Meta-Llama-3-8B", "cospadi (fast)"}) {
            QVERIFY2(count(text) == 1, text);
        }
        for (const char* text : {"CR 0.2", "Meta-Llama-3-8B, cospadi (fast)", "0.77", ""}) {
            QVERIFY2(count(text) == 0, text);
        }
    }

    void twoRowsOfOneName() {
        ReportTable table;
        table.columns = {{"method"}};
        table.rows = {{{"a"}, ""}, {{"a"}, ""}};
        QVERIFY((rowLabels(table) == std::vector<std::string>{"a", "a #2"}));
        // A number that is not there names nothing.
        table.columns.push_back({"cr", ColumnKind::Number, 1, BestValue::None, false, true});
        table.rows = {{{"a", 0.2}, ""}, {{"a", std::monostate()}, ""}};
        QVERIFY((rowLabels(table) == std::vector<std::string>{"a, 0.2", "a"}));
    }

    // Table 3, read off the paper: PIQA of Llama-3-8B at CR 0.2 and 0.3.
    void thePapersRowsBesideOnesOwn() {
        PivotOptions options = accuracies();
        options.beside = {publishedTable("3")};
        const ReportTable table = pivot(someRuns(), options);
        QCOMPARE(rowNamed(table, "SVD-LLM, Llama-3-8B (paper, table 3)"), QString("0.7110|0.6580"));
        QCOMPARE(rowNamed(table, "CoSpaDi, Llama-3-8B (paper, table 3)"), QString("0.7520|0.7050"));
        // The dense model stands in all columns and is never the best.
        QCOMPARE(rowNamed(table, "Llama3 8B (paper, table 3)"), QString("0.8070|0.8070"));
        const QString notes =
            QString::fromStdString(fmt::format("{}", fmt::join(table.notes, "\n")));
        QVERIFY2(notes.contains("arXiv:2509.22075") && notes.contains("table 3"),
                 qPrintable(notes));
        // Printed numbers do not take the mark from measured ones.
        const auto ranks = rankCells(table);
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const bool mine = rowLabels(table)[row] == "cospadi (fast)";
            if (mine) {
                QCOMPARE(ranks[row][1], 1);
            }
        }
    }

    // Two settings across: the first over the second in print, both in one name elsewhere.
    void headingsOfTwoLines() {
        PivotOptions options = accuracies();
        options.rows = {"model"};
        options.columns = {"cr", "method"};
        options.digits = 2;
        std::vector<RunRow> runs = someRuns();
        runs.erase(runs.begin());  // the dense one
        const ReportTable table = pivot(runs, options);
        QCOMPARE(table.columns[2].name, std::string("cr 0.2, cospadi (fast)"));
        const auto spans = headingSpans(table);
        QCOMPARE(static_cast<int>(spans.size()), 3);
        QCOMPARE(spans[2].over, std::string("cr 0.3"));
        QCOMPARE(static_cast<int>(spans[2].begin), 3);
        QCOMPARE(static_cast<int>(spans[2].end), 5);
        const QString latex = QString::fromStdString(render(table, ReportFormat::Latex));
        QCOMPARE(latex.section("\\toprule\n", 1).section("\\bottomrule", 0, 0),
                 QString(" & \\multicolumn{2}{c}{CR 0.2} & \\multicolumn{2}{c}{CR 0.3} \\\\\n"
                         "\\cmidrule(lr){2-3} \\cmidrule(lr){4-5}\n"
                         "model & svd-llm & cospadi (fast) & svd-llm & cospadi (fast) \\\\\n"
                         "\\midrule\n"
                         "Meta-Llama-3-8B & \\underline{0.71} & \\textbf{0.77} & "
                         "\\underline{0.65} & \\textbf{0.72} \\\\\n"));
        const QString csv = QString::fromStdString(render(table, ReportFormat::Csv));
        QVERIFY(csv.startsWith("model,\"cr 0.2, svd-llm\",\"cr 0.2, cospadi (fast)\","));
    }

    // Moved apart, a heading stands twice; renamed, it has its new name everywhere; a column that
    // has a name of its own leaves the heading.
    void headingsOfTwoLinesByHand() {
        PivotOptions options = accuracies();
        options.rows = {"model"};
        options.columns = {"cr", "method"};
        ReportTable table = pivot(someRuns(), options);
        TableLayout layout;
        layout.columnOrder = {"model", "cr 0.2, svd-llm", "cr 0.3, svd-llm"};
        layout.hidden = {"dense", "any, dense", "cr any, dense"};
        layout.renamed = {
            {"cr 0.2", "20 %"}, {"svd-llm", "SVD"}, {"cr 0.3, cospadi (fast)", "ours"}};
        applyLayout(table, layout);
        QStringList names;
        QStringList spans;
        for (const ReportColumn& column : table.columns) {
            names << QString::fromStdString(column.name);
        }
        for (const HeadingSpan& span : headingSpans(table)) {
            spans << QString("%1:%2").arg(QString::fromStdString(span.over)).arg(span.end);
        }
        QCOMPARE(names, (QStringList{"model", "20 %, SVD", "cr 0.3, SVD", "20 %, cospadi (fast)",
                                     "ours"}));
        QCOMPARE(spans, (QStringList{":1", "20 %:2", "cr 0.3:3", "20 %:4", ":5"}));
    }

    // Table 3, read off the paper: of Llama-3-8B CoSpaDi is the better one at CR 0.2, 0.3 and 0.4.
    void publishedRowsAreRankedAtTheirRatio() {
        PivotOptions options = accuracies();
        options.rows = {"method", "cr"};
        options.columns = {};
        options.beside = {publishedTable("3")};
        const ReportTable table = pivot(someRuns(), options);
        const auto ranks = rankCells(table);
        QStringList ranked;
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const std::string label = std::get<std::string>(table.rows[row].cells[0]);
            if (label.find(", Llama-3-8B (paper") != std::string::npos) {
                ranked << QString::fromStdString(label.substr(0, label.find(','))) +
                              QString(" %1").arg(ranks[row][2]);
            }
        }
        ranked.sort();
        QCOMPARE(ranked, (QStringList{"CoSpaDi 1", "CoSpaDi 1", "CoSpaDi 1", "SVD-LLM 2",
                                      "SVD-LLM 2", "SVD-LLM 2"}));
    }

    // A rule in print where the outermost setting changes, and before the paper's rows.
    void blocksAreRuledOff() {
        PivotOptions options = accuracies();
        options.rows = {"cr", "method"};
        options.columns = {};
        options.beside = {publishedTable("3")};
        ReportTable table = pivot(someRuns(), options);
        const auto rules = [](const ReportTable& any) {
            return QString::fromStdString(render(any, ReportFormat::Latex)).count("\\midrule");
        };
        // Under the heading; dense, 0.2, 0.3, and each of the paper's two models.
        QCOMPARE(rules(table), 5);
        TableLayout layout;
        layout.hidden = {"0.3, svd-llm", "0.3, cospadi (fast)"};
        applyLayout(table, layout);
        QCOMPARE(rules(table), 4);
        QCOMPARE(rules(pivot(someRuns(), accuracies())), 1);
    }

    // Perplexities of tokens are not what the paper prints: nothing is laid beside them.
    void otherNumbersStayAway() {
        std::vector<RunRow> runs = someRuns();
        for (RunRow& run : runs) {
            run.relativeError = 0.1;
        }
        PivotOptions options;
        options.metric = "error";
        options.beside = {publishedTable("3")};
        const ReportTable table = pivot(runs, options);
        QCOMPARE(static_cast<int>(table.rows.size()), 2);
        QVERIFY(table.notes.back().find("has no error") != std::string::npos);
        options.rows = {"rho"};
        QVERIFY_THROWS_EXCEPTION(Error, pivot(runs, options));
    }

    void everyTableCompiles() {
        const QString compiler = QStandardPaths::findExecutable("pdflatex");
        if (compiler.isEmpty()) {
            QSKIP("no pdflatex on this machine");
        }
        std::string text =
            "\\documentclass{article}\\usepackage{booktabs}\n\\begin{document}\\tiny\n";
        for (const PublishedTable& published : publishedTables()) {
            text += "\\noindent " + render(tableOf(published), ReportFormat::Latex) + "\n\n";
        }
        PivotOptions options = accuracies();
        options.beside = publishedTables();
        ReportTable table = pivot(someRuns(), options);
        TableLayout layout;
        layout.renamed = {{"cospadi (fast)", "ours, ρ ≈ 2 → ∞ ± 3 × 10 − 1"}, {"cr 0.3", "γ ≤ ↓"}};
        applyLayout(table, layout);
        text += render(table, ReportFormat::Latex) + "\n\n";
        options.rows = {"rho"};
        options.columns = {"method", "cr", "model"};  // two lines of headings
        options.beside = {};
        text += render(pivot(someRuns(), options), ReportFormat::Latex) + "\\end{document}\n";
        std::ofstream(place("tables.tex")) << text;
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(compiler, {"-halt-on-error", "-interaction=nonstopmode", "tables.tex"});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardOutput().right(1500).constData());
    }

    void whatCanBeChosen() {
        const std::vector<std::string> dimensions = dimensionNames(someRuns());
        QVERIFY(std::find(dimensions.begin(), dimensions.end(), "rho") != dimensions.end());
        QVERIFY((taskMetrics(someRuns()) == std::vector<std::string>{"piqa/acc_norm"}));
    }

    void manyRunsShareCells() {
        std::vector<RunRow> runs;
        for (int i = 0; i < 10000; ++i) {
            runs.push_back(measuredRun(i % 3 == 0 ? "svd-llm" : "cospadi", 0.1 * (i % 8), 0.5));
        }
        PivotOptions options = accuracies();
        options.columns = {"cr", "rho"};
        QCOMPARE(static_cast<int>(pivot(runs, options).rows.size()), 2);
    }
};

COSPADI_TEST(TestTableDesign)

}  // namespace tst_table_design

#include "tst_table_design.moc"
