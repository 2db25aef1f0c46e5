// The pure functions behind curves: decimation, smoothing, ticks.
#include <QtTest>
#include <cmath>
#include <limits>

#include "tests/registered_test.h"
#include "ui/base/english_plurals.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/curve_values.h"
#include "ui/charts/decimator.h"

namespace tst_chart_functions {

using namespace cospadi;
using namespace cospadi::ui;

class TestChartFunctions : public QObject {
    Q_OBJECT

    // x ascending in uneven steps, y without a pattern.
    static QList<QPointF> unevenPoints(int count) {
        QList<QPointF> points;
        double x = 0;
        for (int i = 0; i < count; ++i) {
            x += 0.01 + std::abs(std::sin(12.9898 * i));
            points.append(QPointF(x, std::sin(78.233 * i) * std::cos(0.37 * i)));
        }
        return points;
    }

  private slots:
    void decimationKeepsExtremesAndOrder() {
        QList<QPointF> points;
        for (int i = 0; i < 100000; ++i) {
            points.append(QPointF(i, std::sin(i * 0.01)));
        }
        points[54321].setY(50);   // a single spike
        points[12345].setY(-50);  // and a single dip
        Decimator decimator;
        decimator.setPoints(points);
        const QList<QPointF> few = decimator.all(400);
        QVERIFY(few.size() <= 800);
        QVERIFY(few.contains(points[54321]));
        QVERIFY(few.contains(points[12345]));
        for (qsizetype i = 1; i < few.size(); ++i) {
            QVERIFY(few[i - 1].x() < few[i].x());
        }
    }

    void fewPointsStay() {
        const QList<QPointF> points{{1, 3}, {2, 2}, {3, 1}};
        Decimator decimator;
        QVERIFY(decimator.all(10).isEmpty());
        QVERIFY(decimator.inView(0, 1, 10).isEmpty());
        decimator.setPoints(points);
        QCOMPARE(decimator.all(10), points);
        decimator.setPoints(QList<QPointF>(100, QPointF(5, 1)));  // all at one x
        QCOMPARE(decimator.all(1).size(), 1);
    }

    // Every part of the view against the definition, on points of uneven distance: of what lies in
    // it and next to it, every pixel column's least and greatest.
    void decimationOfAPartIsWhatItsPointsSay_data() {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("all") << -1.0 << 1e9;
        QTest::newRow("the middle") << 700.0 << 2500.0;
        QTest::newRow("the end") << 3000.0 << 1e9;
        QTest::newRow("few points") << 1000.0 << 1001.0;
        QTest::newRow("nothing inside") << 1e9 << 2e9;
    }

    void decimationOfAPartIsWhatItsPointsSay() {
        QFETCH(double, low);
        QFETCH(double, high);
        constexpr int kPixels = 37;
        const QList<QPointF> points = unevenPoints(10007);
        QList<QPointF> inView;
        for (qsizetype i = 0; i < points.size(); ++i) {
            const bool left = i + 1 < points.size() ? points[i + 1].x() < low : points[i].x() < low;
            const bool right = i > 0 && points[i - 1].x() > high;
            if ((!left || i + 1 == points.size()) && !right) {
                inView.append(points[i]);
            }
        }
        QList<QPointF> expected = inView;
        if (inView.size() > 2 * kPixels) {
            expected.clear();
            std::map<int, std::pair<QPointF, QPointF>> extremes;
            const double width = inView.last().x() - inView.first().x();
            for (const QPointF& point : inView) {
                const int column =
                    std::min(kPixels - 1,
                             static_cast<int>((point.x() - inView.first().x()) / width * kPixels));
                auto& [least, greatest] = extremes.try_emplace(column, point, point).first->second;
                least = point.y() < least.y() ? point : least;
                greatest = point.y() > greatest.y() ? point : greatest;
            }
            for (const auto& [column, pair] : extremes) {
                expected.append(pair.first.x() < pair.second.x() ? pair.first : pair.second);
                if (pair.first != pair.second) {
                    expected.append(pair.first.x() < pair.second.x() ? pair.second : pair.first);
                }
            }
        }
        Decimator decimator;
        decimator.setPoints(points);
        QCOMPARE(decimator.inView(low, high, kPixels), expected);
    }

    // What is kept of the beginning must not outlive it: grown, shortened and exchanged points give
    // what a fresh decimator gives.
    void aGrowingCurveIsDecimatedAsAWhole() {
        const QList<QPointF> points = unevenPoints(9000);
        QList<QPointF> other = points;
        other[100].setY(77);
        Decimator decimator;
        for (const QList<QPointF>& next :
             {points.mid(0, 10), points.mid(0, 300), points.mid(0, 5000), points, other,
              other.mid(0, 4000), points.mid(5)}) {
            decimator.setPoints(next);
            Decimator fresh;
            fresh.setPoints(next);
            QCOMPARE(decimator.all(50), fresh.all(50));
            QCOMPARE(decimator.inView(900, 2000, 20), fresh.inView(900, 2000, 20));
        }
    }

    void logarithmDropsWhatItCannotShow() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double infinity = std::numeric_limits<double>::infinity();
        const QList<QPointF> points =
            logarithmic({{1, 10}, {2, 0}, {3, -1}, {4, nan}, {5, infinity}, {6, 0.01}});
        QCOMPARE(points, (QList<QPointF>{{1, 1}, {6, -2}}));
    }

    void smoothingKeepsStraightLinesAndMeans() {
        QList<QPointF> line;
        QList<QPointF> saw;
        for (int i = 0; i < 50; ++i) {
            line.append(QPointF(i, 3.0 * i + 1));
            saw.append(QPointF(i, i % 3));
        }
        const QList<QPointF> same = smoothed(line, 7);
        for (int i = 0; i < 50; ++i) {
            QVERIFY(std::abs(same[i].y() - line[i].y()) < 1e-9);
        }
        const QList<QPointF> flat = smoothed(saw, 3);
        for (int i = 1; i < 49; ++i) {
            QVERIFY(std::abs(flat[i].y() - 1) < 1e-9);  // the mean of 0, 1, 2
        }
        QCOMPARE(smoothed(saw, 1), saw);
        QVERIFY(smoothed({}, 5).isEmpty());
    }

    void aPartReachesToTheNextPoints() {
        const QList<QPointF> points{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}};
        Decimator decimator;
        decimator.setPoints(points);
        QCOMPARE(decimator.inView(1.5, 2.5, 9), (QList<QPointF>{{1, 1}, {2, 2}, {3, 3}}));
        QCOMPARE(decimator.inView(-5, 9, 9), points);
        QCOMPARE(decimator.inView(2.2, 2.4, 9), (QList<QPointF>{{2, 2}, {3, 3}}));
    }

    void ticksCoverTheRange_data() {
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("greatest");
        QTest::addColumn<bool>("logarithmic");
        QTest::newRow("errors") << 0.08 << 0.3 << true;
        QTest::newRow("a narrow range") << 0.100 << 0.101 << true;
        QTest::newRow("many decades") << 1e-9 << 1.0 << true;
        QTest::newRow("one value") << 0.25 << 0.25 << true;
        QTest::newRow("linear") << 0.0 << 1234.0 << false;
        QTest::newRow("linear, one value") << 5.0 << 5.0 << false;
        QTest::newRow("linear, negative") << -3.0 << 2.0 << false;
    }

    void ticksCoverTheRange() {
        QFETCH(double, least);
        QFETCH(double, greatest);
        QFETCH(bool, logarithmic);
        const AxisTicks axis =
            logarithmic ? logarithmicTicks(least, greatest) : linearTicks(least, greatest, 6);
        const auto place = [&](double value) { return logarithmic ? std::log10(value) : value; };
        QVERIFY(axis.low < axis.high);
        QVERIFY(axis.low <= place(least) && place(greatest) <= axis.high);
        QVERIFY(axis.ticks.size() >= 1 && axis.ticks.size() <= 16);
        QSet<QString> labels;
        for (const Tick& tick : axis.ticks) {
            QVERIFY(tick.position >= axis.low - 1e-6 && tick.position <= axis.high + 1e-6);
            labels.insert(tick.label);
        }
        QCOMPARE(labels.size(), axis.ticks.size());  // Qt needs them to differ
    }

    // Where there is little room labels would cover each other, and Qt drops every second one.
    void logarithmicTicksLeaveRoom() {
        for (const int most : {4, 8, 12, 20}) {
            for (const double greatest : {0.3, 1.0, 9.0, 300.0, 1e20}) {
                const AxisTicks axis = logarithmicTicks(0.1, greatest, most);
                for (qsizetype i = 1; i < axis.ticks.size(); ++i) {
                    QVERIFY(axis.ticks[i].position - axis.ticks[i - 1].position >=
                            (axis.high - axis.low) / most - 1e-9);
                }
            }
        }
    }

    void ticksOfNothing() {
        const double infinity = std::numeric_limits<double>::infinity();
        QVERIFY(linearTicks(infinity, -infinity, 5).low < linearTicks(infinity, -infinity, 5).high);
        QVERIFY(logarithmicTicks(infinity, -infinity).low < logarithmicTicks(0, 0).high);
    }

    void englishHasPlurals() {
        QCOMPARE(englishPlural("%n run(s) left", 1), QString("%n run left"));
        QCOMPARE(englishPlural("%n run(s) left", 0), QString("%n runs left"));
        QCOMPARE(englishPlural("%n matri(x|ces) (is|are) left", 2),
                 QString("%n matrices are left"));
        QCOMPARE(englishPlural("%n matri(x|ces) (is|are) left", 1), QString("%n matrix is left"));
        QCOMPARE(englishPlural("S(i, j) of %n column(s)", 3), QString("S(i, j) of %n columns"));
        QCOMPARE(englishPlural("run(s)", -1), QString("run(s)"));
        QCOMPARE(QCoreApplication::translate("any", "%n run(s)", nullptr, 1), QString("1 run"));
        QCOMPARE(QCoreApplication::translate("any", "%n run(s)", nullptr, 12), QString("12 runs"));
    }
};

COSPADI_TEST(TestChartFunctions)

}  // namespace tst_chart_functions

#include "tst_chart_functions.moc"
