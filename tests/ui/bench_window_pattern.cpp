// A large pattern panned alone, and two runs and their difference in step.
#include <QHBoxLayout>
#include <QScrollBar>
#include <QTest>
#include <cstdint>
#include <vector>

#include "tests/ui/bench_clock.h"
#include "tests/ui/bench_results.h"
#include "tests/ui/bench_window_parts.h"
#include "ui/charts/difference_map.h"
#include "ui/charts/linked_views.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pattern_view.h"

namespace bench_window {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr double kFrame = 1000.0 / 60;

// A frame of panning the first of these maps, the others in step.
Span panned(const QList<QList<QImage>>& maps, double scale) {
    constexpr int kFrames = 60;
    QList<PatternView*> views;
    QWidget room;
    auto* row = new QHBoxLayout(&room);
    for (const QList<QImage>& map : maps) {
        views.append(new PatternView);
        views.last()->setPyramid(map);
        row->addWidget(views.last());
    }
    LinkedViews linked(views, &room);
    room.resize(1100, 700);
    room.show();
    (void)QTest::qWaitForWindowExposed(&room);
    views.first()->zoom(scale / views.first()->transform().m11());
    room.repaint();
    std::vector<Span> spans;
    for (int i = 0; i < kFrames; ++i) {
        spans.push_back(timed([&] {
            QScrollBar* across = views.first()->horizontalScrollBar();
            QScrollBar* down = views.first()->verticalScrollBar();
            across->setValue(across->value() + 17);
            down->setValue(down->value() + 5);
            for (PatternView* view : views) {
                view->viewport()->repaint();
            }
        }));
    }
    return median(spans);
}

}  // namespace

void largePattern(Results& results) {
    constexpr std::int64_t kAtoms = 4096;
    constexpr std::int64_t kColumns = 12288;
    std::vector<std::uint8_t> entries(static_cast<std::size_t>(kAtoms * kColumns));
    std::uint32_t state = 1;
    for (std::uint8_t& entry : entries) {
        state = state * 1664525U + 1013904223U;
        entry = state >> 31;
    }
    QList<QImage> levels;
    const Span built = timed([&] { levels = patternPyramid(entries, kAtoms, kColumns, {}); });
    const QString note = QStringLiteral("pyramid made in %1 ms, off the UI thread");
    for (const double scale : {1.0, 4.0, 0.35}) {
        results.add(QStringLiteral("pattern 4096 × 12288, a frame of panning at %1").arg(scale),
                    kFrame, panned({levels}, scale),
                    scale == 1 ? note.arg(built.clock, 0, 'f', 0) : QString());
    }
    PatternDifference difference;
    difference.rows = kAtoms;
    difference.columns = kColumns;
    difference.valueDifference.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        state = state * 1664525U + 1013904223U;
        entries[i] = static_cast<std::uint8_t>(state >> 30);
        difference.valueDifference[i] = static_cast<float>(state >> 16 & 0xff) - 127.5F;
    }
    difference.where = entries;
    difference.scale = 127.5;
    QList<QImage> colours;
    const Span mixed =
        timed([&] { colours = differencePyramid(difference, DifferenceLook::Values, {}, {}); });
    for (const double scale : {1.0, 0.35}) {
        results.add(QStringLiteral("… two runs and their difference in step, at %1").arg(scale),
                    kFrame, panned({levels, levels, colours}, scale),
                    scale == 1 ? note.arg(mixed.clock, 0, 'f', 0) : QString());
    }
}

}  // namespace bench_window
