// The Runs page: every stored run in a table above (runs_list.h), a chart that compares those
// selected below (runs_comparison.h), tables for papers, and perplexity measured on demand. Reads
// and writes the store off the GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "core/base/error.h"
#include "core/store/run_row.h"
#include "ui/base/latest_work.h"
#include "ui/models/run_texts.h"
#include "ui/pages/runs/mark_writer.h"
#include "ui/sources/run_catalog.h"

namespace cospadi::ui {

class CurveChart;
class HeatMap;
class ParallelCoordinates;
class RunActions;
class RunButtons;
class RunsComparison;
class RunsList;
class RunsTableModel;
class SweepView;

class RunsPage : public QWidget {
    Q_OBJECT

  public:
    explicit RunsPage(QWidget* parent = nullptr);

    // Reads run directories and index again, off the GUI thread.
    void refresh();
    // These are selected after the next refresh; none: those that are stay.
    void selectAfterRefresh(const QStringList& runs) { m_selectNext = runs; }

    void selectAll();                                      // that pass the filter
    void nameRun(const RunRow& run, const QString& name);  // empty: it has none of its own any more

    // What the window is asked to run, for the matrix of its sweep (sweep_view.h).
    void setAsked(const std::vector<RunRow>& asked);
    // This run belongs to the sweep of that name.
    void addToSweep(const QString& directory, const QString& sweep);

    RunsTableModel* model() const;
    RunsList* list() const { return m_list; }
    SweepView* sweepView() const;
    CurveChart* comparisonChart() const;
    HeatMap* errorMapView() const;
    ParallelCoordinates* parallelView() const;
    std::vector<RunRow> selectedRuns() const;  // in the order on screen; none selected: none

    // The table as on screen (selected rows, else all that pass the filter). format: "latex", "csv"
    // or "markdown".
    QString tableText(const QString& format) const;

  signals:
    void runsChanged(const std::vector<cospadi::RunRow>& runs);  // without archived ones
    void ratesChanged(const cospadi::MeasuredRates& rates);
    void patternRequested(const QString& directory);
    // Its curves and its log; name: what it is called.
    void monitorRequested(const QString& directory, const QString& name);
    void evaluationRequested(const std::vector<cospadi::RunRow>& runs);
    void resumeRequested(const cospadi::RunRow& run);
    void planRequested(const cospadi::RunRow& run);
    void exported(const QString& path);
    void exportFailed(const QString& problem);
    void smallRunWanted();
    void sweepWanted();
    void problem(const QString& what, const QString& where, const QString& hint);

  private:
    void addButtons();
    void connectComparison();
    void connectMarks();
    void connectActions();
    void pin(const QString& run);  // as the baseline; empty: none
    void announceRuns();
    void showCatalog(RunCatalog catalog, std::vector<RunTexts> texts);
    void compareSelected();
    std::vector<RunRow> selectedFinished() const;
    void exportTable(const QString& format, const QString& suffix);
    void tell(const Error& error);

    RunsList* m_list;
    RunsComparison* m_comparison;
    RunActions* m_actions;
    RunButtons* m_buttons;
    MarkWriter m_marks;
    QStringList m_selectNext;
    LatestWork m_comparing;
    bool m_reading = false;
    bool m_readAgain = false;
    bool m_isRefreshDue = false;  // once nothing is being typed into the table
};

}  // namespace cospadi::ui
