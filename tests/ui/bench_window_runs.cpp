// Ten thousand runs: opened, sorted, filtered, and brushed in parallel coordinates.
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QMouseEvent>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/ui/bench_clock.h"
#include "tests/ui/bench_results.h"
#include "tests/ui/bench_window_parts.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/main_window.h"
#include "ui/models/comparison_curves.h"
#include "ui/pages/runs/runs_page.h"

namespace bench_window {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// A brush drawn along the axis of CR as a hand draws it, 60 moves a second.
void brush(WatchedApplication& application, MainWindow& window, int runs, Results& results) {
    constexpr int kMoves = 60;
    auto* comparison = window.findChild<QComboBox*>(QStringLiteral("comparison"));
    comparison->setCurrentIndex(comparison->findData(static_cast<int>(Comparison::Parallel)));
    auto* lines = window.findChild<ParallelCoordinates*>(QStringLiteral("parallelCoordinates"));
    auto* table = window.findChild<QTreeView*>(QStringLiteral("runsTable"));
    QTest::qWait(1000);
    if (!lines->isVisible() || lines->lineCount() != runs) {
        results.fail(QStringLiteral("10⁴ runs brushed: %1 lines are drawn, not %2")
                         .arg(lines->isVisible() ? lines->lineCount() : 0)
                         .arg(runs));
        return;
    }
    const auto axes = static_cast<double>(lines->axes().size());
    const double side = std::min(90.0, lines->width() / 10.0);
    const double x = side + (lines->width() - 2 * side) / (axes - 1);
    const auto send = [&](QEvent::Type type, double y) {
        const QPointF at(x, y);
        const auto button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
        QMouseEvent event(type, at, lines->mapToGlobal(at), button, Qt::LeftButton, {});
        QApplication::sendEvent(lines, &event);
    };
    const double bottom = lines->height() - 40.0;
    const double step = (bottom - 60) / kMoves;
    send(QEvent::MouseButtonPress, bottom);
    std::vector<Span> spans;
    application.longest = {};
    for (int i = 1; i <= kMoves; ++i) {
        spans.push_back(timed([&] {
            send(QEvent::MouseMove, bottom - step * i);
            lines->repaint();
            table->viewport()->repaint();
        }));
        QTest::qWait(16);
    }
    send(QEvent::MouseButtonRelease, bottom - step * kMoves);
    QTest::qWait(500);
    results.add(QStringLiteral("10⁴ runs brushed: one move"), 16, median(spans),
                QStringLiteral("%1 of %2 inside at the end")
                    .arg(lines->passing().size())
                    .arg(lines->lineCount()));
    results.add(QStringLiteral("… longest turn of the UI thread meanwhile"), 50,
                application.longest);
}

}  // namespace

void tenThousandRuns(WatchedApplication& application, Results& results) {
    constexpr int kRuns = 10'000;
    const std::filesystem::path runs = runsDirectory();
    const std::filesystem::path elsewhere = runs.parent_path() / "elsewhere";
    std::filesystem::create_directories(runs);
    std::vector<RunRecord> records(kRuns);
    for (int i = 0; i < kRuns; ++i) {
        RunRow& run = records[static_cast<std::size_t>(i)].run;
        run.id = QStringLiteral("20261121-%1-cospadi-fast-cr0.20")
                     .arg(i, 6, 10, QLatin1Char('0'))
                     .toStdString();
        run.directory = (elsewhere / run.id).string();
        std::filesystem::create_directories(run.directory);
        run.created = "2026-11-21T10:00:00Z";
        run.status = "finished";
        run.model = "SmolLM2-135M-Instruct.Q4_1.gguf";
        run.method = i % 3 == 0 ? "svd-llm" : "cospadi";
        run.solver = "fast";
        run.layers = ".*";
        run.cr = 0.1 + 0.01 * (i % 40);
        run.rho = 1.5 + 0.25 * (i % 8);
        run.matrices = 210;
        run.layerBytes = 150'000'000 + 1000 * ((i * 7919) % kRuns);
        run.denseBytes = 212'000'000;
        run.relativeError = 0.05 + 1e-5 * ((i * 104729) % kRuns);
        run.seconds = 100 + i % 977;
        run.specification =
            nlohmann::json{{"method", run.method}, {"cr", run.cr}, {"rho", run.rho}}.dump();
    }
    RunStore::open(storePath()).importRecords(records);
    MainWindow window;
    window.resize(1440, 900);
    window.show();
    window.pages().tabs->setCurrentWidget(window.pages().runs);
    auto* table = window.findChild<QTreeView*>(QStringLiteral("runsTable"));
    auto* filter = window.findChild<QLineEdit*>(QStringLiteral("runsFilter"));
    const auto rows = [table] { return table->model()->rowCount(); };
    (void)QTest::qWaitFor([&] { return rows() == kRuns; }, 60000);
    QTest::qWait(2000);  // what the start of a window reads by itself
    bool shown = false;
    QObject::connect(window.pages().runs, &RunsPage::runsChanged, &window, [&] { shown = true; });
    results.add(QStringLiteral("10⁴ runs, opened"), 300, timed([&] {
                    window.pages().runs->refresh();
                    (void)QTest::qWaitFor([&] { return shown; }, 60000);
                    table->viewport()->repaint();
                }));
    std::vector<Span> spans;
    for (int column = 0; column < table->model()->columnCount(); ++column) {
        spans.push_back(timed([&] {
            table->sortByColumn(column, Qt::DescendingOrder);
            table->viewport()->repaint();
        }));
    }
    const auto slowest = std::max_element(
        spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.clock < b.clock; });
    results.add(QStringLiteral("10⁴ runs, sorted (slowest column)"), 300, *slowest,
                table->model()
                    ->headerData(static_cast<int>(slowest - spans.begin()), Qt::Horizontal)
                    .toString());
    const Span filtered = timed([&] {
        filter->setText(QStringLiteral("svd-llm"));
        (void)QTest::qWaitFor([&] { return rows() > 0 && rows() < kRuns; }, 5000);
        table->viewport()->repaint();
    });
    results.add(QStringLiteral("10⁴ runs, filtered"), 300, filtered,
                QStringLiteral("%1 left").arg(rows()));
    results.add(QStringLiteral("10⁴ runs, filter cleared"), 300, timed([&] {
                    filter->clear();
                    (void)QTest::qWaitFor([&] { return rows() == kRuns; }, 5000);
                    table->viewport()->repaint();
                }));
    brush(application, window, kRuns, results);
}

}  // namespace bench_window
