// The table of stored runs: well formed, sorts numbers as numbers, unknown ones last.
#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QtTest>
#include <cmath>

#include "tests/registered_test.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/tag_list.h"

namespace tst_runs_table_model {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

RunRow makeRun(const std::string& id, const std::string& method, double error, double perplexity) {
    RunRow run;
    run.id = id;
    run.method = method;
    run.solver = "fast";
    run.status = "finished";
    run.layers = ".*";
    run.cr = 0.2;
    run.rho = 2;
    run.matrices = 210;
    run.layerBytes = 170'000'000;
    run.denseBytes = 212'000'000;
    run.relativeError = error;
    run.seconds = 100;
    run.created = "2026-11-21T04:15:00Z";
    if (perplexity == perplexity) {
        EvaluationRow evaluation;
        evaluation.perplexity = perplexity;
        evaluation.created = run.created;
        run.evaluations = {evaluation};
    }
    return run;
}

}  // namespace

class TestRunsTableModel : public QObject {
    Q_OBJECT

  private slots:
    void tagsInALine_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("tags");
        QTest::addColumn<QString>("again");  // as they are shown
        QTest::newRow("none") << "  , ," << QStringList{} << "";
        QTest::newRow("plain") << "paper,  b ,paper" << QStringList{"paper", "b"} << "paper, b";
        QTest::newRow("comma") << "a, \"b, c\" ,d" << QStringList{"a", "b, c", "d"}
                               << "a, \"b, c\", d";
        QTest::newRow("quotes") << "\"say \"\"x\"\"\"" << QStringList{"say \"x\""}
                                << "\"say \"\"x\"\"\"";
        QTest::newRow("inside a word") << "5\" disk" << QStringList{"5\" disk"} << "\"5\"\" disk\"";
        QTest::newRow("spaces") << "\" a \"" << QStringList{" a "} << "\" a \"";
        QTest::newRow("open") << "\"a, b" << QStringList{"a, b"} << "\"a, b\"";
    }

    void tagsInALine() {
        QFETCH(QString, line);
        QFETCH(QStringList, tags);
        QFETCH(QString, again);
        QCOMPARE(tagsFromLine(line), tags);
        QCOMPARE(tagsToLine(tags), again);
        QCOMPARE(tagsFromLine(again), tags);
    }

    void isAWellFormedModel() {
        RunsTableModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        RunRow first = makeRun("a", "cospadi", 0.1, 80);
        first.model = "/m/smol.gguf";
        first.tags = {"paper"};
        first.note = "as expected";
        model.setRuns({first, makeRun("b", "svd", 0.2, unknownNumber)}, {{"seed"}, {{"42"}, {""}}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), RunsTableModel::ColumnCount + 1);
        QCOMPARE(model.columnKey(RunsTableModel::ColumnCount), "seed");
        QVERIFY(model.isNumber(RunsTableModel::ColumnCount));
        for (int column = 0; column < model.columnCount(); ++column) {
            QVERIFY(!model.headerData(column, Qt::Horizontal).toString().isEmpty());
            QVERIFY(
                !model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
            QVERIFY(!model.index(0, column).data().toString().isEmpty());
        }
        model.setRuns({});
        QCOMPARE(model.rowCount(), 0);
    }

    void sortsByNumberWithUnknownLast() {
        RunsTableModel model;
        model.setRuns({makeRun("a", "svd", unknownNumber, 100), makeRun("b", "svd", 0.1, 9),
                       makeRun("c", "svd", 0.02, unknownNumber)});
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(&model);
        sorted.setSortRole(RunsTableModel::SortRole);
        const auto order = [&](int column) {
            sorted.sort(column, Qt::AscendingOrder);
            QString ids;
            for (int row = 0; row < sorted.rowCount(); ++row) {
                ids += sorted.index(row, 0).data(RunsTableModel::IdRole).toString();
            }
            return ids;
        };
        QCOMPARE(order(RunsTableModel::ErrorColumn), "cba");
        QCOMPARE(order(RunsTableModel::PerplexityColumn), "bac");
    }

    void lowRankHasNoRho() {
        RunsTableModel model;
        model.setRuns({makeRun("a", "svd-llm", 0.1, 80)});
        QCOMPARE(model.index(0, RunsTableModel::RhoColumn).data().toString(), "–");
    }

    // Three runs are measured on one text, another one on a second text alone, on which the first
    // one's is lower as well as later.
    void perplexitiesOfOtherTextsDoNotCompare() {
        const auto on = [](const char* text, double perplexity, const char* created) {
            EvaluationRow row;
            row.text = text;
            row.context = 1024;
            row.perplexity = perplexity;
            row.created = created;
            return row;
        };
        RunRow both = makeRun("a", "svd", 0.1, unknownNumber);
        both.evaluations = {on("wiki.txt", 40, "2026-01-01"), on("own.txt", 20, "2027-01-01")};
        RunRow usual = makeRun("b", "svd", 0.1, unknownNumber);
        usual.evaluations = {on("wiki.txt", 423517.06, "2026-01-01")};
        RunRow other = makeRun("c", "svd", 0.1, unknownNumber);
        other.evaluations = {on("old.txt", 35, "2025-01-01"), on("own.txt", 30, "2026-01-01")};
        RunRow third = makeRun("d", "svd", 0.1, unknownNumber);
        third.evaluations = {on("wiki.txt", 50, "2026-01-01")};

        RunsTableModel model;
        model.setRuns({both, usual, other, makeRun("e", "svd", 0.1, unknownNumber), third});
        const auto cell = [&](int row, int role = Qt::DisplayRole) {
            return model.index(row, RunsTableModel::PerplexityColumn).data(role);
        };
        QCOMPARE(cell(0).toString(), "40.00");
        QCOMPARE(cell(1).toString(), "423,517");  // a column has no room for decimals
        QCOMPARE(cell(2).toString(), "30.00*");
        QCOMPARE(cell(3).toString(), "–");
        QCOMPARE(cell(0, RunsTableModel::SortRole).toDouble(), 40.0);
        QVERIFY(std::isinf(cell(2, RunsTableModel::SortRole).toDouble()));
        QCOMPARE(cell(0, Qt::ToolTipRole).toString(), "wiki.txt, context 1024, all tokens");
        const QString tip = cell(2, Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains("own.txt") && tip.contains("wiki.txt"), qPrintable(tip));
        const QString help =
            model.headerData(RunsTableModel::PerplexityColumn, Qt::Horizontal, Qt::ToolTipRole)
                .toString();
        QVERIFY2(help.contains("wiki.txt, context 1024"), qPrintable(help));

        // A filter goes by what is compared.
        QCOMPARE(model.fields(0).at("perplexity"), std::vector<std::string>{"40"});
        QVERIFY(!model.fields(2).contains("perplexity"));

        model.setBaseline("a");
        QCOMPARE(cell(2).toString(), "30.00*");

        // Measured as the others were, but it is no number: nothing else stands in its place.
        RunRow broken = makeRun("f", "svd", 0.1, unknownNumber);
        broken.evaluations = {on("wiki.txt", unknownNumber, "2026-01-01")};
        model.setRuns({both, usual, broken});
        QCOMPARE(cell(2).toString(), "–");
        QCOMPARE(cell(2, Qt::ToolTipRole).toString(),
                 "wiki.txt, context 1024, all tokens\nNot a finite number");
        model.setRuns({both, usual, other, makeRun("e", "svd", 0.1, unknownNumber), third});

        GroupedRunsModel groups(&model);
        groups.setGroupColumn(RunsTableModel::MethodColumn);
        QCOMPARE(groups.index(0, RunsTableModel::PerplexityColumn).data().toString(), "40.00");
    }
};

COSPADI_TEST(TestRunsTableModel)

}  // namespace tst_runs_table_model

#include "tst_runs_table_model.moc"
