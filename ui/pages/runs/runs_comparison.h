// The lower half of the Runs page: one chart that compares the selected runs, chosen from a list;
// results of the paper's tables laid over where it prints the same metric; and parallel coordinates
// of all runs on show, whose brushes filter the table.
#pragma once

#include <QSet>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/report/published.h"
#include "ui/models/comparison_curves.h"
#include "ui/models/metric_curves.h"

class QComboBox;
class QMenu;
class QStackedWidget;
class QToolButton;

namespace cospadi::ui {

class Card;
class CurveChart;
class HeatMap;
class ParallelCoordinates;

class RunsComparison : public QWidget {
    Q_OBJECT

  public:
    explicit RunsComparison(QWidget* parent = nullptr);

    // stored: all there are, for the metrics to choose from.
    void setStored(const std::vector<RunRow>& stored);
    void setOnShow(const std::vector<RunRow>& runs);  // that pass the filter, whatever is brushed
    void setSelected(const std::vector<RunRow>& runs);
    void setCompared(std::vector<RunCurves> curves);  // the selected runs, read from disk

    Comparison comparison() const;
    CurveChart* chart() const { return m_chart; }
    HeatMap* map() const { return m_map; }
    ParallelCoordinates* parallel() const { return m_parallel; }

  signals:
    void brushed(const std::optional<QSet<QString>>& runs);  // no value: nothing is brushed
    void exported(const QString& path);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    std::string chosenMetric() const;
    void fillMetrics();
    void fillPublished(const QList<PublishedCurve>& curves);
    void draw();
    void drawCurves();
    void drawParallel();
    void choose();

    std::vector<PublishedTable> m_published;
    std::vector<RunRow> m_stored;
    std::vector<RunRow> m_onShow;
    std::vector<RunCurves> m_compared;
    QSet<QString> m_selected;
    QSet<QString> m_overlaid;  // keys of published curves
    Card* m_card;
    QComboBox* m_comparison;
    QComboBox* m_metric;
    QToolButton* m_paper;
    QMenu* m_paperMenu;
    CurveChart* m_chart;
    HeatMap* m_map;
    ParallelCoordinates* m_parallel;
    QStackedWidget* m_shown;
};

}  // namespace cospadi::ui
