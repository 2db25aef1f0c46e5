// The runs in groups that agree in one column: a tree of two levels over a RunsTableModel, or the
// flat list where nothing is grouped by. A group says how many runs it has and the best error and
// perplexity among them, that of a sweep also which share of them is finished. Runs keep all
// columns and roles of their own model.
#pragma once

#include <QAbstractProxyModel>
#include <QHash>
#include <QList>
#include <QString>

namespace cospadi::ui {

class RunsTableModel;

class GroupedRunsModel : public QAbstractProxyModel {
    Q_OBJECT

  public:
    explicit GroupedRunsModel(RunsTableModel* runs, QObject* parent = nullptr);

    static constexpr int kNoGroups = -1;
    static constexpr const char* kSweepKey = "sweep";  // of the column of sweeps
    // 0 to 1, of the group of a sweep, in the column of names.
    static constexpr int ProgressRole = Qt::UserRole + 100;
    void setGroupColumn(int column);
    void regroup();  // a mark may have put a run into another group
    // Runs of sweeps that were asked for and have not begun, by the sweep's name: a group of a
    // sweep counts them.
    void setWaiting(const QHash<QString, int>& bySweep);
    bool isGrouped() const { return m_column != kNoGroups; }
    bool isGroup(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    QModelIndex mapToSource(const QModelIndex& index) const override;
    QModelIndex mapFromSource(const QModelIndex& index) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  private:
    struct Group {
        QString name;
        QVariant sortValue;
        QList<int> rows;  // of the source
        int finished = 0;
        double bestError;
        double bestPerplexity;
    };

    void rebuild();
    bool groupsSweeps() const;
    int waitingIn(const Group& group) const;
    QVariant progressOf(const Group& group) const;

    RunsTableModel* m_runs;
    int m_column = kNoGroups;
    QHash<QString, int> m_waiting;
    QList<Group> m_groups;
    QList<QPair<int, int>> m_places;  // of each source row: its group, and its place in there
};

}  // namespace cospadi::ui
