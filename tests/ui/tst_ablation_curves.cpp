// Which runs a curve joins, and how many runs are told apart.
#include <QSettings>
#include <QtTest>
#include <cmath>
#include <map>

#include "core/methods/method.h"
#include "core/store/run_specification.h"
#include "tests/registered_test.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_look.h"
#include "ui/models/ablation_curves.h"
#include "ui/models/comparison_curves.h"
#include "ui/models/run_looks.h"
#include "ui/models/series_look.h"

namespace tst_ablation_curves {

using namespace cospadi;
using namespace cospadi::ui;

class TestAblationCurves : public QObject {
    Q_OBJECT

    // Of an ablation with one plot.
    static QList<Curve> curvesOver(const char* x, const std::vector<RunRow>& runs,
                                   const char* y = "error", const char* curve = "") {
        const AblationCharts charts = ablationCharts(ablation(runs, {x, y, curve, ""}));
        return charts.charts.isEmpty() ? QList<Curve>() : charts.charts.first().curves;
    }

  private slots:
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

    // Of methods that read no text the error is one of the weight itself.
    void axesSayWhatErrorsAreOf() {
        const auto runOf = [](const char* method, double cr) {
            RunRow run;
            run.id = std::string(method) + std::to_string(cr);
            run.status = "finished";
            run.method = method;
            run.cr = cr;
            run.layerBytes = 1000;
            run.relativeError = 0.1;
            return run;
        };
        const auto titleOf = [](const std::vector<RunRow>& runs) {
            return ablationCharts(ablation(runs, {"cr", "error", "", ""})).yTitle;
        };
        const RunRow whitened = runOf("cospadi", 0.2);
        const RunRow plain = runOf("cospadi-free", 0.2);
        QCOMPARE(titleOf({whitened}), "mean whitened relative error");
        QCOMPARE(titleOf({plain, runOf("svd", 0.3)}), "mean plain relative error");
        QCOMPARE(titleOf({whitened, plain}), "mean relative error (plain where data-free)");
        QCOMPARE(compareRuns({{plain, {}, {}}}, Comparison::ErrorByLayer).yTitle,
                 "plain relative error");
        QCOMPARE(errorMap({whitened, {}, {}}).valueTitle, "whitened relative error");
    }

    // A run by itself has the colour that it has in every other chart, and in the list.
    void aRunKeepsItsColour() {
        QSettings().remove("runs/looks");
        std::vector<RunRow> runs;
        for (const char* id : {"first", "second", "third"}) {
            RunRow run;
            run.id = id;
            run.status = "finished";
            run.method = "svd";
            run.layerBytes = 1000 * static_cast<std::int64_t>(runs.size() + 1);
            run.relativeError = 0.1;
            run.layers = id;  // nothing is joined
            RunSpecification specification;
            specification.method = &methodFromName("svd");
            specification.layers = id;
            run.specification = toJson(specification).dump();
            runs.push_back(run);
        }
        const QList<int> looks = looksOf({"third", "first"});
        setOwnColour({"second"}, QColor("#123456"));
        const AblationCharts charts = ablationCharts(ablation(runs, {"bytes", "error", "", ""}));
        setOwnColour({"second"}, std::nullopt);
        QCOMPARE(charts.colours.size(), 3);
        QCOMPARE(charts.colours["second"], QColor("#123456"));
        for (const Curve& curve : charts.charts.front().curves) {
            const QString run = curve.pointNames.value(0);
            Curve expected;
            setRunLook(expected, run, run == "third" ? looks[0] : looks[1]);
            QVERIFY(run == "second" || curve.colour == expected.colour);
            QCOMPARE(curve.colour, charts.colours[run]);
        }
    }

    // A curve for each of six values and more, told apart by everybody.
    void coloursThatLookAlikeHaveDashes() {
        std::vector<RunRow> runs;
        for (int i = 0; i < 8; ++i) {
            for (const double cr : {0.2, 0.3}) {
                RunRow run;
                RunSpecification specification;
                specification.rho = 1 + 0.5 * i;
                specification.cr = cr;
                run.id = "run" + std::to_string(runs.size());
                run.status = "finished";
                run.method = "cospadi";
                run.rho = specification.rho;
                run.cr = cr;
                run.layerBytes = 1000;
                run.relativeError = 0.1;
                run.specification = toJson(specification).dump();
                runs.push_back(run);
            }
        }
        const QList<Curve> curves = curvesOver("cr", runs, "error", "rho");
        QCOMPARE(curves.size(), 8);
        for (int i = 0; i < 8; ++i) {
            Curve expected;
            setSeriesLook(expected, i);
            QCOMPARE(curves[i].pen, expected.pen);
            QVERIFY((i < 4) == (leadingPen(theme().series[i]) == Qt::SolidLine));
        }
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

COSPADI_TEST(TestAblationCurves)

}  // namespace tst_ablation_curves

#include "tst_ablation_curves.moc"
