// The jobs of a sweep on a cluster, one row each.
#pragma once

#include <QAbstractTableModel>
#include <QList>

#include "ui/cluster/cluster_sweeps.h"

namespace cospadi::ui {

class ClusterJobModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        StateColumn,
        TitleColumn,
        MatricesColumn,
        PerplexityColumn,
        WordsColumn,
        Columns
    };

    explicit ClusterJobModel(QObject* parent = nullptr);

    void setJobs(const QList<ClusterJob>& jobs);
    const QList<ClusterJob>& jobs() const { return m_jobs; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QString text(const ClusterJob& job, int column) const;

    QList<ClusterJob> m_jobs;
};

}  // namespace cospadi::ui
