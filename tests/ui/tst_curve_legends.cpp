// Legends of curves: they leave room for the plot, however long the names are, and show the dashes
// of the lines.
#include <QImage>
#include <QtTest>
#include <algorithm>

#include "tests/registered_test.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/curve_legend.h"
#include "ui/charts/curve_legend_entry.h"

namespace tst_curve_legends {

using namespace cospadi;
using namespace cospadi::ui;

class TestCurveLegends : public QObject {
    Q_OBJECT

  private slots:
    void init() { applyTheme(*qApp); }

    // In a line, in two, beside the plot: which keeps half of the width, however long the names
    // are.
    void legendsLeaveRoomForThePlot() {
        CurveChart chart;
        chart.resize(500, 300);
        chart.show();
        QList<Curve> curves(3);
        for (Curve& curve : curves) {
            curve.points = {{1, 1}, {2, 3}};
        }
        const auto show = [&](const QStringList& names) {
            for (qsizetype i = 0; i < curves.size(); ++i) {
                curves[i].name = names[i];
                curves[i].colour = QColor::fromHsv(static_cast<int>(90 * i), 255, 128);
            }
            chart.setCurves(curves);
            return chart.legend().boundingRect().height() / legendLineHeight(chart.legend().font());
        };
        QCOMPARE(show({"W", "L W", "rank"}), 1.0);
        QVERIFY(chart.legend().isAbove());
        QCOMPARE(show({"W", "L W", QString(55, 'n')}), 2.0);
        QVERIFY(chart.legend().isAbove());
        QCOMPARE(show({QString(55, 'n'), QString(54, 'n'), QString(90, 'm')}), 3.0);
        QVERIFY(!chart.legend().isAbove());
        QVERIFY(chart.chart()->plotArea().width() > 180);
    }

    // A piece of the line as long as that its dashes are seen: so many strokes.
    void legendsKeepDashes_data() {
        QTest::addColumn<Qt::PenStyle>("pen");
        QTest::addColumn<int>("least");
        QTest::addColumn<int>("most");
        QTest::newRow("solid") << Qt::SolidLine << 1 << 1;
        QTest::newRow("dashes") << Qt::DashLine << 2 << 4;
        QTest::newRow("dots") << Qt::DotLine << 5 << 12;
    }
    void legendsKeepDashes() {
        QFETCH(Qt::PenStyle, pen);
        QFETCH(int, least);
        QFETCH(int, most);
        CurveChart chart;
        chart.resize(500, 300);
        chart.show();
        Curve curve;
        curve.name = QStringLiteral("name");
        curve.points = {{1, 1}, {2, 3}};
        curve.colour = Qt::blue;
        curve.pen = pen;
        chart.setCurves({curve});
        const QRectF legend = chart.legend().mapRectToScene(chart.legend().boundingRect());
        QVERIFY(chart.legend().isAbove() && legend.width() > 30);
        QVERIFY(legend.bottom() <= chart.chart()->plotArea().top());
        const QImage image = chart.grab().toImage();
        int strokes = 0;
        for (int y = static_cast<int>(legend.top()); y < legend.bottom(); ++y) {
            int here = 0;
            bool wasInk = false;
            for (int x = static_cast<int>(legend.left()); x < legend.left() + 30; ++x) {
                const QColor pixel = image.pixelColor(x, y);
                const bool ink = pixel.blue() > 200 && pixel.red() < 140;
                here += ink && !wasInk ? 1 : 0;
                wasInk = ink;
            }
            strokes = std::max(strokes, here);
        }
        QVERIFY2(strokes >= least && strokes <= most, qPrintable(QString::number(strokes)));
    }
};

COSPADI_TEST(TestCurveLegends)

}  // namespace tst_curve_legends

#include "tst_curve_legends.moc"
