#include "ui/pages/runs/saved_views_menu.h"

#include <QMenu>

#include "ui/models/saved_views.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/parallel_bar.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/sweep_view.h"
#include "ui/widgets/mnemonics.h"
#include "ui/widgets/text_question.h"

namespace cospadi::ui {

SavedViewsMenu::SavedViewsMenu(RunsList* list, RunsComparison* comparison, QWidget* parent)
    : QObject(parent), m_list(list), m_comparison(comparison), m_window(parent) {}

void SavedViewsMenu::addTo(QMenu* menu) {
    auto* views = menu->addMenu(tr("Saved views"));
    const QStringList names = savedViewNames();
    for (const QString& name : names) {
        views->addAction(asMenuTitle(name), this, [this, name] { show(name); });
    }
    if (!names.isEmpty()) {
        views->addSeparator();
        auto* forget = views->addMenu(tr("Forget"));
        for (const QString& name : names) {
            forget->addAction(asMenuTitle(name), this, [name] { forgetView(name); });
        }
    }
    views->addAction(tr("Save this view…"), this, &SavedViewsMenu::askForName);
}

void SavedViewsMenu::show(const QString& name) {
    const SavedView view = savedView(name);
    m_list->showView(view);
    m_comparison->bar()->choose({view.axes, {view.isLogX, view.isLogY}});
    if (view.parallel) {
        m_comparison->parallelBar()->choose(*view.parallel);
    }
    if (view.sweep) {
        m_comparison->sweep()->choose(*view.sweep);
    }
    m_comparison->setComparison(view.comparison);
}

void SavedViewsMenu::keep(const QString& name) {
    const AblationChoice plot = m_comparison->bar()->choice();
    SavedView view;
    m_list->keepIn(view);
    view.comparison = m_comparison->comparison();
    view.axes = plot.axes;
    view.isLogX = plot.logarithmic.x;
    view.isLogY = plot.logarithmic.y;
    view.parallel = m_comparison->parallelBar()->choice();
    view.sweep = m_comparison->sweep()->choice();
    saveView(name, view);
}

void SavedViewsMenu::askForName() {
    askForText(m_window,
               {"viewDialog",
                tr("Save this view"),
                tr("Name for this filter, columns, groups and chart"),
                {},
                false},
               [this](const QString& name) { keep(name); });
}

}  // namespace cospadi::ui
