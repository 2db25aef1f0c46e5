// Charts of a million points: drawn again, growing, panned.
#include <QTest>
#include <cmath>
#include <vector>

#include "tests/ui/bench_clock.h"
#include "tests/ui/bench_results.h"
#include "tests/ui/bench_window_parts.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"

namespace bench_window {

using namespace cospadi::ui;

void chartsOfAMillionPoints(Results& results) {
    constexpr int kCurves = 10;
    constexpr int kPoints = 100'000;
    constexpr int kRedraws = 30;
    QList<Curve> curves;
    for (int c = 0; c < kCurves; ++c) {
        Curve curve;
        curve.name = QString::number(c);
        curve.colour = theme().series[c % theme().series.size()];
        for (int i = 0; i < kPoints; ++i) {
            curve.points.append(
                QPointF(i, 0.1 + 1.0 / (1 + i + c) + 0.01 * std::sin(0.37 * i + c)));
        }
        curves.append(curve);
    }
    for (const bool grows : {false, true}) {
        CurveChart chart;
        chart.resize(1100, 420);
        chart.setAxisTitles(QStringLiteral("iteration"), QStringLiteral("error"));
        chart.setLogarithmic(true);
        chart.setCurves(curves);
        chart.show();
        (void)QTest::qWaitForWindowExposed(&chart);
        chart.repaint();
        std::vector<Span> spans;
        for (int i = 0; i < kRedraws; ++i) {
            if (grows) {
                curves[0].points.append(QPointF(kPoints + i, 0.1));
            }
            spans.push_back(timed([&] {
                chart.setCurves(curves);
                chart.viewport()->repaint();
            }));
        }
        results.add(grows ? QStringLiteral("chart, 10⁶ points, one curve grows")
                          : QStringLiteral("chart, 10⁶ points, drawn again"),
                    16, median(spans));
        if (!grows) {
            continue;
        }
        // A part of the curves, then nearly all of them.
        for (const double width : {0.3 * kPoints, 0.99 * kPoints}) {
            spans.clear();
            for (int i = 0; i < kRedraws; ++i) {
                const double left = (kPoints - width) * i / kRedraws;
                spans.push_back(timed([&] {
                    chart.zoomTo(QRectF(left, -1, width, 1));
                    chart.viewport()->repaint();
                }));
            }
            results.add(QStringLiteral("chart, 10⁶ points, panned, %1 % in view")
                            .arg(100 * width / kPoints, 0, 'f', 0),
                        16, median(spans));
        }
    }
}

}  // namespace bench_window
