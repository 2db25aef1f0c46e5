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
class ClusterList;
class ClusterSweeps;
class CurveChart;
class EarlierRuns;
class MatrixTableModel;
class UsageCard;
class UsageChart;

class MonitorPage : public QWidget {
    Q_OBJECT

  public:
    MonitorPage(RunController* run, RunQueue* queue, ClusterSweeps* clusters,
                QWidget* parent = nullptr);

    EarlierRuns* earlier() const { return m_earlier; }
    ClusterList* clusters() const { return m_clusters; }
    void showClusters();  // their list in front of the matrices
    CurveChart* errorChart() const { return m_errors; }
    UsageChart* usageChart() const;
    QStringList highlighted() const;  // matrices whose curves are coloured

  signals:
    void exported(const QString& path);
    void smallRunWanted();  // where nothing has run yet

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void countOnClusters();  // sweeps that are not over, on their tab
    Card* makeErrorCard();
    QWidget* makeMatrices();
    QWidget* makeFirstRun();
    QPlainTextEdit* makeLog(const QString& objectName, const QString& words) const;
    void countWaiting();            // runs in the queue, on its tab
    const RunTrace& trace() const;  // of the run on show
    void turnToOpened();
    void showTrace();
    void showEmptyWords();
    void showErrors();
    void showUsage();

    RunController* m_run;
    RunQueue* m_queue;
    ClusterSweeps* m_sweeps;
    MatrixTableModel* m_matrices;
    CurveChart* m_errors;
    UsageCard* m_usage;
    QWidget* m_firstRun;  // offers one
    Card* m_errorCard;
    QCheckBox* m_logarithmic;
    QTableView* m_table = nullptr;
    EarlierRuns* m_earlier;
    ClusterList* m_clusters;
    QPlainTextEdit* m_log;
    QPlainTextEdit* m_openedLog;
    QStackedWidget* m_logs;
    QTabWidget* m_tabs;
    int m_queueTab = 1;
    int m_clustersTab = 2;
    QHash<QString, int> m_colourOf;  // matrix → index of its series colour
};

}  // namespace cospadi::ui
