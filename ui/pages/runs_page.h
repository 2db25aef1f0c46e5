// The Runs page: every stored run in a table that sorts and filters, a chart that compares those
// selected, tables for papers, and perplexity measured on demand.
#pragma once

#include <QWidget>
#include <vector>

#include "core/store/run_row.h"
#include "ui/sources/run_catalog.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;

namespace cospadi::ui {

class Card;
class CurveChart;
class HeatMap;
class RunsTableModel;

class RunsPage : public QWidget {
    Q_OBJECT

  public:
    explicit RunsPage(QWidget* parent = nullptr);

    // Reads run directories and index again, off the GUI thread.
    void refresh();
    // `run` is selected after the next refresh.
    void selectAfterRefresh(const QString& runId) { m_selectNext = runId; }

    void selectAll();  // that pass the filter

    RunsTableModel* model() const { return m_model; }
    CurveChart* comparisonChart() const { return m_chart; }
    HeatMap* errorMapView() const { return m_map; }
    std::vector<RunRow> selectedRuns() const;  // in the order on screen; none selected: none

    // The table as on screen (selected rows, else all that pass the filter). format: "latex", "csv"
    // or "markdown".
    QString tableText(const QString& format) const;

  signals:
    void runsChanged(const std::vector<cospadi::RunRow>& runs);
    void patternRequested(const QString& directory);
    void evaluationRequested(const cospadi::RunRow& run);
    void resumeRequested(const cospadi::RunRow& run);
    void planRequested(const cospadi::RunRow& run);
    void exported(const QString& path);
    void exportFailed(const QString& problem);
    void problem(const QString& what, const QString& where, const QString& hint);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    QWidget* makeToolbar();
    void showCatalog(RunCatalog catalog);
    void compareSelected();
    void drawComparison();
    void updateButtons();
    void exportTable(const QString& format, const QString& suffix);

    RunsTableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QLineEdit* m_filter;
    QLabel* m_count;
    QPushButton* m_plan;
    QPushButton* m_resume;
    QPushButton* m_evaluate;
    QComboBox* m_comparison;
    Card* m_chartCard;
    CurveChart* m_chart = nullptr;
    HeatMap* m_map;
    QStackedWidget* m_shown;
    std::vector<RunCurves> m_compared;
    QString m_selectNext;
    std::uint64_t m_generation = 0;
    bool m_reading = false;
    bool m_readAgain = false;
};

}  // namespace cospadi::ui
