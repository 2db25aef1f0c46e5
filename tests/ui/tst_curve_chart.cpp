// The chart widget: what it draws, and what it does under the hand. (Export: tst_chart_export.)
#include <QBuffer>
#include <QCategoryAxis>
#include <QChart>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <QWheelEvent>
#include <QtTest>
#include <cmath>

#include "tests/registered_test.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/curve_legend.h"
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
    void everyNameHasAPlaceInside_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("least");  // that are named
        QTest::newRow("columns") << QSize(900, 200) << "run %1" << 24;
        QTest::newRow("lines") << QSize(900, 420) << "a name that needs a third of it %1" << 24;
        QTest::newRow("a column of a paper") << QSize(310, 219) << "ρ 1.5, seed %1" << 8;
    }
    void everyNameHasAPlaceInside() {
        QFETCH(QSize, size);
        QFETCH(QString, name);
        QFETCH(int, least);
        CurveChart chart;
        chart.resize(size);
        chart.show();
        QList<Curve> curves;
        for (int i = 0; i < 24; ++i) {
            Curve curve;
            curve.name = name.arg(i + 10);
            curve.points = {{0, 1}, {1, 2}};
            setSeriesLook(curve, i);
            curves.append(curve);
        }
        chart.setCurves(curves);
        const CurveLegend& legend = chart.legend();
        const QRectF whole(0, 0, size.width(), size.height());
        QVERIFY(whole.contains(legend.mapRectToScene(legend.boundingRect())));
        QVERIFY2(legend.named() >= least, qPrintable(QString::number(legend.named())));
        const QRectF plot = chart.chart()->plotArea();
        QVERIFY(plot.width() > size.width() / 3.0 && plot.height() > size.height() / 3.0);
        QVERIFY(!plot.intersects(legend.mapRectToScene(legend.boundingRect())));
    }

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

    // A band lies between mean − deviation and mean + deviation: there the paper is tinted, beyond
    // it is not.
    void meansHaveABand() {
        CurveChart chart;
        chart.resize(500, 400);
        Curve curve;
        curve.name = "mean";
        curve.colour = Qt::red;
        curve.points = {{0, 10}, {10, 10}};
        curve.deviations = {4, 4};
        chart.setCurves({curve});
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        QVERIFY(chart.extent().least == 6 && chart.extent().greatest == 14);
        const auto colourAt = [&](double y) {  // half way along x
            const QImage image = chart.grab().toImage();
            const QRectF plot = chart.chart()->plotArea();
            const QRectF area(0, 6, 10, 8);  // both ends are round numbers
            const QPointF place(plot.left() + 0.45 * plot.width(),
                                plot.bottom() - (y - area.top()) / area.height() * plot.height());
            return QColor(image.pixel(place.toPoint()));
        };
        const QColor inside = colourAt(12.3);
        QVERIFY2(inside.red() > inside.green() + 20, qPrintable(inside.name()));
        curve.deviations = {1, 1};
        Curve frame = curve;  // keeps the axis as it was
        frame.deviations.clear();
        frame.points = {{0, 6}, {10, 6}};
        Curve top = frame;
        top.points = {{0, 14}, {10, 14}};
        chart.setCurves({curve, frame, top});
        const QColor outside = colourAt(12.3);
        QVERIFY2(outside.red() <= outside.green() + 5, qPrintable(outside.name()));
        QVERIFY(chart.csv().startsWith("curve,,,point,deviation\n"));
        QVERIFY(chart.csv().contains("mean,0,10,,1\n"));
        QVERIFY(chart.valuesAt(0).first().contains("10 ± 1"));
    }

    // Equal factors are equal distances, ticks are told as numbers, and what has no logarithm is
    // left out.
    void xByItsLogarithm() {
        CurveChart chart;
        chart.resize(600, 400);
        chart.setLogarithmicAxes({true, false});
        Curve curve;
        curve.name = "a";
        curve.points = {{0, 1}, {1, 2}, {10, 3}, {100, 4}};
        chart.setCurves({curve});
        QCOMPARE(chart.drawnPoints(), 3);
        QCOMPARE(chart.extent().left, 0.0);
        QCOMPARE(chart.extent().right, 2.0);
        auto* x = static_cast<QCategoryAxis*>(chart.chart()->axes(Qt::Horizontal).first());
        QVERIFY(x->categoriesLabels().contains("10"));
        QCOMPARE(x->endValue("10"), 1.0);
        chart.zoomTo(QRectF(QPointF(0.9, 2), QPointF(1.0, 4)));  // from 7.9 to 10
        QVERIFY(x->categoriesLabels().contains("9"));
        QVERIFY(std::abs(x->endValue("9") - std::log10(9)) < 1e-12);
        QVERIFY(chart.csv().contains("a,100,4,"));  // as measured
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

    // From point to point; a screen reader reads the values, the box on the chart shows them.
    void isReadByKeyboard() {
        CurveChart chart;
        chart.resize(600, 400);
        Curve other = makeCurve("other", 2);
        other.points = {{1.5, 7}, {3, 8}};
        Curve context = makeCurve("context", 1);
        context.points = {{1.25, 3}};
        context.highlighted = false;
        chart.setCurves({makeCurve("error", 3), other, context});
        chart.show();
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY2(chart.accessibleDescription().startsWith("error: 1 (1)"),
                 qPrintable(chart.accessibleDescription()));
        QTest::keyClick(&chart, Qt::Key_Right);  // not to the grey one
        QVERIFY(chart.accessibleDescription().contains("other: 7 (1.5)"));
        for (int i = 0; i < 5; ++i) {
            QTest::keyClick(&chart, Qt::Key_Right);
        }
        QVERIFY(chart.accessibleDescription().contains("other: 8 (3)"));
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(chart.accessibleDescription().contains("error: 0.5 (2)"));
        const QImage read = chart.grab().toImage();
        QTest::keyClick(&chart, Qt::Key_Escape);
        QVERIFY(chart.grab().toImage() != read);
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
