#include "ui/pages/runs/runs_list.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSettings>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/base/theme.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

namespace {

const char* const kGroupSetting = "runs/group";

}  // namespace

RunsList::RunsList(QWidget* parent)
    : QWidget(parent),
      m_runs(new RunsTableModel(this)),
      m_groups(new GroupedRunsModel(m_runs, this)),
      m_sorted(new RunsFilterModel(m_runs, m_groups, this)) {
    m_columns = rememberedColumns();
    m_groupKey = QSettings().value(QLatin1String(kGroupSetting)).toString();
    auto* card = new Card(tr("Stored runs"));
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("muted"));
    card->headerRow()->addWidget(m_count);
    m_table = makeTable();
    card->body()->addWidget(makeToolbar());
    card->body()->addWidget(m_table, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(card);

    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_sorted->setWords(text);
        m_table->expandAll();
        updateCount();
        emit onShowChanged();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_differing->isChecked()) {
            showColumns();
        }
        if (!m_quiet) {
            emit selectionChanged();
        }
    });
    connect(m_runs, &RunsTableModel::dataChanged, this, [this] {  // the archive mark, perhaps
        updateCount();
        emit onShowChanged();
    });
    connect(m_runs, &RunsTableModel::starWanted, this,
            [this](const QString& run, bool starred) { emit starsWanted({run}, starred); });
    connect(m_runs, &RunsTableModel::tagsWanted, this, &RunsList::tagsWanted);
    connect(m_runs, &RunsTableModel::noteWanted, this,
            [this](const QString& run, const QString& text) { emit noteWanted({run}, text); });
    showColumns();
}

QTreeView* RunsList::makeTable() {
    auto* table = new QTreeView;
    table->setObjectName(QStringLiteral("runsTable"));
    table->setAccessibleName(tr("Stored runs"));
    table->setModel(m_sorted);
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setSortingEnabled(true);
    table->sortByColumn(RunsTableModel::DateColumn, Qt::DescendingOrder);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    table->setAlternatingRowColors(true);
    table->setExpandsOnDoubleClick(false);
    table->setTextElideMode(Qt::ElideMiddle);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
    QHeaderView* header = table->header();
    header->setFirstSectionMovable(true);
    header->setStretchLastSection(true);
    // Above the title: at its side it would cover the end of a number's.
    header->setStyleSheet(
        QStringLiteral("QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: margin;"
                       " subcontrol-position: top center; width: 9px; height: 9px; }"));
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    table->installEventFilter(this);
    connect(header, &QHeaderView::sectionMoved, this, &RunsList::rememberColumns);
    connect(header, &QHeaderView::customContextMenuRequested, this, [this](const QPoint& place) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        fillColumnMenu(menu);
        menu->popup(m_table->header()->mapToGlobal(place));
    });
    connect(table, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const int row = m_sorted->runRow(index);
        if (index.column() == RunsTableModel::StarColumn && row >= 0) {
            const RunRow& run = m_runs->run(row);
            emit starsWanted({QString::fromStdString(run.id)}, !run.starred);
        }
    });
    connect(table, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
        const int row = m_sorted->runRow(index);
        const bool edits = index.column() == RunsTableModel::TagsColumn ||
                           index.column() == RunsTableModel::NoteColumn ||
                           index.column() == RunsTableModel::StarColumn;
        if (row >= 0 && !edits) {
            emit opened(m_runs->run(row));
        } else if (row < 0) {
            m_table->setExpanded(index.siblingAtColumn(0),
                                 !m_table->isExpanded(index.siblingAtColumn(0)));
        }
    });
    return table;
}

void RunsList::chooseGroup(const QString& key) {
    QSettings().setValue(QLatin1String(kGroupSetting), key);
    groupBy(key);
}

void RunsList::groupBy(const QString& key) {
    const QStringList ids = selectedIds();
    m_groupKey = key;
    int column = GroupedRunsModel::kNoGroups;
    for (int i = 0; i < m_runs->columnCount() && !key.isEmpty(); ++i) {
        column = m_runs->columnKey(i) == key ? i : column;
    }
    m_groups->setGroupColumn(column);
    m_table->setRootIsDecorated(column != GroupedRunsModel::kNoGroups);
    m_table->expandAll();
    showColumns();
    select(ids);
}

void RunsList::setCatalog(RunCatalog catalog) {
    const QStringList ids = selectedIds();
    const int scrolled = m_table->verticalScrollBar()->value();
    const QStringList folded = foldedGroups();
    const QScopedValueRollback quiet(m_quiet, true);
    const int known = m_runs->columnCount();
    m_warnings = catalog.warnings;
    m_runs->setRuns(std::move(catalog.runs), std::move(catalog.settings));
    sizeColumns(m_sized ? known : 0);
    m_sized = true;
    groupBy(m_groupKey);  // the columns may have moved
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex group = m_sorted->index(row, 0);
        if (folded.contains(group.data(RunsTableModel::IdRole).toString())) {
            m_table->collapse(group);
        }
    }
    select(ids);
    m_table->verticalScrollBar()->setValue(scrolled);
    updateCount();
    emit onShowChanged();
}

QStringList RunsList::foldedGroups() const {
    QStringList names;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QModelIndex index = m_sorted->index(row, 0);
        if (m_sorted->hasChildren(index) && !m_table->isExpanded(index)) {
            names << index.data(RunsTableModel::IdRole).toString();
        }
    }
    return names;
}

void RunsList::updateCount() {
    const auto archived = std::count_if(m_runs->runs().begin(), m_runs->runs().end(),
                                        [](const RunRow& run) { return run.archived; });
    const auto all = m_runs->rowCount() - (m_sorted->showsArchived() ? 0 : archived);
    const auto shown = m_groupKey.isEmpty() ? std::ptrdiff_t{m_sorted->rowCount()}
                                            : static_cast<std::ptrdiff_t>(rowsOnShow().size());
    QString text = all == 1 ? tr("1 run") : tr("%1 runs").arg(all);
    if (shown != all) {
        text = tr("%1 of %2").arg(shown).arg(text);
    }
    if (archived > 0 && !m_sorted->showsArchived()) {
        text += tr(", %1 archived").arg(archived);
    }
    if (!m_warnings.isEmpty()) {
        text += tr(", %1 passed over").arg(m_warnings.size());
    }
    m_count->setText(text);
    m_count->setToolTip(m_warnings.join('\n'));
}

void RunsList::setBrushed(const std::optional<QSet<QString>>& runs) {
    m_sorted->setBrushed(runs);
    if (!m_groupKey.isEmpty()) {
        m_table->expandAll();
    }
    updateCount();
}

void RunsList::select(const QStringList& ids) {
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
    m_table->selectionModel()->select(
        selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsList::selectAll() { m_table->selectAll(); }

std::vector<int> RunsList::selectedRows() const {
    QSet<int> chosen;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) {
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

std::vector<int> RunsList::rowsOnShow() const {
    std::vector<int> rows;
    for (int row = 0; row < m_sorted->rowCount(); ++row) {
        const QList<int> inside = m_sorted->runRowsIn(m_sorted->index(row, 0));
        rows.insert(rows.end(), inside.begin(), inside.end());
    }
    return rows;
}

std::vector<RunRow> RunsList::selected() const {
    std::vector<RunRow> runs;
    for (const int row : selectedRows()) {
        runs.push_back(m_runs->run(row));
    }
    return runs;
}

std::vector<RunRow> RunsList::onShow() const {
    std::vector<RunRow> runs;
    for (const int row : rowsOnShow()) {
        runs.push_back(m_runs->run(row));
    }
    return runs;
}

std::vector<RunRow> RunsList::passing() const {
    std::vector<RunRow> runs;
    for (int row = 0; row < m_runs->rowCount(); ++row) {
        if (m_sorted->passes(row)) {
            runs.push_back(m_runs->run(row));
        }
    }
    return runs;
}

QStringList RunsList::selectedIds() const {
    QStringList ids;
    for (const int row : selectedRows()) {
        ids << QString::fromStdString(m_runs->run(row).id);
    }
    return ids;
}

bool RunsList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && watched == m_table) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const std::vector<RunRow> runs = selected();
        if ((key == Qt::Key_Return || key == Qt::Key_Enter) && runs.size() == 1) {
            emit opened(runs.front());
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace cospadi::ui
