// A sweep as a matrix that fills (core/report/sweep_matrix.h): which one, what stands in its cells
// (the status, or any measured value that its runs have), and which of its settings stand down and
// across. Kept with the window's settings (runs/sweep).
// The settings of runs are read on a pool thread. GUI thread only.
#pragma once

#include <QWidget>
#include <vector>

#include "core/report/chart_choice.h"
#include "core/store/run_row.h"
#include "ui/base/latest_work.h"
#include "ui/charts/chart_export.h"
#include "ui/models/sweep_matrix_model.h"

class QComboBox;
class QTableView;

namespace cospadi::ui {

class EmptyState;

class SweepView : public QWidget {
    Q_OBJECT

  public:
    explicit SweepView(QWidget* parent = nullptr);

    // stored: newest first.
    void setRuns(const std::vector<RunRow>& stored);
    // What the window is asked to run: rows with status waiting or running, tagged with their
    // sweep, without an id until they are stored.
    void setAsked(const std::vector<RunRow>& asked);
    // Nothing where there is no sweep of this name.
    void choose(const QString& sweep);
    void choose(const SweepChoice& choice);
    SweepChoice choice() const;

    const SweepMatrixModel* model() const { return m_model; }
    QString note() const { return m_note; }
    ExportSource exportSource() const;
    bool isBusy() const { return m_filling.isBusy(); }

  signals:
    void sweepWanted();  // where none has a name yet
    void filled();
    void opened(const QString& directory, const QString& name);  // a click, or Enter

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void listSweeps();
    void fill();
    void showMatrix(SweepMatrix matrix);
    void keepChoice();
    void open(const QModelIndex& index);
    QComboBox* makeBox(const QString& label, const char* name, const QString& help);

    std::vector<RunRow> m_stored;  // those of a sweep
    std::vector<RunRow> m_asked;
    LatestWork m_filling;
    QComboBox* m_sweep;
    QComboBox* m_metric;
    QComboBox* m_rows;
    QComboBox* m_columns;
    QTableView* m_table;
    SweepMatrixModel* m_model;
    EmptyState* m_message;
    QString m_note;
};

}  // namespace cospadi::ui
