// What stands above the table of runs: the filter, the View menu, the marks, and whether only the
// columns are shown in which runs differ. Buttons of the page may follow.
#pragma once

#include <QWidget>
#include <set>
#include <string>

class QHBoxLayout;
class QLineEdit;
class QMenu;
class QToolButton;

namespace cospadi::ui {

class RunMarkButton;

class RunsToolbar : public QWidget {
    Q_OBJECT

  public:
    explicit RunsToolbar(QWidget* parent = nullptr);

    QHBoxLayout* row() const { return m_row; }
    RunMarkButton* marks() const { return m_marks; }
    bool onlyDiffering() const;
    QString filter() const;
    void setFilter(const QString& text);
    // What can stand before a relation, to be completed as it is typed.
    void setFields(const std::set<std::string>& names);

  signals:
    void filterChanged(const QString& words);
    void onlyDifferingToggled();
    void viewMenuWanted(QMenu* menu);  // empty; it is about to be shown

  private:
    QHBoxLayout* m_row;
    QLineEdit* m_filter;
    RunMarkButton* m_marks;
    QToolButton* m_differing;
};

}  // namespace cospadi::ui
