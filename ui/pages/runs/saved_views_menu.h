// The menu of saved views: shows one again, keeps the one on screen, forgets one. A view is the
// filter, columns and groups of the list and the chart below it (saved_views.h).
#pragma once

#include <QObject>

class QMenu;

namespace cospadi::ui {

class RunsComparison;
class RunsList;

class SavedViewsMenu : public QObject {
    Q_OBJECT

  public:
    // list and comparison must outlive it.
    SavedViewsMenu(RunsList* list, RunsComparison* comparison, QWidget* parent);

    void addTo(QMenu* menu);

  private:
    void show(const QString& name);
    void keep(const QString& name);
    void askForName();

    RunsList* m_list;
    RunsComparison* m_comparison;
    QWidget* m_window;  // over which the name is asked for
};

}  // namespace cospadi::ui
