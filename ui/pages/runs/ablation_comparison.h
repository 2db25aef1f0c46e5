// An ablation of runs as plots: asked for, and drawn when it is found. One plot stands in the chart
// that other comparisons are drawn in, several beside each other; results of the paper's tables lie
// over it where it prints the same metric. What is plotted says the bar (ablation_bar.h). The
// widgets belong to whoever lays them out. GUI thread only.
#pragma once

#include <QColor>
#include <QHash>
#include <QObject>
#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/store/run_row.h"
#include "ui/base/latest_work.h"
#include "ui/models/error_words.h"
#include "ui/models/found_ablation.h"

class QWidget;

namespace cospadi::ui {

class AblationBar;
class CurveChart;
class PaperMenu;
class SmallMultiples;

struct DrawnAblation {
    QWidget* where = nullptr;  // the chart or the plots beside each other
    bool isEmpty = false;
    QString note;  // what is to be said about it
};

class AblationComparison : public QObject {
    Q_OBJECT

  public:
    // chart: outlives it.
    explicit AblationComparison(CurveChart* chart, QObject* parent = nullptr);

    AblationBar* bar() const { return m_bar; }  // with the menu of the paper's results
    SmallMultiples* multiples() const { return m_multiples; }

    // Of the selected runs or, where none is, of all on show.
    void ask(const std::vector<RunRow>& selected, const std::vector<RunRow>& onShow,
             const std::optional<RunRow>& pinned);
    DrawnAblation draw();  // what was found last

  signals:
    void chosen();  // something else is to be plotted
    void found();
    void coloured(const QHash<QString, QColor>& runs);  // as draw() draws them

  private:
    QString emptyText(const std::string& y) const;

    LatestWork m_finding;
    FoundAblation m_found;
    qsizetype m_allOnShow = 0;  // runs that were asked for because none was selected
    ErrorKind m_errors = ErrorKind::Mixed;
    CurveChart* m_chart;
    AblationBar* m_bar;
    PaperMenu* m_paper;
    SmallMultiples* m_multiples;
};

}  // namespace cospadi::ui
