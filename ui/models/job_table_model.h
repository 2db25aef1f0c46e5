// Runs that wait, go on or are done, one row each: the grid of a plan before anything starts, and
// the queue afterwards.
#pragma once

#include <QAbstractTableModel>
#include <QList>
#include <QString>

#include "ui/engine/run_queue.h"

namespace cospadi::ui {

class JobTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        StateColumn,
        MethodColumn,
        LayersColumn,
        CrColumn,
        RhoColumn,
        IterationsColumn,
        SeedColumn,
        BytesColumn,
        TimeColumn,
        ColumnCount
    };

    explicit JobTableModel(QObject* parent = nullptr);

    void setJobs(const QList<Job>& jobs);
    const QList<Job>& jobs() const { return m_jobs; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QString text(const Job& job, int column) const;

    QList<Job> m_jobs;
};

}  // namespace cospadi::ui
