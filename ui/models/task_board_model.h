// Accuracy by model and task: what is recorded with the runs, and above it, moving, what is being
// evaluated now. Values carry their 95 % interval: accuracies by Wilson's formula,
// perplexities 1.96 standard errors.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "core/store/run_row.h"
#include "ui/engine/task_queue.h"

namespace cospadi::ui {

// "dense", "cospadi (fast), CR 0.20": what a run is called where models are compared.
QString evaluatedModelLabel(const RunRow& run);

// Results of one task that belong together.
struct TaskBoardRow {
    QString model;      // label
    QString directory;  // of the run; empty while it is not recorded
    QString task;
    qint64 items = 0;
    qint64 shots = -1;  // -1: unknown
    QString version;
    QString dataSha256;
    QString evaluation;  // file in evaluations/
    QList<TaskMetricValue> metrics;
    QString state;  // empty for what is recorded
};

class TaskBoardModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        ModelColumn,
        TaskColumn,
        AccuracyColumn,
        NormalisedColumn,
        PerplexityColumn,
        ItemsColumn,
        StateColumn,
        ColumnCount
    };
    static constexpr int SortRole = Qt::UserRole;

    explicit TaskBoardModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setStored(const std::vector<RunRow>& runs);
    void setJobs(const QList<TaskJob>& jobs);
    const TaskBoardRow& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    const std::vector<TaskBoardRow>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    void join();

    std::vector<TaskBoardRow> m_live;
    std::vector<TaskBoardRow> m_stored;
    std::vector<TaskBoardRow> m_rows;
};

}  // namespace cospadi::ui
