#include "ui/pages/runs/parallel_comparison.h"

#include <QLocale>
#include <QStringList>

#include "ui/charts/parallel_coordinates.h"
#include "ui/models/run_axes.h"
#include "ui/models/run_looks.h"
#include "ui/pages/runs/parallel_bar.h"

namespace cospadi::ui {

ParallelComparison::ParallelComparison(QObject* parent)
    : QObject(parent), m_bar(new ParallelBar), m_view(new ParallelCoordinates) {
    m_view->setObjectName(QStringLiteral("parallelCoordinates"));
    connect(m_bar, &ParallelBar::chosen, this, &ParallelComparison::chosen);
    connect(m_view, &ParallelCoordinates::axisMoved, m_bar, &ParallelBar::move);
    connect(m_view, &ParallelCoordinates::brushed, this, [this] {
        emit brushed(m_view->isBrushed() ? std::optional(m_view->passing()) : std::nullopt);
    });
}

void ParallelComparison::highlight(const std::vector<RunRow>& selected) {
    QStringList ids;
    for (const RunRow& run : selected) {
        ids << QString::fromStdString(run.id);
    }
    QHash<QString, LineLook> lines;
    QHash<QString, QColor> colours;
    if (ids.size() <= ParallelCoordinates::kMostInColour) {
        const QList<int> looks = looksOf(ids);
        for (qsizetype i = 0; i < ids.size(); ++i) {
            Curve curve;
            setRunLook(curve, ids[i], looks[i]);
            lines.insert(ids[i], {curve.colour, curve.pen});
            colours.insert(ids[i], curve.colour);
        }
    }
    m_view->setHighlighted(lines);
    emit coloured(m_bar->colour().isEmpty() ? colours : QHash<QString, QColor>());
}

QString ParallelComparison::draw(const std::vector<RunRow>& onShow,
                                 const std::vector<RunRow>& selected) {
    const ParallelRuns all = arranged(parallelRuns(onShow), m_bar->order(), {});
    m_bar->setAxes(all.axes);
    const ParallelRuns runs = arranged(all, {}, m_bar->hidden());
    m_view->setColourAxis(m_bar->colour());
    m_view->setData(runs.axes, runs.lines);
    highlight(selected);
    m_view->setEmptyText(tr("No runs are listed above. Each run is a line here."));
    const bool tooMany =
        !m_bar->colour().isEmpty() && runs.lines.size() > ParallelCoordinates::kMostColoured;
    return tr("drag along an axis: only runs inside stay, here and above; drag its name to move "
              "it") +
           (tooMany ? tr("; coloured up to %1 runs")
                          .arg(QLocale().toString(ParallelCoordinates::kMostColoured))
                    : QString());
}

}  // namespace cospadi::ui
