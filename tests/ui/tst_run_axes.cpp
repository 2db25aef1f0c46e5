// The axes that runs have in parallel coordinates, and how a user chooses and orders them.
#include <QtTest>
#include <cmath>

#include "tests/registered_test.h"
#include "tests/ui/parallel_chart_fixture.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/models/run_axes.h"

namespace tst_run_axes {

using namespace cospadi;
using namespace cospadi::ui;

class TestRunAxes : public QObject, ParallelChartFixture {
    Q_OBJECT

  private slots:
    void axesAreChosenAndOrdered() {
        ParallelRuns runs{someAxes(), someLines()};
        const ParallelRuns other = arranged(runs, {"bytes", "none of them"}, {"error"});
        QCOMPARE(other.axes.size(), 2);
        QCOMPARE(other.axes[0].name, QString("bytes"));
        QCOMPARE(other.axes[1].name, QString("method"));
        QCOMPARE(other.lines.size(), 4);
        QCOMPARE(other.lines[2].key, QString("c"));
        QCOMPARE(other.lines[2].values, (QList<double>{1e6, 1}));
        // By what an axis is kept by, and by its name, as earlier versions kept it.
        runs.axes[1].key = "relative-error";
        runs.axes[2].key = "layer-bytes";
        const ParallelRuns kept = arranged(runs, {"layer-bytes", "error"}, {"method"});
        QCOMPARE(kept.axes.size(), 2);
        QCOMPARE(kept.axes[0].name, QString("bytes"));
    }

    void axesOfRuns() {
        RunRow low;
        low.id = "low";
        low.method = "svd-llm";
        low.status = "finished";
        low.cr = 0.2;
        low.layerBytes = 8'000'000;
        low.relativeError = 0.3;
        low.seconds = 2;
        RunRow ours = low;
        ours.id = "ours";
        ours.method = "cospadi";
        ours.solver = "fast";
        ours.rho = 1.5;
        low.rho = 2;
        ours.seconds = 200;
        const ParallelRuns runs = parallelRuns({ours, low});
        QStringList names;
        for (const ParallelAxis& axis : runs.axes) {
            names << axis.name;
        }
        QCOMPARE(names, (QStringList{"method", "CR", "ρ", "iterations", "MB", "seconds",
                                     "whitened relative error"}));
        low.method = "rtn";  // data-free
        QCOMPARE(parallelRuns({ours, low}).axes.last().name,
                 QString("relative error (plain where data-free)"));
        QCOMPARE(parallelRuns({low}).axes.last().name, QString("plain relative error"));
        QCOMPARE(runs.axes[0].categories, (QStringList{"svd-llm", "cospadi (fast)"}));
        QCOMPARE(runs.lines[0].values[0], 1.0);
        QCOMPARE(runs.lines[0].values[2], 1.5);
        QVERIFY(std::isnan(runs.lines[1].values[2]));  // ρ is nothing to a low rank
        QCOMPARE(runs.lines[0].values[4], 8.0);
        QVERIFY(runs.axes[5].logarithmic && !runs.axes[6].logarithmic);
        QVERIFY(parallelRuns({}).axes.isEmpty());
    }
};

COSPADI_TEST(TestRunAxes)

}  // namespace tst_run_axes

#include "tst_run_axes.moc"
