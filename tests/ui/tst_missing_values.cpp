// What is missing: one sign for a value that is not there, words where a table or a map is empty,
// cells of a map that are hatched.
#include <QImage>
#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>
#include <QtTest>
#include <limits>
#include <memory>
#include <set>
#include <variant>

#include "tests/registered_test.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/heat_map.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/matrix_table_model.h"
#include "ui/models/report_table_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/sample_text.h"
#include "ui/models/task_board_model.h"
#include "ui/widgets/row_table.h"

namespace tst_missing_values {

using namespace cospadi;
using namespace cospadi::ui;

class TestMissingValues : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void init() { applyTheme(*qApp); }

    void whatIsMissingIsOneSign() {
        const double nothing = std::numeric_limits<double>::quiet_NaN();
        for (const QString& text : {formatBytes(nothing), formatDuration(-1), formatError(nothing),
                                    formatPercent(nothing)}) {
            QCOMPARE(text, kMissing);
        }
        RunTrace trace;
        trace.apply({{"event", "matrix_started"}, {"matrix", "blk.0.attn_q"}});
        MatrixTableModel model(&trace);
        model.sync();
        QCOMPARE(model.rowCount(), 1);
        for (const int column : {MatrixTableModel::ErrorColumn, MatrixTableModel::DeadColumn,
                                 MatrixTableModel::TimeColumn}) {
            QCOMPARE(model.index(0, column).data().toString(), kMissing);
        }
        ReportTableModel report;
        ReportTable table;
        table.columns = {{"method"}, {"error", ColumnKind::Number}, {"size", ColumnKind::Bytes}};
        table.rows = {{{"dense", nothing, std::monostate()}, ""}};
        report.setTable(table);
        QCOMPARE(report.index(0, 1).data().toString(), kMissing);
        QCOMPARE(report.index(0, 2).data().toString(), kMissing);
        // What never ran took no time, not 0 s of it.
        RunRow dense;
        dense.method = "dense";
        dense.seconds = 0;
        RunRow failed;
        failed.method = "svd";
        failed.seconds = 0;
        failed.layerBytes = 0;
        TaskResultRow accuracy;
        accuracy.task = "piqa";
        accuracy.metric = "acc";
        dense.taskResults = {accuracy};
        RunsTableModel runs;
        runs.setRuns({dense, failed});
        for (const int row : {0, 1}) {
            for (const int column : {RunsTableModel::BytesColumn, RunsTableModel::SecondsColumn}) {
                QCOMPARE(runs.index(row, column).data().toString(), kMissing);
            }
        }
        TaskBoardModel board;
        board.setStored({dense});
        QCOMPARE(board.index(0, TaskBoardModel::PerplexityColumn).data().toString(), kMissing);
        GroupedRunsModel groups(&runs);
        groups.setGroupColumn(RunsTableModel::MethodColumn);
        for (const int column : {RunsTableModel::ErrorColumn, RunsTableModel::PerplexityColumn}) {
            QCOMPARE(groups.index(0, column).data().toString(), kMissing);
        }
        // Items of a task: no mark, no choice, no second model, fewer scores than choices.
        TaskSample sample;
        sample.acc = nothing;
        sample.chosen = -1;
        sample.continuations = {"a", "b"};
        sample.logLikelihoods = {-12.5};
        SampleTableModel items;
        items.setSamples({sample}, {});
        for (const int column : {SampleTableModel::FirstColumn, SampleTableModel::SecondColumn,
                                 SampleTableModel::ChangeColumn}) {
            QCOMPARE(items.index(0, column).data().toString(), kMissing);
        }
        const QString scores = sampleHtml(sample, nullptr);
        QVERIFY2(scores.contains(QStringLiteral(">−12.500<")), qPrintable(scores));
        QVERIFY2(scores.contains(QStringLiteral(">–<")), qPrintable(scores));
        QCOMPARE(formatFixed(nothing, 2), kMissing);
    }

    void emptyTablesAndMapsSayWhatWillStandThere() {
        QStandardItemModel model(0, 2);
        std::unique_ptr<QTableView> table(makeRowTable("t", "t", &model));
        sayWhenEmpty(*table, "Rows come here.");
        table->resize(400, 200);
        table->show();
        const auto* words = table->viewport()->findChild<QLabel*>();
        QVERIFY(words != nullptr && words->isVisible());
        QCOMPARE(words->text(), QString("Rows come here."));
        QCOMPARE(words->geometry(), table->viewport()->rect());
        model.appendRow(new QStandardItem("a"));
        QVERIFY(!words->isVisible());
        model.removeRow(0);
        QVERIFY(words->isVisible());
        HeatMap map;
        map.resize(400, 200);
        const QImage blank = map.grab().toImage();
        map.setEmptyText("Cells come here.");
        QCOMPARE(map.accessibleDescription(), QString("Cells come here."));
        QVERIFY(map.grab().toImage() != blank);
        HeatMapData data;
        data.rows = data.columns = QStringList{"a"};
        data.values = {1};
        map.setData(data);
        QVERIFY(map.accessibleDescription().startsWith("1 by 1 cells"));
        map.setData({});
        QCOMPARE(map.accessibleDescription(), QString("Cells come here."));
    }

    // Neither the paper nor a colour of the scale.
    void cellsWithoutAValueAreHatched() {
        HeatMapData data;
        data.rows = QStringList{"r"};
        data.columns = QStringList{"0", "1"};
        data.values = {1, std::numeric_limits<double>::quiet_NaN()};
        HeatMap map;
        map.resize(400, 300);
        map.setData(data);
        const QImage image = map.grab().toImage();
        std::set<QRgb> colours;
        for (int x = 240; x < 270; ++x) {  // within the second cell
            colours.insert(image.pixel(x, 100));
        }
        QVERIFY(colours.size() > 1);
        QVERIFY(colours.count(theme().panel.rgb()) == 1);
    }
};

COSPADI_TEST(TestMissingValues)

}  // namespace tst_missing_values

#include "tst_missing_values.moc"
