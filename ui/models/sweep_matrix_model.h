// A sweep as a table (core/report/sweep_matrix.h): a run a cell, in it the value that was chosen or
// how far the run is, told apart by words and colours. StatusRole and DirectoryRole say what a
// click is about. Cells change in place while the rows and columns stay.
#pragma once

#include <QAbstractTableModel>
#include <QString>

#include "core/report/sweep_matrix.h"

namespace cospadi::ui {

inline const QString kStatusMetric = QStringLiteral("status");  // words alone

class SweepMatrixModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role { StatusRole = Qt::UserRole, DirectoryRole, NameRole };

    explicit SweepMatrixModel(QObject* parent = nullptr);

    // metric: what the values are of, kStatusMetric: no values.
    void setMatrix(SweepMatrix matrix, const QString& metric);
    const SweepMatrix& matrix() const { return m_matrix; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    const SweepCell& cell(const QModelIndex& index) const;
    QString text(const SweepCell& cell) const;
    QString toolTip(const QModelIndex& index) const;
    bool isBest(const SweepCell& cell) const;

    SweepMatrix m_matrix;
    QString m_metric;
};

}  // namespace cospadi::ui
