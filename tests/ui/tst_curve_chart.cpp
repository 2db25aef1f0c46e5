// The chart widget: what it draws, and its export.
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

#include "ui/widgets/chart_export.h"
#include "ui/widgets/curve_chart.h"

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

    void exportsVectorsAndPixels() {
        CurveChart chart;
        chart.resize(500, 300);
        chart.setCurves({makeCurve("a", 20)});
        const QTemporaryDir folder;
        QString problem;
        QVERIFY2(writeSvg(chart, folder.filePath("c.svg"), "error", &problem), qPrintable(problem));
        QFile file(folder.filePath("c.svg"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        int paths = 0;
        while (!xml.atEnd()) {
            paths +=
                xml.readNext() == QXmlStreamReader::StartElement &&
                (xml.name() == QLatin1String("path") || xml.name() == QLatin1String("polyline"));
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(paths > 0);
        QVERIFY(writePng(chart, folder.filePath("c.png"), &problem));
        QCOMPARE(QImage(folder.filePath("c.png")).size(), QSize(1000, 600));
        QVERIFY(!writeSvg(chart, "/nowhere/c.svg", "error", &problem));
        QVERIFY(!problem.isEmpty());
    }
};

QTEST_MAIN(TestCurveChart)
#include "tst_curve_chart.moc"
