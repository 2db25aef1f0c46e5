#include "ui/pages/runs/runs_tree.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSet>
#include <algorithm>

#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/sweep_progress.h"

namespace cospadi::ui {

RunsTree::RunsTree(const RunsTableModel* runs, RunsFilterModel* sorted, QWidget* parent)
    : QTreeView(parent), m_runs(runs), m_sorted(sorted) {
    setObjectName(QStringLiteral("runsTable"));
    setAccessibleName(tr("Stored runs"));
    setModel(sorted);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setSortingEnabled(true);
    sortByColumn(RunsTableModel::DateColumn, Qt::DescendingOrder);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    setAlternatingRowColors(true);
    setExpandsOnDoubleClick(false);
    setTextElideMode(Qt::ElideMiddle);
    setItemDelegateForColumn(RunsTableModel::NameColumn, new SweepProgress(this));
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QTreeView::customContextMenuRequested, this, [this](const QPoint& place) {
        if (!selectedRows().empty()) {
            emit menuWanted(viewport()->mapToGlobal(place));
        }
    });
    QHeaderView* titles = header();
    titles->setFirstSectionMovable(true);
    titles->setStretchLastSection(true);
    // Above the title: at its side it would cover the end of a number's.
    titles->setStyleSheet(
        QStringLiteral("QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: margin;"
                       " subcontrol-position: top center; width: 9px; height: 9px; }"));
    titles->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(titles, &QHeaderView::customContextMenuRequested, this,
            [this](const QPoint& place) { emit columnMenuWanted(header()->mapToGlobal(place)); });
    connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const int row = m_sorted->runRow(index);
        if (index.column() == RunsTableModel::StarColumn && row >= 0) {
            const RunRow& run = m_runs->run(row);
            emit starsWanted({QString::fromStdString(run.id)}, !run.starred);
        }
    });
    connect(this, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        const int row = m_sorted->runRow(index);
        const bool edits = index.column() == RunsTableModel::TagsColumn ||
                           index.column() == RunsTableModel::NoteColumn ||
                           index.column() == RunsTableModel::StarColumn;
        if (row >= 0 && !edits) {
            emit opened(m_runs->run(row));
        } else if (row < 0) {
            setExpanded(index.siblingAtColumn(0), !isExpanded(index.siblingAtColumn(0)));
        }
    });
}

void RunsTree::select(const QStringList& ids) {
    const QSet<QString> wanted(ids.begin(), ids.end());
    QItemSelection selection;
    const auto visit = [&](const auto& self, const QModelIndex& parent) -> void {
        for (int row = 0; row < m_sorted->rowCount(parent); ++row) {
            const QModelIndex index = m_sorted->index(row, 0, parent);
            if (wanted.contains(index.data(RunsTableModel::IdRole).toString())) {
                selection.select(index, index);
            }
            self(self, index);
        }
    };
    visit(visit, {});
    selectionModel()->select(selection,
                             QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

std::vector<int> RunsTree::selectedRows() const {
    QSet<int> chosen;
    for (const QModelIndex& index : selectionModel()->selectedRows()) {
        const QList<int> rows = m_sorted->runRowsIn(index);
        chosen.unite(QSet<int>(rows.begin(), rows.end()));
    }
    std::vector<int> rows;
    for (const int row : rowsOnShow()) {
        if (chosen.contains(row)) {
            rows.push_back(row);
        }
    }
    return rows;
}

QStringList RunsTree::selectedIds() const {
    QStringList ids;
    for (const int row : selectedRows()) {
        ids << QString::fromStdString(m_runs->run(row).id);
    }
    return ids;
}

QString RunsTree::currentId() const {
    return currentIndex().siblingAtColumn(0).data(RunsTableModel::IdRole).toString();
}

void RunsTree::setCurrent(const QString& id, int column) {
    const QModelIndexList found =
        m_sorted->match(m_sorted->index(0, 0), RunsTableModel::IdRole, id, 1,
                        Qt::MatchExactly | Qt::MatchCaseSensitive | Qt::MatchRecursive);
    if (!id.isEmpty() && !found.isEmpty()) {
        setAutoScroll(false);  // it may have been scrolled out of sight
        selectionModel()->setCurrentIndex(found.first().siblingAtColumn(column),
                                          QItemSelectionModel::NoUpdate);
        setAutoScroll(true);
    }
}

std::vector<int> RunsTree::rowsOnShow() const {
    std::vector<int> rows;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QList<int> inside = m_sorted->runRowsIn(m_sorted->index(row, 0));
        rows.insert(rows.end(), inside.begin(), inside.end());
    }
    return rows;
}

QStringList RunsTree::foldedGroups() const {
    QStringList names;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex index = m_sorted->index(row, 0);
        if (m_sorted->hasChildren(index) && !isExpanded(index)) {
            names << index.data(RunsTableModel::IdRole).toString();
        }
    }
    return names;
}

void RunsTree::fold(const QStringList& groups) {
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex group = m_sorted->index(row, 0);
        if (groups.contains(group.data(RunsTableModel::IdRole).toString())) {
            collapse(group);
        }
    }
}

// By the field itself: an edited row that the filter then hides takes it away unannounced.
bool RunsTree::isEditing() const {
    const auto fields = viewport()->findChildren<QLineEdit*>(Qt::FindDirectChildrenOnly);
    return std::any_of(fields.begin(), fields.end(),
                       [](const QLineEdit* field) { return !field->isHidden(); });
}

void RunsTree::closeEditor(QWidget* editor, QAbstractItemDelegate::EndEditHint hint) {
    QTreeView::closeEditor(editor, hint);
    emit editingEnded();
}

void RunsTree::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        const std::vector<int> rows = selectedRows();
        if (rows.size() == 1) {
            emit opened(m_runs->run(rows.front()));
            return;
        }
    }
    QTreeView::keyPressEvent(event);
}

}  // namespace cospadi::ui
