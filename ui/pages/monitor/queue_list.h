// The runs that wait, go on and are over, in their order, with what moves, removes and holds them.
#pragma once

#include <QWidget>

#include "ui/engine/run_queue.h"

class QLabel;
class QPushButton;
class QTableView;

namespace cospadi::ui {

class JobTableModel;

class QueueList : public QWidget {
    Q_OBJECT

  public:
    explicit QueueList(RunQueue* queue, QWidget* parent = nullptr);

  private:
    void showJobs();
    void showButtons();
    void moveChosen(int by);
    void choose(int job);   // by its id; nothing where it is not there
    int chosenJob() const;  // its id; 0 where none is chosen

    RunQueue* m_queue;
    JobTableModel* m_jobs;
    QTableView* m_table;
    QLabel* m_state;
    QPushButton* m_earlier;
    QPushButton* m_later;
    QPushButton* m_remove;
    QPushButton* m_hold;
};

}  // namespace cospadi::ui
