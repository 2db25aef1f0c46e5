// The strip above the pages: Run with what it will take, Pause, Cancel, how far the run is, and the
// command line that does the same without a window.
#pragma once

#include <QWidget>

#include "ui/engine/run_controller.h"

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace cospadi::ui {

class RunBar : public QWidget {
    Q_OBJECT

  public:
    explicit RunBar(RunController* run, QWidget* parent = nullptr);

    // problem: why nothing can be started; empty where a run can. jobs: how many runs it makes.
    // cost: what it will take, in two lines (totalsWords()).
    void setPlan(const QString& command, const QString& problem, int jobs = 1,
                 const QStringList& cost = {});
    void setWaiting(int runs, double seconds);  // in the queue; seconds negative while unknown
    QString command() const;
    QString cost() const;  // as it stands beside the button

  signals:
    void runRequested();

  private:
    void showState();
    void showButtons();
    void showEnding();
    void showProgress();

    RunController* m_run;
    QString m_problem;
    int m_waiting = 0;
    double m_waitingSeconds = -1;
    QPushButton* m_start;
    QLabel* m_cost;
    QPushButton* m_pause;
    QPushButton* m_cancel;
    QProgressBar* m_bar;
    QLabel* m_status;
    QLabel* m_label;
    QLineEdit* m_command;
};

}  // namespace cospadi::ui
