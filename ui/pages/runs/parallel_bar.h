// What parallel coordinates show and how: which axes, in which order, and by which of them lines
// are coloured. Remembered in the window's settings (runs/parallel). GUI thread only.
#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;
class QMenu;
class QToolButton;

namespace cospadi::ui {

class ParallelBar : public QWidget {
    Q_OBJECT

  public:
    explicit ParallelBar(QWidget* parent = nullptr);

    void setAxes(const QStringList& names);  // those there are, arranged
    void move(int from, int to);             // among those on show
    QStringList order() const { return m_order; }
    QStringList hidden() const { return m_hidden; }
    QString colour() const;  // name of an axis; empty: none

  signals:
    void chosen();

  private:
    void keep();

    QStringList m_names;
    QStringList m_order;
    QStringList m_hidden;
    QString m_wantedColour;  // also while no run has it
    QToolButton* m_axes;
    QMenu* m_menu;
    QComboBox* m_colour;
};

}  // namespace cospadi::ui
