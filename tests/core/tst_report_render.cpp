// A table as text: CSV, read back by Python's csv module, LaTeX, which pdflatex compiles where
// there is one, and the columns of a terminal.
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "core/report/pivot.h"
#include "core/report/report.h"
#include "core/report/table_layout.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_render {

using namespace cospadi;
using namespace report_fixture;

namespace {

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

}  // namespace

class TestReportRender : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

  private slots:
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
                         "dense & -- & 1.00 \\\\\n"
                         "Größe & 2.00 GB & -- \\\\\n"
                         "\\bottomrule\n\\end{tabular}\n"));
    }

    // ρ and CR in print; by the names of the settings in files that programs read.
    void printHasSymbols() {
        QCOMPARE(printedHeading("cr 0.2, rho 2"), std::string("CR 0.2, ρ 2"));
        QCOMPARE(printedHeading("rho"), std::string("ρ"));
        QCOMPARE(printedHeading("crude, across rho"), std::string("crude, across rho"));
        ReportTable table = sampleTable();
        table.columns[1].over = "cr 0.2";
        table.columns[1].under = "rho 2";
        table.columns[1].name = "cr 0.2, rho 2";
        const std::string latex = render(table, ReportFormat::Latex);
        QVERIFY2(latex.find("{CR 0.2}") != std::string::npos &&
                     latex.find("& $\\rho$ 2 &") != std::string::npos,
                 latex.c_str());
        const std::string markdown = render(table, ReportFormat::Markdown);
        QVERIFY2(markdown.find("| CR 0.2, ρ 2 |") != std::string::npos, markdown.c_str());
        const std::string terminal = render(table, ReportFormat::Terminal);
        QVERIFY2(terminal.find("  CR 0.2, ρ 2  ") != std::string::npos, terminal.c_str());
        QVERIFY(render(table, ReportFormat::Csv).find("\"cr 0.2, rho 2\"") != std::string::npos);
    }

    void terminalColumnsAlign() {
        ReportTable table = sampleTable();
        table.rows.erase(table.rows.begin() + 1);
        QCOMPARE(QString::fromStdString(render(table, ReportFormat::Terminal)),
                 QString("name, odd                   size  value\n"
                         "---------------------------------------\n"
                         "a_b & 50% $x$ #1 {\\} ~^   1.2 MB   3.14\n"
                         "dense                          –   1.00\n"
                         "Größe                    2.00 GB      –\n"));
    }

    // 1.25 and 1.2 are other settings, whatever digits a column has; a measured number is rounded.
    void settingsAreShownInFull() {
        ReportTable table;
        table.columns = {{"cr", ColumnKind::Number, 2, BestValue::None, false, true},
                         {"rho", ColumnKind::Number, 1, BestValue::None, false, true},
                         {"error", ColumnKind::Number, 2}};
        table.rows = {{{0.125, 1.25, 0.125}, ""}, {{0.2, 1.2, 0.2}, ""}, {{0.12, 2.0, 0.1}, ""}};
        const QString markdown = QString::fromStdString(render(table, ReportFormat::Markdown));
        QVERIFY2(markdown.contains("| 0.125 | 1.25 | 0.12 |") &&
                     markdown.contains("| 0.20 | 1.2 | 0.20 |") &&
                     markdown.contains("| 0.12 | 2.0 | 0.10 |"),
                 qPrintable(markdown));
        QVERIFY((rowLabels(table) ==
                 std::vector<std::string>{"0.125, 1.25", "0.20, 1.2", "0.12, 2.0"}));
        TableLayout layout;
        layout.decimals = 0;
        applyLayout(table, layout);
        QCOMPARE(displayText(table.rows[0].cells[1], table.columns[1]), std::string("1.25"));
        QCOMPARE(displayText(table.rows[2].cells[1], table.columns[1]), std::string("2"));
    }

    // An expression of layers as it is written, where stars and underscores would slant what is
    // between them and backslashes vanish; what is set bold stays bold.
    void markdownShowsPlainText() {
        ReportTable table;
        table.columns = {{"the_layers"}, {"value", ColumnKind::Number, 1, BestValue::Lowest}};
        table.rows = {{{"blk\\.[0-3]\\..*ffn.*", 1.0}, ""}, {{"<b>|`x`", 2.0}, ""}};
        table.notes = {"from wiki_test.txt"};
        QCOMPARE(QString::fromStdString(render(table, ReportFormat::Markdown)),
                 QString("| the\\_layers | value |\n|---|---:|\n"
                         "| blk\\\\.\\[0-3\\]\\\\..\\*ffn.\\* | **1.0** |\n"
                         "| \\<b\\>\\|\\`x\\` | 2.0 |\n\nfrom wiki\\_test.txt\n"));
    }

    // Behind a rule or a row's end LaTeX takes a bracket and a star for arguments.
    void latexRowsBeginWithTheirText() {
        ReportTable table;
        table.columns = {{"*model"}, {"[x]"}};
        table.rows = {{{"[0-3]", "[1]"}, ""}, {{"*", "*"}, ""}, {{"plain", ""}, ""}};
        const QString latex = QString::fromStdString(render(table, ReportFormat::Latex));
        QCOMPARE(latex.section("\\toprule\n", 1).section("\\bottomrule", 0, 0),
                 QString("{}*model & [x] \\\\\n\\midrule\n{}[0-3] & [1] \\\\\n{}* & * \\\\\n"
                         "plain &  \\\\\n"));
    }

    void whatIsNotThereIsASignInMarkdown() {
        const QString markdown =
            QString::fromStdString(render(sampleTable(), ReportFormat::Markdown));
        QVERIFY2(markdown.contains("| dense | – | 1.00 |") &&
                     markdown.contains("| Größe | 2.00 GB | – |"),
                 qPrintable(markdown));
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

    // Behind what is compared, in print as commands of math; columns that nobody compares stay.
    void headingsPointToTheBetter() {
        ReportTable table = sampleTable();
        table.columns[2].best = BestValue::Lowest;
        TableLayout layout;
        layout.directions = true;
        layout.best = false;  // of bold, not of the arrows
        applyLayout(table, layout);
        QCOMPARE(QString::fromStdString(table.columns[0].name), QString("name, odd"));
        QCOMPARE(QString::fromStdString(table.columns[2].name), QString("value ↓"));
        QVERIFY(render(table, ReportFormat::Latex).find("value $\\downarrow$ \\\\") !=
                std::string::npos);
        table = sampleTable();
        table.columns[1].best = BestValue::Highest;
        table.columns[2].best = BestValue::Highest;
        table.columns[2].name = "PIQA ↑";
        applyLayout(table, layout);
        QCOMPARE(QString::fromStdString(table.columns[1].name), QString("size ↑"));
        QCOMPARE(QString::fromStdString(table.columns[2].name), QString("PIQA ↑"));
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
};

COSPADI_TEST(TestReportRender)

}  // namespace tst_report_render

#include "tst_report_render.moc"
