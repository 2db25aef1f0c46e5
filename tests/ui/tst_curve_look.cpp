// How curves are told apart when there are more of them than colours.
#include <QSet>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/charts/curve_look.h"
#include "ui/charts/marker_shape.h"
#include "ui/charts/pgfplots.h"
#include "ui/models/series_look.h"

namespace tst_curve_look {

using namespace cospadi::ui;

class TestCurveLook : public QObject {
    Q_OBJECT

  private slots:
    // More curves than colours: each pair of colour and marker once, and no shape before it is
    // needed.
    void manyCurvesDifferInTheirMarkers() {
        QList<Curve> curves;
        for (int i = 0; i < 21; ++i) {
            Curve curve;
            curve.name = QStringLiteral("method %1").arg(i);
            curve.style = Curve::Style::LineAndPoints;
            curve.points = {{1, 1.0 + i}, {2, 2.0 + i}};
            setSeriesLook(curve, i);
            curves.append(curve);
        }
        QSet<QString> looks;
        for (qsizetype i = 0; i < curves.size(); ++i) {
            const MarkerShape shape = markerShape(curves, i, true);
            QCOMPARE(shape == MarkerShape::Circle, i < 8);
            QCOMPARE(markerShape(curves, i, false), shape);
            looks.insert(curvePen(curves, i, true).color().name() + pgfMark(shape));
        }
        QCOMPARE(looks.size(), 21);
        const QString text = pgfplots(curves, PgfAxis{}, QSize(800, 600));
        QCOMPARE(text.count(QStringLiteral("mark=*,")), 8);
        QCOMPARE(text.count(QStringLiteral("mark=square*,")), 8);
        QCOMPARE(text.count(QStringLiteral("mark=triangle*,")), 5);
        curves[9].style = Curve::Style::Line;
        QCOMPARE(markerShape(curves, 9, true), MarkerShape::Circle);
    }

    // Marks in the colours of their curves, as Explore has them, use up no shape.
    void marksShareTheColourOfTheirCurve() {
        QList<Curve> curves;
        for (int i = 0; i < 7; ++i) {
            Curve curve;
            curve.name = QStringLiteral("matrix %1").arg(i);
            curve.style = Curve::Style::LineAndPoints;
            setSeriesLook(curve, i);
            curves.append(curve);
            curve.name = QStringLiteral("as stored");
            curve.style = Curve::Style::Points;
            curves.append(curve);
        }
        for (qsizetype i = 0; i < curves.size(); ++i) {
            QCOMPARE(markerShape(curves, i, false), MarkerShape::Circle);
        }
    }
};

COSPADI_TEST(TestCurveLook)

}  // namespace tst_curve_look

#include "tst_curve_look.moc"
