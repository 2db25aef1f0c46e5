#include "ui/pages/runs/runs_columns.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSettings>
#include <QTreeView>
#include <algorithm>
#include <map>
#include <utility>

#include "ui/models/run_looks.h"
#include "ui/models/runs_table_model.h"

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

RunsColumns::RunsColumns(const RunsTableModel* runs, QTreeView* table, QObject* parent)
    : QObject(parent),
      m_runs(runs),
      m_table(table),
      m_chosen(QSettings().value(QLatin1String(kColumnsSetting), usualColumns()).toStringList()) {
    connect(table->header(), &QHeaderView::sectionMoved, this, &RunsColumns::takeOrder);
    connect(table->header(), &QHeaderView::sectionResized, this, [this](int column) {
        m_isSizedByHand |= !m_moving && !m_sizing && column != lastShown();  // which is stretched
    });
    table->viewport()->installEventFilter(this);
}

bool RunsColumns::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        useRoom();
    }
    return QObject::eventFilter(watched, event);
}

bool RunsColumns::isIncidental(int column) {
    return column == RunsTableModel::NameColumn || column == RunsTableModel::DateColumn ||
           column == RunsTableModel::SecondsColumn || column == RunsTableModel::StarColumn ||
           column == RunsTableModel::NoteColumn || column == RunsTableModel::TagsColumn;
}

bool RunsColumns::hasDistance(int column) {
    const bool compares =
        column == RunsTableModel::BytesColumn || column == RunsTableModel::ErrorColumn ||
        column == RunsTableModel::PerplexityColumn || column == RunsTableModel::SecondsColumn;
    return compares && !pinnedRun().isEmpty();
}

int RunsColumns::neededWidth(int column) const {
    const QFontMetrics metrics = m_table->fontMetrics();
    const QString title = m_runs->headerData(column, Qt::Horizontal).toString();
    const QString usual = column < RunsTableModel::ColumnCount ? QString::fromUtf8(kUsual[column])
                                                               : QStringLiteral("0.0000");
    const QString beside = hasDistance(column) ? QStringLiteral("  +999.9 %") : QString();
    return std::max(metrics.horizontalAdvance(usual + beside) + 10,
                    metrics.horizontalAdvance(title) + 26);
}

// Columns of a number alone share a width, those of one and its distance to the baseline another;
// a longer title has what it needs.
void RunsColumns::setWidths(int first) {
    const QScopedValueRollback sizing(m_sizing, true);
    const auto isAlone = [this](int column) {
        return m_runs->isNumber(column) && column != RunsTableModel::SourceColumn;  // and its type
    };
    int alone = 0;
    int withDistance = 0;
    for (int column = 0; column < RunsTableModel::ColumnCount; ++column) {
        int& widest = hasDistance(column) ? withDistance : alone;
        widest = isAlone(column) ? std::max(widest, neededWidth(column)) : widest;
    }
    for (int column = first; column < m_runs->columnCount(); ++column) {
        const int shared = !isAlone(column) ? 0 : hasDistance(column) ? withDistance : alone;
        m_table->setColumnWidth(column, std::max(shared, neededWidth(column)));
    }
}

int RunsColumns::lastShown() const {
    const QHeaderView* header = m_table->header();
    int last = header->count() - 1;
    while (last > 0 && header->isSectionHidden(header->logicalIndex(last))) {
        --last;
    }
    return last < 0 ? -1 : header->logicalIndex(last);
}

void RunsColumns::useRoom() {
    const int last = lastShown();
    if (m_isSizedByHand || m_sizing || last < 0) {
        return;
    }
    const QScopedValueRollback sizing(m_sizing, true);
    std::map<int, int> lacking;
    int allLacking = 0;
    for (const int column :
         {RunsTableModel::NameColumn, RunsTableModel::MethodColumn, RunsTableModel::TagsColumn}) {
        if (!m_table->isColumnHidden(column)) {
            const int usual = neededWidth(column);
            const int content =
                static_cast<const QAbstractItemView*>(m_table)->sizeHintForColumn(column);
            m_table->setColumnWidth(column, usual);
            lacking[column] = std::max(0, content - usual);
            allLacking += lacking[column];
        }
    }
    int room = m_table->viewport()->width();
    for (int column = 0; column < m_runs->columnCount(); ++column) {
        const int width = column == last ? neededWidth(last) : m_table->columnWidth(column);
        room -= m_table->isColumnHidden(column) ? 0 : width;
    }
    const double share =
        allLacking > 0 ? static_cast<double>(std::clamp(room, 0, allLacking)) / allLacking : 0;
    for (const auto& [column, width] : lacking) {
        if (column != last) {  // takes what is left
            m_table->setColumnWidth(column, neededWidth(column) + static_cast<int>(share * width));
        }
    }
}

void RunsColumns::choose(const QStringList& keys) {
    m_chosen = keys;
    QSettings().setValue(QLatin1String(kColumnsSetting), m_chosen);
    emit chosen();
}

void RunsColumns::fillMenu(QMenu* menu) {
    for (int column = 1; column < m_runs->columnCount(); ++column) {
        const QString key = m_runs->columnKey(column);
        if (column == RunsTableModel::ColumnCount) {
            menu->addSection(tr("Settings and results"));
        }
        const QString title = m_runs->headerData(column, Qt::Horizontal).toString();
        QAction* action =
            menu->addAction(column == RunsTableModel::StarColumn ? tr("Star") : title);
        action->setCheckable(true);
        action->setChecked(m_chosen.contains(key));
        connect(action, &QAction::toggled, this, [this, key](bool on) {
            QStringList keys = m_chosen;
            keys.removeAll(key);
            choose(on ? keys << key : keys);
        });
    }
    menu->addSeparator();
    menu->addAction(tr("Default columns"), this, [this] { choose(usualColumns()); });
}

void RunsColumns::show(const std::optional<std::vector<int>>& compared) {
    const QScopedValueRollback moving(m_moving, true);
    m_comparing = compared.has_value();
    QHeaderView* header = m_table->header();
    QStringList order = m_chosen;
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
            column == RunsTableModel::NameColumn || m_chosen.contains(m_runs->columnKey(column));
        const bool shown =
            column == RunsTableModel::NameColumn ||
            (compared ? (wanted || !isIncidental(column)) && differs(column, *compared) : wanted);
        if (shown && header->isSectionHidden(column)) {
            header->setSectionHidden(column, false);
        } else if (!shown) {
            header->setSectionHidden(column, true);
        }
    }
    // Numbers stand at the right of their column: a stretched one would stand alone at the edge.
    const int last = lastShown();
    header->setStretchLastSection(last >= 0 && !m_runs->isNumber(last));
    useRoom();
}

bool RunsColumns::hasColumn(const QString& key) const {
    for (int column = 0; column < m_runs->columnCount(); ++column) {
        if (m_runs->columnKey(column) == key) {
            return true;
        }
    }
    return false;
}

bool RunsColumns::differs(int column, const std::vector<int>& rows) const {
    if (rows.empty()) {
        return false;
    }
    const auto text = [&](int row) { return m_runs->index(row, column).data().toString(); };
    const QString first = text(rows.front());
    return std::any_of(rows.begin(), rows.end(), [&](int row) { return text(row) != first; });
}

void RunsColumns::takeOrder() {
    if (m_moving) {
        return;
    }
    const QStringList before = std::exchange(m_chosen, {});
    const QHeaderView* header = m_table->header();
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        const QString key = m_runs->columnKey(column);
        // What does not differ is hidden for now alone, and what differs is on show for now alone.
        if (m_comparing ? before.contains(key) : !header->isSectionHidden(column)) {
            m_chosen << key;
        }
    }
    for (const QString& key : before) {  // a setting that no run has now
        if (!hasColumn(key)) {
            m_chosen << key;
        }
    }
    QSettings().setValue(QLatin1String(kColumnsSetting), m_chosen);
}

}  // namespace cospadi::ui
