// The stored runs as a table: one row a run, newest first, columns as in the paper's tables.
// SortRole gives numbers for numbers; sort and filter with a QSortFilterProxyModel.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

class RunsTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        NameColumn,
        StatusColumn,
        MethodColumn,
        LayersColumn,
        CrColumn,
        RhoColumn,
        BytesColumn,
        RatioColumn,
        ErrorColumn,
        PerplexityColumn,
        SecondsColumn,
        DateColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole, IdRole };

    explicit RunsTableModel(QObject* parent = nullptr);

    void setRuns(std::vector<RunRow> runs);
    const std::vector<RunRow>& runs() const { return m_runs; }
    const RunRow& run(int row) const { return m_runs[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QVariant sortValue(int row, int column) const;
    QString displayText(int row, int column) const;

    std::vector<RunRow> m_runs;
    std::vector<QString> m_methods;  // labels of m_runs: sorting asks for them over and over
};

// The latest perplexity of a run; NaN where it was never measured.
double perplexityOf(const RunRow& run);

}  // namespace cospadi::ui
