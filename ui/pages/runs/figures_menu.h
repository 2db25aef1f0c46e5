// The menu of saved figures (core/report/figure_design.h): draws one again from the runs there are,
// keeps the chart on screen with its axes and its choice of runs by a name, forgets one. What is
// selected alone is kept by the ids of the runs, else the filter is, so that new runs come in. A
// choice that no filter expresses, of starred runs or the newest few, is shown by their ids.
#pragma once

#include <QToolButton>
#include <functional>

#include "core/base/error.h"
#include "core/report/figure_design.h"

class QMenu;

namespace cospadi::ui {

class RunsComparison;
class RunsList;

class FiguresMenu : public QToolButton {
    Q_OBJECT

  public:
    // list and comparison must outlive it.
    FiguresMenu(RunsList* list, RunsComparison* comparison, QWidget* parent = nullptr);

  signals:
    void failed(const cospadi::Error& error);

  private:
    void fill();
    void draw(const QString& name);
    void keep(const QString& name);
    void forget(const QString& name);
    void askForName();
    FigureDesign onScreen() const;
    // What goes wrong is told.
    void attempt(const std::function<void()>& work);

    RunsList* m_list;
    RunsComparison* m_comparison;
    QMenu* m_menu;
};

}  // namespace cospadi::ui
