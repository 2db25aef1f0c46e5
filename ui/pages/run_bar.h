// The strip above the pages: Run, Pause, Cancel, how far the run is, and the command line that does
// the same without a window.
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

    // problem: why nothing can be started; empty where a run can.
    void setPlan(const QString& command, const QString& problem);
    QString command() const;

  signals:
    void runRequested();

  private:
    void showState();
    void showProgress();

    RunController* m_run;
    QString m_problem;
    QPushButton* m_start;
    QPushButton* m_pause;
    QPushButton* m_cancel;
    QProgressBar* m_bar;
    QLabel* m_status;
    QLineEdit* m_command;
};

}  // namespace cospadi::ui
