// What the window remembers from one start to the next, in the user's settings (QSettings):
//
//   window/geometry      its place and size
//   window/page          the page in front, by its number
//   plan/specification   the plan, as run.json would have it (docs/formats.md)
//   plan/sweep           its lists as they were typed: CR, ρ, iterations, seed; the sweep's name;
//                        whether perplexity follows (0 or 1), and which tasks do
//   session/model        the model that was open last, as the user wrote it: "default" or a path
//   session/layers       the regular expression of the layers that were ticked in it
//   session/cursor       the layer under the cursor in it
//   session/runs         the runs that were selected
//   session/filter       the filter of the Runs page, as it was typed
//   session/archived     whether it shows archived runs
//   whole/targets        of models: what the page Whole was to come to (KeptTargets)
//   queue/waiting        the runs that wait or are being measured, as RunQueue puts them into words
//   tasks/waiting        evaluations that wait or go on, as TaskQueue puts them into words
//   splitters/NAME       where each splitter stands, by its object name
//
// What belongs to one page alone (columns of the runs, tasks to evaluate, recent models) that page
// keeps; how the program shall behave is in ui/base/preferences.h. GUI thread only.
#pragma once

#include <QString>
#include <optional>

class QTabWidget;
class QWidget;

namespace cospadi::ui {

class EvaluatePage;
class PlanPanel;
class RunQueue;
class RunsPage;
class TaskQueue;
class WholePage;

// Layers that are to be ticked in a model once it is open.
struct WantedLayers {
    QString model;
    QString regex;   // empty: none
    QString cursor;  // the layer under it; empty: wherever it falls
};

class WindowSession {
  public:
    // The parts whose state it is. They outlive it.
    WindowSession(QWidget& window, QTabWidget& pages, PlanPanel& plan, WholePage& whole,
                  RunQueue& queue, TaskQueue& tasks, RunsPage& runs, EvaluatePage& evaluate)
        : m_window(window),
          m_pages(pages),
          m_plan(plan),
          m_whole(whole),
          m_queue(queue),
          m_tasks(tasks),
          m_runs(runs),
          m_evaluate(evaluate) {}

    // The model that the last window had open, else "default".
    static QString model();

    // layers: of the model that is open. No value: none is, and the last one stays remembered.
    void save(const std::optional<WantedLayers>& layers) const;
    // Puts all parts as they were. The layers are for whoever opens their model; no value where no
    // window had one open. A plan of another version leaves the defaults, and then no layer is
    // ticked.
    std::optional<WantedLayers> restore() const;

  private:
    QWidget& m_window;
    QTabWidget& m_pages;
    PlanPanel& m_plan;
    WholePage& m_whole;
    RunQueue& m_queue;
    TaskQueue& m_tasks;
    RunsPage& m_runs;
    EvaluatePage& m_evaluate;
};

}  // namespace cospadi::ui
