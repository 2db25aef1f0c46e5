#include "ui/pages/runs/saved_views_menu.h"

#include <QInputDialog>
#include <QMenu>

#include "ui/models/saved_views.h"
#include "ui/pages/runs/runs_comparison.h"
#include "ui/pages/runs/runs_list.h"

namespace cospadi::ui {

namespace {

// An ampersand in a menu underlines what follows.
QString asTitle(QString name) { return name.replace('&', QStringLiteral("&&")); }

}  // namespace

SavedViewsMenu::SavedViewsMenu(RunsList* list, RunsComparison* comparison, QWidget* parent)
    : QObject(parent), m_list(list), m_comparison(comparison), m_window(parent) {}

void SavedViewsMenu::addTo(QMenu* menu) {
    auto* views = menu->addMenu(tr("Saved views"));
    const QStringList names = savedViewNames();
    for (const QString& name : names) {
        views->addAction(asTitle(name), this, [this, name] { show(name); });
    }
    if (!names.isEmpty()) {
        views->addSeparator();
        auto* forget = views->addMenu(tr("Forget"));
        for (const QString& name : names) {
            forget->addAction(asTitle(name), this, [name] { forgetView(name); });
        }
    }
    views->addAction(tr("Save this view…"), this, &SavedViewsMenu::askForName);
}

void SavedViewsMenu::show(const QString& name) {
    const SavedView view = savedView(name);
    m_list->showView(view);
    m_comparison->bar()->choose({view.axes, {view.isLogX, view.isLogY}});
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
    saveView(name, view);
}

void SavedViewsMenu::askForName() {
    auto* dialog = new QInputDialog(m_window);
    dialog->setObjectName(QStringLiteral("viewDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Save this view"));
    dialog->setLabelText(tr("Filter, columns, groups and chart by the name of"));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& typed) {
        if (const QString name = typed.trimmed(); !name.isEmpty()) {
            keep(name);
        }
    });
    dialog->open();
}

}  // namespace cospadi::ui
