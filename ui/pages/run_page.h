// The Run page: the error of every matrix iteration by iteration, atom usage, the matrices done so
// far, and the log; live while a run goes on, and left standing after it.
#pragma once

#include <QHash>
#include <QWidget>

#include "ui/engine/run_controller.h"

class QCheckBox;
class QLabel;
class QPlainTextEdit;
class QTableView;

namespace cospadi::ui {

class Card;
class CurveChart;
class MatrixTableModel;
class UsageChart;

class RunPage : public QWidget {
    Q_OBJECT

  public:
    explicit RunPage(RunController* run, QWidget* parent = nullptr);

    CurveChart* errorChart() const { return m_errors; }
    CurveChart* usageChart() const;
    QStringList highlighted() const;  // matrices whose curves are coloured

  signals:
    void exported(const QString& path);
    void exportFailed(const QString& problem);

  private:
    Card* makeErrorCard();
    void showTrace();
    void showErrors();
    void showUsage();
    void exportChart(CurveChart* chart, const QString& name);

    RunController* m_run;
    MatrixTableModel* m_matrices;
    CurveChart* m_errors;
    UsageChart* m_usage;
    Card* m_errorCard;
    Card* m_usageCard;
    QLabel* m_usageFacts;
    QCheckBox* m_logarithmic;
    QTableView* m_table;
    QPlainTextEdit* m_log;
    int m_usageOf = -1;              // index of the matrix whose usage is followed
    QHash<QString, int> m_colourOf;  // matrix → index of its series colour
};

}  // namespace cospadi::ui
