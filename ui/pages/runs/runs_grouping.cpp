#include "ui/pages/runs/runs_grouping.h"

#include <QActionGroup>
#include <QHash>
#include <QMenu>
#include <QSettings>

#include "core/report/sweep_matrix.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/runs/runs_columns.h"
#include "ui/pages/runs/runs_tree.h"

namespace cospadi::ui {

namespace {

const char* const kGroupSetting = "runs/group";

}  // namespace

RunsGrouping::RunsGrouping(const RunsTableModel* runs, GroupedRunsModel* groups, RunsTree* table,
                           QObject* parent)
    : QObject(parent),
      m_runs(runs),
      m_groups(groups),
      m_table(table),
      m_key(QSettings().value(QLatin1String(kGroupSetting)).toString()) {}

void RunsGrouping::fillMenu(QMenu* menu) {
    auto* one = new QActionGroup(menu);
    const auto add = [&](const QString& text, const QString& key) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(key == m_key);
        one->addAction(action);
        connect(action, &QAction::triggered, this, [this, key] { choose(key); });
    };
    add(tr("Nothing"), {});
    for (int column = 0; column < m_runs->columnCount(); ++column) {
        if (!RunsColumns::isIncidental(column) || column == RunsTableModel::TagsColumn) {
            add(m_runs->headerData(column, Qt::Horizontal).toString(), m_runs->columnKey(column));
        }
    }
}

void RunsGrouping::choose(const QString& key) {
    QSettings().setValue(QLatin1String(kGroupSetting), key);
    m_key = key;
    apply();
}

void RunsGrouping::apply() {
    const QStringList ids = m_table->selectedIds();
    int column = GroupedRunsModel::kNoGroups;
    for (int i = 0; i < m_runs->columnCount() && !m_key.isEmpty(); ++i) {
        column = m_runs->columnKey(i) == m_key ? i : column;
    }
    m_groups->setGroupColumn(column);
    m_table->setRootIsDecorated(column != GroupedRunsModel::kNoGroups);
    m_table->expandAll();
    m_table->select(ids);
    emit applied();
}

void RunsGrouping::groupSweepsAtFirst(const QStringList& settings) {
    const QString sweep = QString::fromLatin1(GroupedRunsModel::kSweepKey);
    if (!QSettings().contains(QLatin1String(kGroupSetting))) {
        m_key = settings.contains(sweep) ? sweep : QString();
    }
}

void RunsGrouping::setAsked(const std::vector<RunRow>& asked) {
    QHash<QString, int> waiting;
    for (const RunRow& run : asked) {
        for (const std::string& sweep : sweepNames({run})) {
            waiting[QString::fromStdString(sweep)] += run.status == kWaitingStatus ? 1 : 0;
        }
    }
    m_groups->setWaiting(waiting);
}

}  // namespace cospadi::ui
