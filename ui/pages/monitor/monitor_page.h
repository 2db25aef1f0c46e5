// The Monitor page: the error of every matrix iteration by iteration, atom usage, the matrices done
// so far, and the log; live while a run goes on, and left standing after it. An earlier run can be
// opened in its place, or stand as a reference below it (earlier_runs.h); a run that starts comes
// back to the front.
#pragma once

#include <QHash>
#include <QWidget>

#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QStackedWidget;
class QTableView;
class QTabWidget;

namespace cospadi::ui {

class Card;
class CurveChart;
class EarlierRuns;
class JobTableModel;
class MatrixTableModel;
class UsageChart;

class MonitorPage : public QWidget {
    Q_OBJECT

  public:
    MonitorPage(RunController* run, RunQueue* queue, QWidget* parent = nullptr);

    EarlierRuns* earlier() const { return m_earlier; }
    CurveChart* errorChart() const { return m_errors; }
    CurveChart* usageChart() const;
    QStringList highlighted() const;  // matrices whose curves are coloured

  signals:
    void exported(const QString& path);
    void smallRunWanted();  // where nothing has run yet

  protected:
    void changeEvent(QEvent* event) override;

  private:
    Card* makeErrorCard();
    QWidget* makeMatrices();
    QWidget* makeQueue();
    QWidget* makeFirstRun();
    QPlainTextEdit* makeLog(const QString& objectName, const QString& words) const;
    void showQueue();
    void moveJob(int by);
    void choose(int job);           // by its id; nothing where it is not there
    int chosenJob() const;          // its id; 0 where none is chosen
    const RunTrace& trace() const;  // of the run on show
    void turnToOpened();
    void showTrace();
    void showEmptyWords();
    void showErrors();
    void showUsage();

    RunController* m_run;
    RunQueue* m_queue;
    MatrixTableModel* m_matrices;
    CurveChart* m_errors;
    UsageChart* m_usage;
    QWidget* m_firstRun;  // offers one
    Card* m_errorCard;
    Card* m_usageCard;
    QLabel* m_usageFacts;
    QCheckBox* m_logarithmic;
    QTableView* m_table;
    EarlierRuns* m_earlier;
    QPlainTextEdit* m_log;
    QPlainTextEdit* m_openedLog;
    QStackedWidget* m_logs;
    QTabWidget* m_tabs;
    JobTableModel* m_jobs;
    QTableView* m_jobTable;
    QLabel* m_queueState = nullptr;
    int m_usageOf = -1;              // index of the matrix whose usage is followed
    QHash<QString, int> m_colourOf;  // matrix → index of its series colour
};

}  // namespace cospadi::ui
