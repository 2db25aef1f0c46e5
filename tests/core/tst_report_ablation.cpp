// Runs as one plot of an ablation: what is a mean, what is a curve, what is a plot of its own, and
// what they are called. Means and deviations are reckoned here by their definition.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/report/ablation.h"
#include "core/report/measured_value.h"
#include "core/report/run_names.h"
#include "core/report/series.h"
#include "tests/core/report_fixture.h"
#include "tests/registered_test.h"

namespace tst_report_ablation {

using namespace cospadi;
using namespace report_fixture;

class TestReportAblation : public QObject {
    Q_OBJECT

    // A run by K-SVD, whose seed counts.
    static RunRow drawn(double cr, double rho, int seed, double perplexity, int sequences = 64) {
        RunRow run = withSettings(storedRun("cospadi", cr, rho, seed, perplexity, sequences),
                                  {{"solver", "ksvd"}});
        run.solver = "ksvd";
        run.relativeError = perplexity / 100;  // seeds do move something
        return run;
    }

    static std::vector<std::string> namesIn(const AblationFacet& facet) {
        std::vector<std::string> names;
        for (const AblationCurve& curve : facet.curves) {
            names.push_back(curve.name);
        }
        return names;
    }

    static std::string problemOf(const std::vector<RunRow>& runs, const AblationAxes& axes) {
        try {
            ablation(runs, axes);
        } catch (const Error& error) {
            return error.problem() + " | " + error.where() + " | " + error.hint();
        }
        return "";
    }

  private slots:
    void aPointIsTheMeanOverSeeds() {
        const std::vector<double> values{50, 53, 47.5};
        std::vector<RunRow> runs;
        for (int seed = 0; seed < 3; ++seed) {
            runs.push_back(drawn(0.2, 2, seed, values[static_cast<std::size_t>(seed)]));
        }
        runs.push_back(drawn(0.3, 2, 0, 80));
        RunRow older = drawn(0.2, 2, 1, 1000);  // of a seed the newest counts
        older.created = "2020";
        for (RunRow& run : runs) {
            run.created = "2026";
        }
        runs.insert(runs.begin(), older);
        RunRow unfinished = drawn(0.4, 2, 0, 90);
        unfinished.status = "interrupted";
        runs.push_back(unfinished);

        const AblationPlot plot = ablation(runs, {"cr", "perplexity", "", ""});
        QCOMPARE(plot.facets.size(), std::size_t{1});
        QCOMPARE(plot.facets[0].curves.size(), std::size_t{1});
        const AblationCurve& curve = plot.facets[0].curves[0];
        QVERIFY(curve.isJoined);
        QCOMPARE(curve.points.size(), std::size_t{2});
        QCOMPARE(curve.points[0].x, 0.2);
        QCOMPARE(curve.points[1].x, 0.3);
        double mean = 0;
        for (const double value : values) {
            mean += value / 3;
        }
        double squares = 0;
        for (const double value : values) {
            squares += (value - mean) * (value - mean);
        }
        QVERIFY(std::abs(curve.points[0].y.mean - mean) < 1e-12);
        QVERIFY(std::abs(curve.points[0].y.deviation - std::sqrt(squares / 2)) < 1e-12);
        QCOMPARE(curve.points[0].y.count, std::int64_t{3});
        QCOMPARE(curve.points[1].y.deviation, 0.0);
        QCOMPARE(curve.points[0].runs.back(), older.id);
    }

    // Sequences differ without anyone having asked for them: never one line.
    void whatElseDiffersIsACurveOfItsOwn() {
        std::vector<RunRow> runs;
        for (const int sequences : {16, 64}) {
            for (const double rho : {1.5, 2.0, 3.0}) {
                for (const double cr : {0.2, 0.3}) {
                    runs.push_back(drawn(cr, rho, 1, 100 * cr + rho + sequences, sequences));
                }
            }
        }
        const AblationPlot plot = ablation(runs, {"rho", "perplexity", "", ""});
        QCOMPARE(namesIn(plot.facets[0]),
                 (std::vector<std::string>{"sequences 16, CR 0.2", "sequences 16, CR 0.3",
                                           "sequences 64, CR 0.2", "sequences 64, CR 0.3"}));
        for (const AblationCurve& curve : plot.facets[0].curves) {
            QCOMPARE(curve.points.size(), std::size_t{3});
            for (std::size_t i = 0; i < 3; ++i) {
                QCOMPARE(curve.points[i].y.count, std::int64_t{1});
            }
        }
        // By CR: two colours, two dashes, and names that begin with what was asked for.
        const AblationPlot byCr = ablation(runs, {"rho", "perplexity", "cr", ""});
        const std::vector<AblationCurve>& curves = byCr.facets[0].curves;
        QCOMPARE(namesIn(byCr.facets[0]),
                 (std::vector<std::string>{"CR 0.2, sequences 16", "CR 0.2, sequences 64",
                                           "CR 0.3, sequences 16", "CR 0.3, sequences 64"}));
        QCOMPARE(curves[0].hue, curves[1].hue);
        QVERIFY(curves[0].hue != curves[2].hue);
        QVERIFY(curves[0].dash != curves[1].dash);
        QCOMPARE(curves[0].dash, curves[2].dash);
        // A plot for each number of sequences: looks are the same in both, names say no more than
        // the title leaves open.
        const AblationPlot plots =
            ablation(runs, {"rho", "perplexity", "cr", "calibration.sequences"});
        QCOMPARE(plots.facets.size(), std::size_t{2});
        QCOMPARE(plots.facets[0].title, std::string("sequences 16"));
        QCOMPARE(namesIn(plots.facets[0]), (std::vector<std::string>{"CR 0.2", "CR 0.3"}));
        QCOMPARE(namesIn(plots.facets[1]), namesIn(plots.facets[0]));
        QCOMPARE(plots.facets[0].curves[1].hue, plots.facets[1].curves[1].hue);
        QCOMPARE(plots.facets[1].curves[1].points[2].y.mean, 100 * 0.3 + 3 + 64);
    }

    // With eq 11 and no bits given, what a coefficient may take follows from ρ.
    void whatFollowsFromXIsNoDifference() {
        std::vector<RunRow> runs;
        for (const double rho : {1.5, 2.0, 3.0, 4.0}) {
            runs.push_back(drawn(0.2, rho, 1, 50 + rho));
        }
        QCOMPARE(ablation(runs, {"rho", "perplexity", "", ""}).facets[0].curves.size(),
                 std::size_t{1});
    }

    void methodsAreWordsOnTheAxis() {
        const std::vector<RunRow> runs{
            storedRun("svd-llm", 0.2, 2, 1, 300), storedRun("svd-llm", 0.4, 2, 1, 900),
            storedRun("cospadi", 0.2, 2, 1, 50), storedRun("cospadi", 0.4, 2, 1, 90)};
        const AblationPlot plot = ablation(runs, {"method", "perplexity", "cr", ""});
        QCOMPARE(plot.words, (std::vector<std::string>{"svd-llm", "cospadi (fast)"}));
        QCOMPARE(namesIn(plot.facets[0]), (std::vector<std::string>{"CR 0.2", "CR 0.4"}));
        for (const AblationCurve& curve : plot.facets[0].curves) {
            QVERIFY(!curve.isJoined);
            QCOMPARE(curve.points.size(), std::size_t{2});
            QCOMPARE(curve.points[0].x, 0.0);
            QVERIFY(curve.points[0].y.mean > curve.points[1].y.mean);
        }
    }

    // Bytes are no choice: points, one for all seeds, and nothing joined.
    void measuredAlongX() {
        std::vector<RunRow> runs;
        for (const double cr : {0.2, 0.4}) {
            for (const int seed : {1, 2}) {
                runs.push_back(drawn(cr, 2, seed, 100 * cr + seed));
                runs.back().layerBytes += seed;
            }
        }
        const AblationPlot plot = ablation(runs, {"bytes", "perplexity", "", ""});
        QVERIFY(plot.isMeasuredX);
        QCOMPARE(plot.facets[0].curves.size(), std::size_t{1});
        const AblationCurve& curve = plot.facets[0].curves[0];
        QVERIFY(!curve.isJoined);
        QCOMPARE(curve.points.size(), std::size_t{2});
        QCOMPARE(curve.points[0].x, 6e5 + 1.5);
        QCOMPARE(curve.points[0].y.mean, 41.5);
        QCOMPARE(curve.points[1].y.count, std::int64_t{2});
        QCOMPARE(ablation(runs, {"error", "bytes", "cr", ""}).facets[0].curves.size(),
                 std::size_t{2});
    }

    void accuraciesHaveAMean() {
        RunRow run = drawn(0.2, 2, 1, 50);
        run.taskResults = {taskResult("piqa", 0.75, 100), taskResult("arc_easy", 0.5, 100)};
        const RunRow other = drawn(0.3, 2, 1, 60);
        QVERIFY(measuredNames({run}).back() == "piqa/acc");
        const AblationPlot plot = ablation({run, other}, {"cr", kMeanAccuracy, "", ""});
        QCOMPARE(plot.facets[0].curves[0].points.size(), std::size_t{1});
        QCOMPARE(plot.facets[0].curves[0].points[0].y.mean, 0.625);
        QCOMPARE(plot.best, BestValue::Highest);
    }

    void whatIsUnknownIsNamed() {
        const std::vector<RunRow> runs{drawn(0.2, 2, 1, 50), storedRun("svd-llm", 0.2, 2, 1, 300)};
        QVERIFY(problemOf(runs, {"cr", "preplexity", "", ""}).find("preplexity") !=
                std::string::npos);
        const std::string problem = problemOf(runs, {"cr", "perplexity", "", "sequences"});
        QVERIFY(problem.find("| sequences |") != std::string::npos);
        QVERIFY(problem.find("calibration.sequences") != std::string::npos);
        const AblationPlot plot = ablation(runs, {"rho", "perplexity", "", ""});
        QCOMPARE(plot.facets[0].curves.size(), std::size_t{1});
        QCOMPARE(inEnglish(plot.notes.back()),
                 std::string("1 run without a numeric ρ is left out"));
        QVERIFY(ablation({}, {}).facets.empty());
    }

    // Whether errors are plain or whitened is told of the runs that are drawn.
    void errorsAreThoseOfThePoints() {
        std::vector<RunRow> runs{drawn(0.2, 2, 1, 50), drawn(0.2, 3, 1, 40),
                                 storedRun("svd", 0.2, 2, 1, 300)};
        const auto tellsPlain = [](const AblationPlot& plot) {
            return std::any_of(plot.notes.begin(), plot.notes.end(), [](const Phrase& note) {
                return inEnglish(note).find("plain weight") != std::string::npos;
            });
        };
        const AblationPlot whitened = ablation(runs, {"rho", "error", "", ""});
        QVERIFY(whitened.hasWhitened && !whitened.hasPlain && !tellsPlain(whitened));
        runs.push_back(storedRun("cospadi-free", 0.2, 2, 1, 90));
        const AblationPlot mixed = ablation(runs, {"rho", "error", "", ""});
        QVERIFY(mixed.hasWhitened && mixed.hasPlain && tellsPlain(mixed));
        // The dense model has no error at all.
        runs = {drawn(0.2, 2, 1, 50), storedRun("dense", 0, 2, 1, 30)};
        QVERIFY(!ablation(runs, {"cr", "perplexity", "", ""}).hasPlain);
    }

    void settingsThatDifferAreTold() {
        QCOMPARE(variedSettings({drawn(0.2, 2, 1, 50), drawn(0.3, 2, 2, 50)}),
                 (std::vector<std::string>{"cr", "seed"}));
        QVERIFY(variedSettings({drawn(0.2, 2, 1, 50)}).empty());
    }

    void namesSayOnlyWhatDiffers() {
        const NamedKind a{"cospadi (fast)", {{"cr", "0.2"}, {"rho", "2"}, {"layers", ".*"}}, "a-1"};
        NamedKind b = a;
        b.id = "b-2";
        QCOMPARE(namesOf({a}, {}), (std::vector<std::string>{"cospadi (fast)"}));
        QCOMPARE(namesOf({a, b}, {}),
                 (std::vector<std::string>{"cospadi (fast) · a-1", "cospadi (fast) · b-2"}));
        b.settings["rho"] = "3";
        QCOMPARE(namesOf({a, b}, {}), (std::vector<std::string>{"ρ 2", "ρ 3"}));
        b.settings["layers"] = "ffn_up";
        QCOMPARE(namesOf({a, b}, {"rho"}), (std::vector<std::string>{"all layers", "ffn_up"}));
        b.method = "svd-llm";
        b.settings.erase("rho");
        QCOMPARE(namesOf({a, b}, {}),
                 (std::vector<std::string>{"cospadi (fast), all layers", "svd-llm, ffn_up"}));
        const auto wording = [](const std::string& setting, const auto& value) {
            return setting + "=" + value.value_or("-");
        };
        QCOMPARE(namesOf({a, b}, {}, wording),
                 (std::vector<std::string>{"cospadi (fast), layers=.*", "svd-llm, layers=ffn_up"}));
    }

    // Names of settings are words of whoever asks.
    void settingsAreWordedAsAskedFor() {
        const std::vector<RunRow> runs{drawn(0.2, 2, 1, 50), drawn(0.2, 3, 1, 40)};
        const auto wording = [](const std::string& setting, const auto& value) {
            return setting + "=" + value.value_or("-");
        };
        QCOMPARE(ablation(runs, {"cr", "perplexity", "rho", ""}, wording).facets[0].curves[0].name,
                 std::string("rho=2"));
        QCOMPARE(ablation(runs, {"cr", "perplexity", "", "rho"}, wording).facets[1].title,
                 std::string("rho=3"));
    }

    // In a list of many none is called by all that some other two differ in.
    void ofManyNoMoreThanTellsThemApart() {
        const auto kind = [](const char* cr, const char* rho, const char* seed,
                             const char* sequences, const char* id) {
            NamedKind made{"cospadi (fast)", {{"cr", cr}, {"rho", rho}, {"seed", seed}}, id};
            if (*sequences != '\0') {
                made.settings["calibration.sequences"] = sequences;
            }
            return made;
        };
        QCOMPARE(namesInList({kind("0.2", "2", "1", "", "a-1")}),
                 (std::vector<std::string>{"cospadi (fast)"}));
        QCOMPARE(namesInList({kind("0.2", "2", "1", "", "a-1"), kind("0.2", "3", "2", "", "b-2"),
                              kind("0.3", "2", "1", "", "c-3"), kind("0.3", "2", "2", "", "d-4"),
                              kind("0.3", "2", "2", "64", "e-5"), kind("0.4", "2", "1", "", "f-6"),
                              kind("0.4", "2", "1", "", "g-7")}),
                 (std::vector<std::string>{
                     "cospadi (fast), CR 0.2, ρ 2", "cospadi (fast), CR 0.2, ρ 3",
                     "cospadi (fast), CR 0.3, ρ 2, seed 1", "cospadi (fast), CR 0.3, ρ 2, seed 2",
                     "cospadi (fast), CR 0.3, ρ 2, sequences 64",
                     "cospadi (fast), CR 0.4, ρ 2 · f-6", "cospadi (fast), CR 0.4, ρ 2 · g-7"}));
        QCOMPARE(nameAlone(kind("0.2", "2", "1", "", "20261121-060000-d953ab")),
                 std::string("cospadi (fast), CR 0.2, ρ 2 · d953ab"));
    }

    // The command line's table has what the window draws.
    void theSameAsATable() {
        SeriesOptions options;
        options.kind = "ablation";
        options.axes.x = "rho";
        options.axes.curve = "cr";
        options.axes.facet = "calibration.sequences";
        const ReportTable table =
            series({drawn(0.2, 1.5, 1, 50), drawn(0.2, 1.5, 2, 52), drawn(0.2, 3, 1, 45)}, options);
        std::vector<std::string> names;
        for (const ReportColumn& column : table.columns) {
            names.push_back(column.name);
        }
        QCOMPARE(names, (std::vector<std::string>{"calibration.sequences", "curve", "rho",
                                                  "perplexity", "std", "n"}));
        QCOMPARE(table.rows.size(), std::size_t{2});
        QCOMPARE(numberIn(table.rows[0].cells[3]), 51.0);
        QVERIFY(std::abs(numberIn(table.rows[0].cells[4]) - std::sqrt(2.0)) < 1e-12);
        QCOMPARE(numberIn(table.rows[1].cells[2]), 3.0);
    }
};

COSPADI_TEST(TestReportAblation)

}  // namespace tst_report_ablation

#include "tst_report_ablation.moc"
