// How often the atoms of a matrix are used: the one that is chosen, else one that is in work, which
// is followed until it is finished and the next has something to show.
#pragma once

#include "ui/engine/run_trace.h"
#include "ui/widgets/card.h"

class QLabel;

namespace cospadi::ui {

class UsageChart;

class UsageCard : public Card {
    Q_OBJECT

  public:
    explicit UsageCard(QWidget* parent = nullptr);

    // chosen: index of a matrix of the trace, or −1.
    void showUsage(const RunTrace& trace, int chosen);
    void startOver() { m_followed = -1; }  // another trace comes next
    UsageChart* chart() const { return m_chart; }

  signals:
    void exported(const QString& path);

  private:
    UsageChart* m_chart;
    QLabel* m_facts;
    int m_followed = -1;  // index of a matrix
};

}  // namespace cospadi::ui
