// How quick the window is, against its targets (docs/benchmarks.md): one table, target and
// measured. Not a test: what it says depends on who else uses the machine, so beside the clock it
// gives the processor time of the UI thread. Exit code 3 where a target is missed.
//
// A turn of the UI thread counts from its begin to its end, whoever else had the core meanwhile.
//
//   bench_window            everything, without a screen unless QT_QPA_PLATFORM says otherwise
//   bench_window PART       start, events, charts, pattern or runs
//   bench_window --engine   stands in for `cospadi engine`: 1,000 events a second (used by itself)
//   bench_window --start    opens the window once and says when it can be used (used by itself)
#include <QSettings>
#include <QTemporaryDir>

#include "tests/ui/bench_clock.h"
#include "tests/ui/bench_results.h"
#include "tests/ui/bench_window_parts.h"
#include "ui/base/theme.h"

using namespace cospadi::ui;
using namespace bench_window;

int main(int argc, char** argv) {
    if (argc > 1 && QByteArray(argv[1]) == "--engine") {
        return playEngine();
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    const bool child = argc > 1 && QByteArray(argv[1]) == "--start";
    WatchedApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("cospadi-workbench"));
    QCoreApplication::setOrganizationName(QStringLiteral("cospadi-bench"));
    QTemporaryDir home;
    qputenv("COSPADI_RUNS", home.filePath(QStringLiteral("runs")).toUtf8());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, home.path());
    applyTheme(application);
    if (child) {
        return startOnce();
    }
    Results results;
    results.head();
    const QByteArray part = argc > 1 ? argv[1] : "";
    const auto wanted = [&part](const char* name) { return part.isEmpty() || part == name; };
    if (wanted("start")) {
        startOfTheWindow(results);
    }
    if (wanted("events")) {
        streamOfEvents(application, results);
    }
    if (wanted("charts")) {
        chartsOfAMillionPoints(results);
    }
    if (wanted("pattern")) {
        largePattern(results);
    }
    if (wanted("runs")) {
        tenThousandRuns(application, results);
    }
    return results.exitCode();
}
