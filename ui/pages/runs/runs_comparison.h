// The lower half of the Runs page: one chart that compares the selected runs, chosen from a list;
// an ablation of them, or of all on show, of any value over any setting (ablation_bar.h) with
// results of the paper's tables laid over where it prints the same metric; parallel coordinates of
// all runs on show, whose brushes filter the table; and a sweep as a matrix that fills.
#pragma once

#include <QSet>
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/models/comparison_curves.h"

class QHBoxLayout;
class QStackedWidget;

namespace cospadi::ui {

class AblationBar;
class AblationComparison;
class Card;
class ComparisonBox;
class CurveChart;
class EmptyState;
class ErrorMaps;
class ParallelBar;
class ParallelComparison;
class ParallelCoordinates;
class SmallMultiples;
class SweepView;

class RunsComparison : public QWidget {
    Q_OBJECT

  public:
    explicit RunsComparison(QWidget* parent = nullptr);

    // stored: all there are, for the metrics to choose from.
    void setStored(const std::vector<RunRow>& stored);
    void setOnShow(const std::vector<RunRow>& runs);  // that pass the filter, whatever is brushed
    void setSelected(const std::vector<RunRow>& runs);
    // The selected runs, read from disk; of very many the first.
    void setCompared(std::vector<RunCurves> curves);
    void setUnreadable();  // they were not read: those before them do not stay
    // Whether what is chosen draws them: the other comparisons need no file of a run.
    bool needsFiles() const;
    static constexpr std::size_t kMostRead = 100;  // runs: more lines than that are a thicket

    void redraw() { draw(); }  // a run looks or is called otherwise now
    Comparison comparison() const;
    void setComparison(Comparison comparison);
    // For what belongs to all comparisons.
    QHBoxLayout* headerRow() const;
    AblationBar* bar() const;
    SmallMultiples* multiples() const;
    CurveChart* chart() const { return m_chart; }
    ErrorMaps* maps() const { return m_maps; }
    ParallelBar* parallelBar() const;
    ParallelCoordinates* parallel() const;
    SweepView* sweep() const { return m_sweep; }

  signals:
    void brushed(const std::optional<QSet<QString>>& runs);  // no value: nothing is brushed
    void coloured(const QHash<QString, QColor>& runs);  // as they are drawn; empty: not one by one
    void filesWanted();  // needsFiles() is true now, or another comparison needs them
    void exported(const QString& path);
    void runWanted(const QString& directory, const QString& name);  // of a sweep
    void smallRunWanted();                                          // where no run is stored
    void sweepWanted();                                             // where none has a name

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void draw();
    // Or, where it is empty and no run is stored, what says so.
    void showChart(QWidget* chart, bool isEmpty);
    void drawCurves();
    void drawParallel();
    void drawAblation();
    void choose();

    std::vector<RunRow> m_stored;
    std::vector<RunRow> m_onShow;
    std::vector<RunRow> m_selectedRows;
    std::vector<RunCurves> m_compared;
    bool m_isUnreadable = false;
    Card* m_card;
    ComparisonBox* m_comparison;
    EmptyState* m_noRuns;
    CurveChart* m_chart;
    AblationComparison* m_ablation;
    ErrorMaps* m_maps;
    ParallelComparison* m_parallel;
    SweepView* m_sweep;
    QStackedWidget* m_shown;
};

}  // namespace cospadi::ui
