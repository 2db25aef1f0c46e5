// The runs that a table or figure of the paper needs, a row each: what there is of it, what it will
// take, and, while they are made, what became of it.
#pragma once

#include <QAbstractTableModel>
#include <QMap>
#include <QString>

#include "core/reproduce/reproduction_plan.h"

namespace cospadi::ui {

class ReproductionPlanModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        StateColumn,
        RunColumn,
        MatricesColumn,
        BytesColumn,
        MemoryColumn,
        CompressColumn,
        MeasureColumn,
        ColumnCount
    };

    explicit ReproductionPlanModel(QObject* parent = nullptr);

    void setPlan(ReproductionPlan plan);
    const ReproductionPlan& plan() const { return m_plan; }
    // Of runs by their number, in the place of the plan's; holes: why one is missing.
    void setStates(const QMap<int, QString>& states, const QMap<int, QString>& holes);

    // How many runs are missing, and what is left to do takes.
    QString summary() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

  private:
    QString state(int row) const;
    QString text(int row, int column) const;

    ReproductionPlan m_plan;
    QMap<int, QString> m_states;
    QMap<int, QString> m_holes;
};

}  // namespace cospadi::ui
