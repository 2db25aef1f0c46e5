// Which columns the table of runs shows, in which order and how wide.
#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSettings>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <utility>

#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_list.h"

namespace cospadi::ui {

namespace {

const char* const kColumnsSetting = "runs/columns";

// Wide enough for what a column usually holds; those shown at first fit into 1440 pixels.
const char* const kUsual[] = {"20261121-060…0-d953",
                              "interrupted",
                              "cospadi (ksvd 60)",
                              "\\.attn_k$  (30)",
                              "0.20",
                              "2.00",
                              "99.9 MB",
                              "99.9 MB Q4_1",
                              "99.9 %",
                              "0.0000",
                              "999.9",
                              "99 min 99",
                              "2026-11-21 04:15",
                              "★",
                              "paper, demo",
                              "what I wanted to see",
                              "SmolLM2-135M.gguf"};
static_assert(std::size(kUsual) == RunsTableModel::ColumnCount);

QStringList usualColumns() {
    return {QStringLiteral("run"),    QStringLiteral("star"),   QStringLiteral("status"),
            QStringLiteral("method"), QStringLiteral("layers"), QStringLiteral("cr"),
            QStringLiteral("rho"),    QStringLiteral("bytes"),  QStringLiteral("source"),
            QStringLiteral("saved"),  QStringLiteral("error"),  QStringLiteral("perplexity"),
            QStringLiteral("time"),   QStringLiteral("date"),   QStringLiteral("tags")};
}

}  // namespace

// Differ between any two runs, and say nothing about why their results do.
bool RunsList::isIncidental(int column) {
    return column == RunsTableModel::NameColumn || column == RunsTableModel::DateColumn ||
           column == RunsTableModel::SecondsColumn || column == RunsTableModel::StarColumn ||
           column == RunsTableModel::NoteColumn || column == RunsTableModel::TagsColumn;
}

QStringList RunsList::rememberedColumns() {
    return QSettings().value(QLatin1String(kColumnsSetting), usualColumns()).toStringList();
}

void RunsList::sizeColumns(int first) {
    for (int column = first; column < m_runs->columnCount(); ++column) {
        const QString title = m_runs->headerData(column, Qt::Horizontal).toString();
        const QString usual = column < RunsTableModel::ColumnCount
                                  ? QString::fromUtf8(kUsual[column])
                                  : QStringLiteral("0.0000");
        m_table->setColumnWidth(column, std::max(fontMetrics().horizontalAdvance(usual) + 10,
                                                 fontMetrics().horizontalAdvance(title) + 26));
    }
}

void RunsList::fillColumnMenu(QMenu* menu) {
    for (int column = 1; column < m_runs->columnCount(); ++column) {
        const QString key = m_runs->columnKey(column);
        if (column == RunsTableModel::ColumnCount) {
            menu->addSection(tr("Settings and results"));
        }
        const QString title = m_runs->headerData(column, Qt::Horizontal).toString();
        QAction* action =
            menu->addAction(column == RunsTableModel::StarColumn ? tr("Star") : title);
        action->setCheckable(true);
        action->setChecked(m_columns.contains(key));
        connect(action, &QAction::toggled, this, [this, key](bool on) {
            m_columns.removeAll(key);
            m_columns << (on ? QStringList{key} : QStringList{});
            QSettings().setValue(QLatin1String(kColumnsSetting), m_columns);
            showColumns();
        });
    }
    menu->addSeparator();
    menu->addAction(tr("The usual ones"), this, [this] {
        m_columns = usualColumns();
        QSettings().setValue(QLatin1String(kColumnsSetting), m_columns);
        showColumns();
    });
}

// The columns of the user's choice in their order, or those that differ.
void RunsList::showColumns() {
    const QScopedValueRollback quiet(m_quiet, true);
    QHeaderView* header = m_table->header();
    const bool differing = m_differing != nullptr && m_differing->isChecked();
    std::vector<int> rows;
    if (differing) {
        rows = selectedRows();
        rows = rows.size() < 2 ? rowsOnShow() : rows;
    }
    QStringList order = m_columns;
    order.removeAll(m_runs->columnKey(RunsTableModel::NameColumn));
    order.prepend(m_runs->columnKey(RunsTableModel::NameColumn));
    int place = 0;
    for (const QString& key : std::as_const(order)) {
        for (int column = 0; column < m_runs->columnCount(); ++column) {
            if (m_runs->columnKey(column) == key) {
                header->moveSection(header->visualIndex(column), place++);
            }
        }
    }
    for (int column = 0; column < m_runs->columnCount(); ++column) {
        const bool wanted =
            column == RunsTableModel::NameColumn || m_columns.contains(m_runs->columnKey(column));
        const bool shown =
            column == RunsTableModel::NameColumn ||
            (differing ? (wanted || !isIncidental(column)) && differs(column, rows) : wanted);
        if (shown && header->isSectionHidden(column)) {
            header->setSectionHidden(column, false);
        } else if (!shown) {
            header->setSectionHidden(column, true);
        }
    }
    // Numbers stand at the right of their column: a stretched one would stand alone at the edge.
    int last = header->count() - 1;
    while (last > 0 && header->isSectionHidden(header->logicalIndex(last))) {
        --last;
    }
    header->setStretchLastSection(last >= 0 && !m_runs->isNumber(header->logicalIndex(last)));
}

bool RunsList::differs(int column, const std::vector<int>& rows) const {
    if (rows.empty()) {
        return false;
    }
    const auto text = [&](int row) { return m_runs->index(row, column).data().toString(); };
    const QString first = text(rows.front());
    return std::any_of(rows.begin(), rows.end(), [&](int row) { return text(row) != first; });
}

void RunsList::rememberColumns() {
    if (m_quiet) {
        return;
    }
    m_columns.clear();
    const QHeaderView* header = m_table->header();
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        if (!header->isSectionHidden(column)) {
            m_columns << m_runs->columnKey(column);
        }
    }
    if (!m_differing->isChecked()) {
        QSettings().setValue(QLatin1String(kColumnsSetting), m_columns);
    }
}

}  // namespace cospadi::ui
