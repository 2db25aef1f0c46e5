// A table for a paper as a Qt model: cells rounded as they are printed, the best bold, the second
// underlined, numbers to the right. Headings and texts can be edited, which renames them wherever
// they stand; the table itself is changed by whoever hears of it.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/report/report_table.h"

namespace cospadi::ui {

class ReportTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role {
        SharedHeadingRole = Qt::UserRole,  // of a column: what stands over it and its neighbours
        RuleAboveRole                      // of a cell: true where another block of rows begins
    };

    explicit ReportTableModel(QObject* parent = nullptr);

    void setTable(ReportTable table);
    const ReportTable& table() const { return m_table; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  signals:
    void renamed(const QString& shown, const QString& wanted);

  private:
    bool isText(const QModelIndex& index) const;
    Qt::Alignment alignmentOf(int column) const;

    ReportTable m_table;
    std::vector<std::vector<int>> m_ranks;
};

}  // namespace cospadi::ui
