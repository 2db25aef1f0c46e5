// The pure functions behind the charts: decimation, ticks, the pattern's pyramid, comparisons.
#include <QtTest>
#include <cmath>
#include <limits>
#include <map>

#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "ui/base/english_plurals.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/curve_look.h"
#include "ui/charts/curve_values.h"
#include "ui/charts/decimator.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"
#include "ui/models/ablation_curves.h"
#include "ui/models/comparison_curves.h"

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

    // Of an ablation with one plot.
    static QList<Curve> curvesOver(const char* x, const std::vector<RunRow>& runs,
                                   const char* y = "error", const char* curve = "") {
        const AblationCharts charts = ablationCharts(ablation(runs, {x, y, curve, ""}));
        return charts.charts.isEmpty() ? QList<Curve>() : charts.charts.first().curves;
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
            for (const double greatest : {0.3, 1.0, 9.0, 300.0}) {
                const AxisTicks axis = logarithmicTicks(0.1, greatest, most);
                for (qsizetype i = 1; i < axis.ticks.size(); ++i) {
                    QVERIFY(axis.ticks[i].position - axis.ticks[i - 1].position >=
                            std::min(0.9999, (axis.high - axis.low) / most));
                }
            }
        }
    }

    void ticksOfNothing() {
        const double infinity = std::numeric_limits<double>::infinity();
        QVERIFY(linearTicks(infinity, -infinity, 5).low < linearTicks(infinity, -infinity, 5).high);
        QVERIFY(logarithmicTicks(infinity, -infinity).low < logarithmicTicks(0, 0).high);
    }

    // The larger the darker, the smallest seen, all beyond the scale alike.
    void magnitudesAreShades() {
        const std::vector<float> values = {0, 0.001F, 1, -2, 3, -4};  // 2 × 3, column after column
        const QImage map = magnitudePyramid(values, 3, 2, 3, {})[0];
        QCOMPARE(map.size(), QSize(3, 2));
        QCOMPARE(map.pixelIndex(0, 0), 0);
        QVERIFY(map.pixelIndex(0, 1) > 40);
        QVERIFY(map.pixelIndex(1, 0) > map.pixelIndex(0, 1));
        QVERIFY(map.pixelIndex(1, 1) > map.pixelIndex(1, 0));
        QCOMPARE(map.pixelIndex(2, 0), 255);
        QCOMPARE(map.pixelIndex(2, 1), 255);
        // Even steps: a third and two thirds of the way up from the smallest.
        const int least = map.pixelIndex(0, 1);
        QVERIFY(std::abs(map.pixelIndex(1, 0) - (least + (255 - least) / 3.0)) <= 1);
        QVERIFY(std::abs(map.pixelIndex(1, 1) - (least + (255 - least) * 2 / 3.0)) <= 1);
        QCOMPARE(magnitudePyramid(values, 3, 2, 3, {1, -1}, {2, 1, 0})[0].pixelIndex(0, 0), 255);
        QCOMPARE(magnitudePyramid(values, 3, 2, 3, {1, -1}, {2, 1, 0})[0].pixelIndex(2, 1), 0);
    }

    // On a dark ground more ink is lighter; paper stays white.
    void shadesFollowTheGround() {
        const auto lightness = [](QRgb colour) { return qGray(colour); };
        for (const bool dark : {false, true}) {
            const QList<QRgb> colours = shadeColours(dark);
            QCOMPARE(colours.size(), 256);
            QCOMPARE(lightness(colours[0]) < 80, dark);
            for (int i = 1; i < 256; ++i) {
                const int step = lightness(colours[i]) - lightness(colours[i - 1]);
                QVERIFY(dark ? step >= 0 : step <= 0);
            }
            QVERIFY(std::abs(lightness(colours[255]) - lightness(colours[0])) > 120);
        }
        QImage map(1, 1, QImage::Format_Indexed8);
        map.setColorTable(shadeColours(true));
        map.setPixel(0, 0, 0);
        QCOMPARE(onPaper(map).pixelColor(0, 0), QColor(Qt::white));
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

    void pyramidShowsPatternAndDensity() {
        const int k = 300;
        const int d2 = 500;
        std::vector<std::uint8_t> entries(std::size_t{k} * d2, 0);
        for (std::size_t j = 0; j < d2; ++j) {
            entries[j * k + 7] = 1;  // atom 7 is used by all columns
        }
        std::vector<std::int64_t> order(k);
        for (int i = 0; i < k; ++i) {
            order[static_cast<std::size_t>(i)] = (i + 7) % k;
        }
        const QList<QImage> plain = patternPyramid(entries, k, d2, {});
        const QList<QImage> sorted = patternPyramid(entries, k, d2, order);
        QCOMPARE(plain[0].size(), QSize(d2, k));
        QCOMPARE(plain[0].pixelIndex(3, 7), 255);
        QCOMPARE(plain[0].pixelIndex(3, 6), 0);
        QCOMPARE(sorted[0].pixelIndex(3, 0), 255);
        QCOMPARE(plain[1].size(), QSize(250, 150));
        QCOMPARE(plain[1].pixelIndex(0, 3), 128);  // half of a 2 × 2 cell
        QVERIFY(plain.last().width() <= 256 && plain.last().height() <= 256);
        QVERIFY(patternPyramid({}, 0, 0, {}).isEmpty());
    }

    void metricsAgainstSettingsAreOneCurveAMethod() {
        const auto runOf = [](const char* method, double cr, std::int64_t bytes, double error) {
            RunRow run;
            run.id = std::string(method) + std::to_string(bytes);
            run.status = "finished";
            run.method = method;
            run.solver = "fast";
            run.cr = cr;
            run.rho = 2;
            run.layerBytes = bytes;
            run.relativeError = error;
            return run;
        };
        const std::vector<RunRow> runs{
            runOf("cospadi", 0.4, 6000000, 0.3), runOf("cospadi", 0.2, 8000000, 0.1),
            runOf("svd-llm", 0.2, 8000000, 0.2), runOf("svd-llm", 0.4, 6000000, 0.5),
            runOf("svd-llm", 0.3, 9000000, 0.4)};
        const QList<Curve> byCr = curvesOver("cr", runs);
        QCOMPARE(byCr.size(), 2);
        QVERIFY(byCr[0].name.startsWith("svd-llm"));  // the plainest first
        QCOMPARE(byCr[1].points, (QList<QPointF>{{0.2, 0.1}, {0.4, 0.3}}));
        QCOMPARE(byCr[0].points, (QList<QPointF>{{0.2, 0.2}, {0.3, 0.4}, {0.4, 0.5}}));
        QCOMPARE(byCr[0].pointNames.size(), 3);
        QVERIFY(byCr[0].deviations.isEmpty());  // of one seed there is none
        // Nothing has both fewer bytes and a lower error than a run of the front.
        const QList<Curve> byBytes = curvesOver("bytes", runs);
        QCOMPARE(byBytes.last().name, "Pareto front");
        QCOMPARE(byBytes.last().points, (QList<QPointF>{{6, 0.3}, {8, 0.1}}));
        // ρ does not belong to a low-rank run, and those of one ρ at two CRs are not joined.
        const QList<Curve> byRho = curvesOver("rho", runs);
        QCOMPARE(byRho.size(), 2);
        QStringList names;
        for (const Curve& curve : byRho) {
            QVERIFY(curve.pointNames.first().startsWith("cospadi"));
            QCOMPARE(curve.points.size(), 1);
            names << curve.name;
        }
        QCOMPARE(names, (QStringList{"CR 0.2", "CR 0.4"}));  // what tells them apart
        QCOMPARE(curvesOver("iterations", runs)[0].points[0].x(), 22.0);
        QVERIFY(curvesOver("cr", runs, "perplexity").isEmpty());
    }

    // ρ at two CRs, two seeds and of other layers: a curve for each, named by what it differs in,
    // and never a line to and fro.
    void nothingThatDiffersInSomethingElseIsJoined() {
        std::vector<RunRow> runs;
        const auto add = [&runs](double cr, double rho, int seed, const char* layers, double error,
                                 const char* created = "2026-01-01") {
            RunSpecification specification;
            specification.solver = Solver::Ksvd;  // whose seed counts
            specification.cr = cr;
            specification.rho = rho;
            specification.seed = seed;
            specification.layers = layers;
            RunRow run;
            run.specification = toJson(specification).dump();
            run.id = "run-" + std::to_string(runs.size());
            run.created = created;
            run.method = "cospadi";
            run.solver = "ksvd";
            run.cr = cr;
            run.rho = rho;
            run.seed = seed;
            run.layers = layers;
            run.status = "finished";
            run.layerBytes = static_cast<std::int64_t>(1e7 * (1 - cr));
            run.denseBytes = 10'000'000;
            run.relativeError = error;
            runs.push_back(run);
        };
        for (const double rho : {3.0, 1.5, 2.0}) {
            add(0.2, rho, 42, ".*", 0.1 * rho);
            add(0.3, rho, 42, ".*", 0.2 * rho);
            add(0.2, rho, 7, ".*", 0.11 * rho);
            add(0.2, rho, 42, "ffn_up", 0.05 * rho);
        }
        add(0.2, 2.0, 42, ".*", 0.19, "2026-02-01");  // the same once more, later
        const QList<Curve> curves = curvesOver("rho", runs, "error", "seed");
        QCOMPARE(curves.size(), 4);
        QSet<QString> names;
        for (const Curve& curve : curves) {
            QCOMPARE(curve.points.size(), 3);
            for (qsizetype i = 1; i < curve.points.size(); ++i) {
                QVERIFY(curve.points[i - 1].x() < curve.points[i].x());
                QVERIFY(curve.points[i - 1].y() < curve.points[i].y());  // as each was made
            }
            names.insert(curve.name);
        }
        QCOMPARE(names.size(), 4);
        const auto named = [](const QList<Curve>& among, const QString& words) {
            return std::count_if(among.begin(), among.end(),
                                 [&](const Curve& curve) { return curve.name.contains(words); });
        };
        QCOMPARE(named(curves, "CR 0.3"), 1);
        QCOMPARE(named(curves, "seed 7"), 1);
        QCOMPARE(named(curves, "ffn_up"), 1);
        QCOMPARE(named(curves, "ρ"), 0);  // it is on the axis
        bool isLatest = false;
        for (const Curve& curve : curves) {
            isLatest = isLatest || curve.points.contains(QPointF(2, 0.19));
        }
        QVERIFY(isLatest);
        QSet<QRgb> colours;
        for (const Curve& curve : curves) {
            colours.insert(curve.colour.rgb());
        }
        QCOMPARE(colours.size(), 2);  // a colour a seed, dashes for the rest

        // Seeds are what a mean is over: three curves, that of CR 0.2 with a band.
        const QList<Curve> means = curvesOver("rho", runs);
        QCOMPARE(means.size(), 3);
        QCOMPARE(named(means, "seed"), 0);
        int banded = 0;
        for (const Curve& curve : means) {
            if (!curve.deviations.isEmpty()) {
                ++banded;
                QCOMPARE(curve.points[0].y(), 1.5 * (0.1 + 0.11) / 2);
                // Of two values the sample's deviation is their distance by √2.
                QVERIFY(std::abs(curve.deviations[0] - 1.5 * 0.01 / std::sqrt(2.0)) < 1e-12);
            }
        }
        QCOMPARE(banded, 1);

        // Fewer layers are fewer bytes: they beat nobody.
        const AblationCharts byBytes =
            ablationCharts(ablation(runs, {"bytes", "error", "seed", ""}));
        QList<QList<QPointF>> fronts;
        for (const Curve& curve : byBytes.charts.first().curves) {
            if (curve.name == "Pareto front") {
                fronts << curve.points;
            }
        }
        QCOMPARE(fronts.size(), 1);  // of ffn_up there is but one best point: no line
        QCOMPARE(fronts[0], (QList<QPointF>{{7, 0.2 * 1.5}, {8, 0.1 * 1.5}}));
        QVERIFY(byBytes.note.contains("set of layers"));
    }

    // However many runs are compared, each looks and is called otherwise, on the screen and in
    // print.
    void manyRunsAreToldApart() {
        std::vector<RunCurves> runs;
        for (int i = 0; i < 24; ++i) {
            RunCurves entry;
            RunSpecification specification;
            specification.rho = 1 + 0.25 * i;
            entry.run.specification = toJson(specification).dump();
            entry.run.id = "run-" + std::to_string(i);
            entry.run.method = "cospadi";
            entry.run.cr = specification.cr;
            for (int block = 0; block < 30; ++block) {
                MatrixRow matrix;
                matrix.name = "blk." + std::to_string(block) + ".attn_q";
                matrix.block = block;
                matrix.relativeError = 0.1 + 0.01 * i;
                entry.matrices.push_back(matrix);
            }
            runs.push_back(entry);
        }
        const ComparisonPlot plot = compareRuns(runs, Comparison::ErrorByLayer);
        QCOMPARE(plot.curves.size(), 24);
        QCOMPARE(plot.xTicks.size(), 15);
        QSet<QString> names;
        QSet<QString> looks;
        QSet<QString> printed;
        for (qsizetype i = 0; i < plot.curves.size(); ++i) {
            const Curve& curve = plot.curves[i];
            names.insert(curve.name);
            looks.insert(curve.colour.name() + QString::number(curve.pen));
            const QPen pen = curvePen(plot.curves, i, true);
            QString dashes = pen.color().name();
            for (const double dash : pen.dashPattern()) {
                dashes += QStringLiteral(" %1").arg(dash);
            }
            printed.insert(dashes);
        }
        QCOMPARE(names.size(), 24);
        QCOMPARE(looks.size(), 24);
        QCOMPARE(printed.size(), 24);
    }

    void errorMapHasAPlaceForEveryMatrix() {
        RunCurves run;
        for (const auto& [block, kind, error] :
             std::initializer_list<std::tuple<int, const char*, double>>{
                 {10, "attn_q", 0.1}, {10, "ffn_up", 0.2}, {2, "attn_q", 0.3}}) {
            MatrixRow matrix;
            matrix.block = block;
            matrix.kind = kind;
            matrix.relativeError = error;
            run.matrices.push_back(matrix);
        }
        const HeatMapData map = errorMap(run);
        QCOMPARE(map.rows, (QStringList{"attn_q", "ffn_up"}));
        QCOMPARE(map.columns, (QStringList{"2", "10"}));  // as numbers, not as words
        QCOMPARE(map.at(0, 0), 0.3);
        QCOMPARE(map.at(0, 1), 0.1);
        QVERIFY(std::isnan(map.at(1, 0)));
        HeatMap widget;
        widget.resize(400, 300);
        widget.setData(map);
        QVERIFY(widget.describe(QPointF(0, 0)).isEmpty());
        QSet<QString> seen;
        for (int x = 0; x < 400; x += 4) {
            for (int y = 0; y < 300; y += 4) {
                seen.insert(widget.describe(QPointF(x, y)));
            }
        }
        seen.remove(QString());
        QCOMPARE(seen.size(), 3);
        QCOMPARE(widget.exportSource("map").csv().count('\n'), 4);
    }

    // Over the blocks and kinds of both, one range of colours, the difference where both have one.
    void errorMapsOfTwoRunsAreCompared() {
        const auto runOf = [](std::initializer_list<std::tuple<int, const char*, double>> errors) {
            RunCurves run;
            for (const auto& [block, kind, error] : errors) {
                MatrixRow matrix;
                matrix.block = block;
                matrix.kind = kind;
                matrix.relativeError = error;
                run.matrices.push_back(matrix);
            }
            return run;
        };
        const ErrorMapPair pair = errorMaps(runOf({{0, "attn_q", 0.25}, {1, "ffn_up", 0.5}}),
                                            runOf({{0, "attn_q", 0.75}, {2, "attn_q", 0.125}}));
        for (const HeatMapData& map : {pair.first, pair.second, pair.difference}) {
            QCOMPARE(map.rows, (QStringList{"attn_q", "ffn_up"}));
            QCOMPARE(map.columns, (QStringList{"0", "1", "2"}));
        }
        QCOMPARE(pair.first.least, 0.125);
        QCOMPARE(pair.second.greatest, 0.75);
        QCOMPARE(pair.difference.at(0, 0), 0.5);
        QVERIFY(std::isnan(pair.difference.at(0, 2)));
        QVERIFY(std::isnan(pair.difference.at(1, 1)));
        QVERIFY(std::isnan(pair.difference.at(1, 0)));
        // The same number has the same colour in both; the sign of a difference is a colour.
        HeatMapData one;
        one.rows = QStringList{"attn_q"};
        one.columns = QStringList{"0", "1"};
        one.values = {0.25, 0.5};
        const auto colours = [](const HeatMapData& data) {
            HeatMap widget;
            widget.resize(400, 200);
            widget.setData(data);
            const QImage picture = widget.grab().toImage();
            QList<QColor> found;
            for (int x = 0; x < 400; ++x) {
                const QString words = widget.describe(QPointF(x, 60));
                if (words.startsWith(" 0") && found.isEmpty()) {
                    found << picture.pixelColor(x + 8, 60);
                } else if (words.startsWith(" 1") && found.size() == 1) {
                    found << picture.pixelColor(x + 8, 60);
                }
            }
            return found;
        };
        const QList<QColor> alone = colours(one);
        QCOMPARE(alone.size(), 2);
        HeatMapData wider = one;
        wider.least = 0.25;
        wider.greatest = 1;
        QCOMPARE(colours(wider)[0], alone[0]);  // the least in both
        QVERIFY(colours(wider)[1] != alone[1]);
        HeatMapData difference = one;
        difference.isDifference = true;
        difference.values = {-0.5, 0.5};
        const QList<QColor> signs = colours(difference);
        QVERIFY(signs[0].green() > signs[0].red() && signs[1].red() > signs[1].green());
    }

    void heatMapsAreReadByKeyboard() {
        HeatMapData data;
        data.rowTitle = "kind";
        data.columnTitle = "block";
        data.rows = QStringList{"attn_q", "ffn_up"};
        data.columns = QStringList{"3", "4"};
        data.values = {0.5, 0.25, std::numeric_limits<double>::quiet_NaN(), 0.125};
        HeatMap map;
        map.resize(400, 200);
        map.setData(data);
        QSignalSpy chosen(&map, &HeatMap::chosen);
        QTest::keyClick(&map, Qt::Key_Return);  // there is no cell yet
        QVERIFY(chosen.isEmpty());
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.accessibleDescription(), QString("block 3, attn_q: 0.5"));
        QTest::keyClick(&map, Qt::Key_Right);
        QCOMPARE(map.accessibleDescription(), QString("block 4, attn_q: 0.25"));
        QTest::keyClick(&map, Qt::Key_Right);  // the end
        QTest::keyClick(&map, Qt::Key_Down);
        QCOMPARE(map.accessibleDescription(), QString("block 4, ffn_up: 0.125"));
        QTest::keyClick(&map, Qt::Key_Return);
        QCOMPARE(chosen.takeFirst(), (QVariantList{1, 1}));
        QTest::keyClick(&map, Qt::Key_Left);
        QCOMPARE(map.accessibleDescription(), QString("block 3, ffn_up: no value"));
        QTest::keyClick(&map, Qt::Key_Return);
        QVERIFY(chosen.isEmpty());
    }

    void comparisonsNameTheRuns() {
        RunCurves first;
        first.run.id = "run-aaaa";
        first.run.method = "svd";
        first.run.cr = 0.2;
        MatrixRow matrix;
        matrix.name = "blk.0.attn_q";
        matrix.relativeError = 0.3;
        first.matrices = {matrix};
        RunCurves second = first;
        second.run.id = "run-bbbb";
        const ComparisonPlot plot = compareRuns({first, second}, Comparison::ErrorByLayer);
        QCOMPARE(plot.curves.size(), 2);
        QVERIFY(plot.curves[0].name != plot.curves[1].name);
        QCOMPARE(plot.curves[0].points.first().y(), 0.3);
        // Without iterations or perplexity there is nothing to draw, and a reason for it.
        QVERIFY(compareRuns({first}, Comparison::ErrorByIteration).curves.isEmpty());
        QVERIFY(!compareRuns({first}, Comparison::ErrorByIteration).emptyText.isEmpty());
        QVERIFY(curvesOver("bytes", {first.run}, "perplexity").isEmpty());
    }
};

COSPADI_TEST(TestChartFunctions)

}  // namespace tst_chart_functions

#include "tst_chart_functions.moc"
