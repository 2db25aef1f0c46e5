// The buttons of the Runs page above the table: what is done with the selected runs, the table as a
// file, reading again. Asks for everything, does nothing itself.
#pragma once

#include <QWidget>
#include <vector>

#include "core/store/run_row.h"

class QMenu;
class QPushButton;
class QToolButton;

namespace cospadi::ui {

class RunButtons : public QWidget {
    Q_OBJECT

  public:
    explicit RunButtons(QWidget* parent = nullptr);

    // Those that are of no use with this selection are disabled.
    void setSelected(const std::vector<RunRow>& runs);

  signals:
    void planWanted();  // of the selected run, as the next
    void resumeWanted();
    void measureWanted();              // of those selected
    void moreMenuWanted(QMenu* menu);  // empty; it is about to be shown
    void tableWanted(const QString& format, const QString& suffix);
    void refreshWanted();

  private:
    QPushButton* makeTableButton();
    QToolButton* makeMoreButton();

    QPushButton* m_plan;
    QPushButton* m_resume;
    QPushButton* m_measure;
    QToolButton* m_more;
};

}  // namespace cospadi::ui
