// What parallel coordinates show and how: which axes, in which order, and by which of them lines
// are coloured. Remembered in the window's settings (runs/parallel). GUI thread only.
#pragma once

#include <QStringList>
#include <QWidget>

#include "core/report/chart_choice.h"
#include "ui/models/parallel_lines.h"

class QComboBox;
class QMenu;
class QToolButton;

namespace cospadi::ui {

class ParallelBar : public QWidget {
    Q_OBJECT

  public:
    explicit ParallelBar(QWidget* parent = nullptr);

    void setAxes(const QList<ParallelAxis>& axes);  // those there are, arranged
    void move(int from, int to);                    // among those on show
    // By the words of the axes.
    QStringList order() const { return m_order; }
    QStringList hidden() const { return m_hidden; }
    QString colour() const;  // empty: none
    ParallelChoice choice() const;
    void choose(const ParallelChoice& choice);  // says so, where it is another one

  signals:
    void chosen();

  private:
    void fill();
    bool leavesOut(const ParallelAxis& axis) const;
    void keep();

    QList<ParallelAxis> m_there;
    QStringList m_order;
    QStringList m_hidden;
    QString m_wantedColour;  // also while no run has it
    QToolButton* m_axes;
    QMenu* m_menu;
    QComboBox* m_colour;
};

}  // namespace cospadi::ui
