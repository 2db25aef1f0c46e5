// Numbers in one format wherever they stand: ticks of axes, values that charts, maps and tables
// tell, settings and counts in the user's locale.
#include <QtTest>
#include <limits>

#include "tests/registered_test.h"
#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/heat_map.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/sweep_matrix_model.h"

namespace tst_number_format {

using namespace cospadi;
using namespace cospadi::ui;

class TestNumberFormat : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    void init() { applyTheme(*qApp); }

    void ticksAreInOneFormat() {
        const auto labels = [](const AxisTicks& axis) {
            QStringList all;
            for (const Tick& tick : axis.ticks) {
                all << tick.label;
            }
            return all;
        };
        const QStringList decades = labels(logarithmicTicks(1e-7, 1, 20));
        QVERIFY2(decades.contains("10⁻⁵") && decades.contains("10⁻²") && decades.contains("10⁰"),
                 qPrintable(decades.join(' ')));
        for (const QString& label : decades) {
            QVERIFY2(label.contains("10"), qPrintable(label));
        }
        const QStringList counts = labels(linearTicks(0, 100000, 3));
        QVERIFY2(counts.contains("100,000") && counts.contains("50,000") && counts.contains("0"),
                 qPrintable(counts.join(' ')));
        QCOMPARE(labels(linearTicks(-1, 1, 2)), QStringList({"−1", "0", "1"}));
        // What differs by rounding alone stands for one value, with room around it.
        const QStringList nearly = labels(linearTicks(0.3, 0.1 + 0.2, 4));
        QVERIFY2(nearly.contains("0.3") && nearly.size() < 20, qPrintable(nearly.join(' ')));
        const QStringList small = labels(linearTicks(0, 3e-5, 4));
        QVERIFY2(small.contains("10⁻⁵") && small.contains("2 · 10⁻⁵") && small.contains("0"),
                 qPrintable(small.join(' ')));
        const QStringList errors = labels(logarithmicTicks(0.08, 0.3));
        QVERIFY2(errors.contains("0.1") && errors.contains("0.2"), qPrintable(errors.join(' ')));
        QLocale::setDefault(QLocale(QLocale::German));
        const QStringList german = labels(linearTicks(0, 100000, 3));
        const QStringList comma = labels(linearTicks(0, 0.4, 3));
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QVERIFY2(german.contains("100.000"), qPrintable(german.join(' ')));
        QVERIFY2(comma.contains("0,2"), qPrintable(comma.join(' ')));
        QCOMPARE(tickLabels({5e5, 1e6}),
                 (QStringList{QStringLiteral("5 · 10⁵"), QStringLiteral("10⁶")}));
    }

    // Wherever a value is told, it is written as ticks are.
    void numbersAreWrittenAsTicks() {
        QCOMPARE(formatNumber(1.5e8), QStringLiteral("1.5 · 10⁸"));
        QCOMPARE(formatNumber(9.99996e6), QStringLiteral("10⁷"));
        QCOMPARE(formatNumber(-2.5e-5), QStringLiteral("−2.5 · 10⁻⁵"));
        QCOMPARE(formatNumber(100000), QStringLiteral("100,000"));
        QCOMPARE(formatNumber(123456.7), QStringLiteral("123,457"));
        QCOMPARE(formatNumber(0.123456), QStringLiteral("0.1235"));
        QCOMPARE(formatNumber(0), QStringLiteral("0"));
        QCOMPARE(formatNumber(std::numeric_limits<double>::quiet_NaN()), kMissing);
        const QString large = QStringLiteral("1.5 · 10⁸");
        CurveChart chart;
        Curve curve;
        curve.points = {{1.5e8, 2.5e-5}};
        chart.setCurves({curve});
        QCOMPARE(chart.valuesAt(1.5e8), QStringList{QStringLiteral("2.5 · 10⁻⁵ (%1)").arg(large)});
        HeatMapData cell;
        cell.rows = QStringList{"r"};
        cell.columns = QStringList{"c"};
        cell.values = {1.5e8};
        HeatMap map;
        map.resize(400, 300);
        map.setData(cell);
        QVERIFY2(map.describe({200, 100}).endsWith(large), qPrintable(map.describe({200, 100})));
        PatternDifference difference;
        difference.scale = 1.5e8;
        const auto legend = differenceLegend(difference, DifferenceLook::Values, {}, false);
        QVERIFY2(legend.last().words.contains(large), qPrintable(legend.last().words));
        SweepMatrix sweep;
        sweep.rowNames = sweep.columnNames = {""};
        sweep.cells.resize(1);
        sweep.cells[0].run.status = "finished";
        sweep.cells[0].value = 1.5e8;
        SweepMatrixModel matrix;
        matrix.setMatrix(sweep, "perplexity");
        QCOMPARE(matrix.index(0, 0).data().toString(), large);
        matrix.setMatrix(sweep, "bytes");  // with their units
        QCOMPARE(matrix.index(0, 0).data().toString(), QStringLiteral("150 MB"));
        sweep.cells[0].value = 125;
        matrix.setMatrix(sweep, "seconds");
        QCOMPARE(matrix.index(0, 0).data().toString(), QStringLiteral("2 min 05 s"));
        QVERIFY(matrix.index(0, 0).data(Qt::ToolTipRole).toString().contains("2 min 05 s"));
    }

    void settingsAndCountsAreInTheUsersLocale() {
        RunRow run;
        run.method = "svd";
        run.cr = 0.25;
        cospadi::ui::RunSettings settings;
        settings.names = QStringList{"damping", "calibration_length", "sweep", "solver"};
        settings.values = {{"0.5", "12000", "2024", "fast"}, {"1e-05", "", "2025", "auto"}};
        RunsTableModel runs;
        QLocale::setDefault(QLocale(QLocale::German));
        runs.setRuns({run, run}, settings);
        QStringList cells{runs.index(0, RunsTableModel::CrColumn).data().toString()};
        for (int row = 0; row < 2; ++row) {
            for (int column = 0; column < 4; ++column) {
                cells << runs.index(row, RunsTableModel::ColumnCount + column).data().toString();
            }
        }
        const QString count = formatCount(49152);
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QCOMPARE(cells, (QStringList{"0,25", "0,5", "12.000", "2024", "fast",
                                     QStringLiteral("10⁻⁵"), kMissing, "2025", "auto"}));
        QCOMPARE(count, QString("49.152"));
        QCOMPARE(formatCount(49152), QString("49,152"));
    }
};

COSPADI_TEST(TestNumberFormat)

}  // namespace tst_number_format

#include "tst_number_format.moc"
