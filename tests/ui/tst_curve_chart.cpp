// The chart widget: what it draws, and what it does under the hand. (Export: tst_chart_export.)
#include <QBuffer>
#include <QChart>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <QWheelEvent>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/charts/curve_chart.h"
#include "ui/models/series_look.h"

namespace tst_curve_chart {

using namespace cospadi::ui;

class TestCurveChart : public QObject {
    Q_OBJECT

    static Curve makeCurve(const QString& name, int points) {
        Curve curve;
        curve.name = name;
        curve.colour = Qt::blue;
        for (int i = 1; i <= points; ++i) {
            curve.points.append(QPointF(i, 1.0 / i));
        }
        return curve;
    }

  private slots:
    // Words that do not fit above the plot stand whole beside it, on the screen and in a file; so
    // do all ticks of many blocks.
    void manyCurvesAreNamedWhole() {
        CurveChart chart;
        const QSize size(700, 420);
        chart.resize(size);
        chart.show();
        NamedTicks ticks;
        for (int block = 0; block < 30; block += 2) {
            ticks.append({block * 7.0, QString::number(block)});
        }
        QList<Curve> curves;
        for (int i = 0; i < 16; ++i) {
            Curve curve;
            curve.name = QStringLiteral("cospadi (fast), CR 0.20, seed %1").arg(1 + 0.25 * i);
            curve.points = {{0, 0.1 + 0.01 * i}, {209, 0.1}};
            setSeriesLook(curve, i);
            curves.append(curve);
        }
        chart.setXTicks(ticks);
        chart.setCurves(curves);
        QVERIFY(chart.chart()->plotArea().width() > 200);
        QByteArray bytes;
        QBuffer buffer(&bytes);
        QVERIFY(buffer.open(QIODevice::WriteOnly));
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(size);
        QPainter painter(&generator);
        chart.exportSource("many").draw(painter, size, true);
        painter.end();
        const QString svg = QString::fromUtf8(bytes);
        for (const Curve& curve : curves) {
            QVERIFY2(svg.contains(curve.name), qPrintable(curve.name));
        }
        for (const auto& [position, words] : ticks) {
            QVERIFY2(svg.contains(QRegularExpression(">" + words + "\\s*<")), qPrintable(words));
        }
        // Few have their line above it.
        const double beside = chart.chart()->plotArea().width();
        chart.setCurves(curves.mid(0, 2));
        QTRY_VERIFY(chart.chart()->plotArea().width() > beside + 100);
    }

    void drawsAtMostTwoPointsAPixel() {
        CurveChart chart;
        chart.resize(600, 400);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        chart.setCurves({makeCurve("many", 100000)});
        QVERIFY(chart.drawnPoints() > 100);
        QVERIFY(chart.drawnPoints() <= 2 * 600);
    }

    void aZeroDoesNotLoseTheCurve() {
        CurveChart chart;
        chart.setLogarithmic(true);
        Curve curve = makeCurve("a", 10);
        curve.points[4].setY(0);
        chart.setCurves({curve});
        QCOMPARE(chart.drawnPoints(), 9);
        chart.setLogarithmic(false);
        QCOMPARE(chart.drawnPoints(), 10);
    }

    void curvesComeAndGo() {
        CurveChart chart;
        QList<Curve> curves;
        for (int i = 0; i < 210; ++i) {
            curves.append(makeCurve(QString::number(i), 15));
            curves.last().highlighted = i >= 204;
        }
        chart.setCurves(curves);
        QCOMPARE(chart.drawnPoints(), 210 * 15);
        curves.resize(3);
        curves[1].style = Curve::Style::Points;
        chart.setCurves(curves);
        QCOMPARE(chart.drawnPoints(), 45);
        chart.setCurves({});
        QCOMPARE(chart.drawnPoints(), 0);
    }

    // Wheel in, drag, double click: what a user does to look closer and to get out again.
    void zoomsPansAndShowsAllAgain() {
        CurveChart chart;
        chart.resize(600, 400);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        chart.setCurves({makeCurve("many", 100000)});
        const QPointF middle(300, 200);
        const auto wheel = [&](Qt::KeyboardModifiers keys) {
            QWheelEvent event(middle, chart.mapToGlobal(middle), {}, QPoint(0, 120), Qt::NoButton,
                              keys, Qt::NoScrollPhase, false);
            QApplication::sendEvent(chart.viewport(), &event);
        };
        QVERIFY(!chart.zoomedArea());
        wheel(Qt::NoModifier);
        QVERIFY(chart.zoomedArea());
        const QRectF once = *chart.zoomedArea();
        wheel(Qt::ShiftModifier);
        const QRectF narrower = *chart.zoomedArea();
        QVERIFY(narrower.width() < once.width());
        QVERIFY(std::abs(narrower.height() - once.height()) < 1e-9);
        QVERIFY(chart.drawnPoints() > 2);
        QVERIFY(chart.drawnPoints() <= 1200);
        QTest::mousePress(chart.viewport(), Qt::LeftButton, {}, middle.toPoint());
        QMouseEvent drag(QEvent::MouseMove, middle - QPointF(40, 0),
                         chart.viewport()->mapToGlobal(middle - QPointF(40, 0)), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(chart.viewport(), &drag);
        QTest::mouseRelease(chart.viewport(), Qt::LeftButton, {}, QPoint(260, 200));
        QVERIFY(chart.zoomedArea()->left() > narrower.left());
        QCOMPARE(chart.zoomedArea()->width(), narrower.width());
        QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, middle.toPoint());
        QVERIFY(!chart.zoomedArea());
    }

    // A million points: redrawn from what can be seen, in every window of the zoom.
    void zoomShowsWhatDecimationHid() {
        CurveChart chart;
        chart.resize(600, 400);
        chart.setCurves({makeCurve("many", 1000000)});
        chart.zoomTo(QRectF(500, 0, 20, 0.01));
        QVERIFY(chart.drawnPoints() >= 21 && chart.drawnPoints() <= 24);
        chart.zoomTo(std::nullopt);
        QVERIFY(chart.drawnPoints() > 100);
    }

    void tellsTheValuesUnderThePointer() {
        CurveChart chart;
        Curve lone;
        lone.name = "lone";
        lone.style = Curve::Style::Points;
        lone.points = {{50, 0.5}};
        Curve grey = makeCurve("background", 100);
        grey.highlighted = false;
        chart.setCurves({makeCurve("a", 100), lone, grey});
        const QStringList near = chart.valuesAt(4.2, 10);
        QCOMPARE(near.size(), 1);  // the lone point is far away, the grey curve is not asked
        QVERIFY(near[0].contains("a: 0.25"));
        QCOMPARE(chart.valuesAt(50.3, 10).size(), 2);
    }

    void smoothsBeforeItDecimates() {
        CurveChart chart;
        chart.resize(600, 400);
        Curve noisy;
        noisy.colour = Qt::blue;
        for (int i = 0; i < 100000; ++i) {
            noisy.points.append(QPointF(i, i % 2 == 0 ? 1 : 3));
        }
        chart.setCurves({noisy});
        chart.setSmoothing(5);
        QVERIFY(chart.drawnPoints() <= 1200);
        QCOMPARE(chart.csv().count('\n'), 100001);  // the data stay as they were measured
    }
};

COSPADI_TEST(TestCurveChart)

}  // namespace tst_curve_chart

#include "tst_curve_chart.moc"
