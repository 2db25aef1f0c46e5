// What the dictionary and the codes of a finished matrix tell beyond the pattern: how often atoms
// are used, how large coefficients are, how alike atoms are, and which are used together; and what
// belongs to one atom or column.
#pragma once

#include <QTabWidget>

#include "ui/charts/chart_export.h"
#include "ui/sources/pattern_source.h"

namespace cospadi::ui {

class ChosenEntries;
class CurveChart;
class PatternView;
class UsageChart;

class PatternCharts : public QTabWidget {
    Q_OBJECT

  public:
    explicit PatternCharts(QWidget* parent = nullptr);

    void showPattern(const PatternData& shown);  // k = 0: nothing
    // Of the tab in front.
    ExportSource exportSource(const QString& matrix) const;

    CurveChart* coefficients() const { return m_coefficients; }
    CurveChart* coherence() const { return m_coherence; }
    PatternView* coOccurrence() const { return m_together; }
    ChosenEntries* chosenEntries() const { return m_chosen; }

  private:
    UsageChart* m_usage;
    CurveChart* m_coefficients;
    CurveChart* m_coherence;
    PatternView* m_together;
    ChosenEntries* m_chosen;
};

}  // namespace cospadi::ui
