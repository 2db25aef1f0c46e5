// The matrices of the run that goes on, one row each in order of their start: state, error, atoms,
// bytes and seconds. Follows a RunTrace that its owner keeps; call sync() after the trace changed.
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QHash>

#include "ui/engine/run_trace.h"

namespace cospadi::ui {

class MatrixTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { NameColumn, ErrorColumn, DeadColumn, SizeColumn, TimeColumn, ColumnCount };

    // The trace must outlive the model.
    explicit MatrixTableModel(const RunTrace* trace, QObject* parent = nullptr);

    void setTrace(const RunTrace* trace);  // which must outlive it as well
    void sync();
    // Colours of the highlighted curves, by name: drawn as a swatch beside the name.
    void setColours(const QHash<QString, QColor>& colours);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    const RunTrace* m_trace;
    int m_rows = 0;
    int m_touched = 0;  // rows before this one are finished and were announced
    QHash<QString, QColor> m_colours;
};

}  // namespace cospadi::ui
