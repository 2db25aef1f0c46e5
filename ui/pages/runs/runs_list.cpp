#include "ui/pages/runs/runs_list.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "ui/base/theme.h"
#include "ui/models/grouped_runs_model.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/saved_views.h"
#include "ui/pages/runs/run_mark_button.h"
#include "ui/pages/runs/runs_columns.h"
#include "ui/pages/runs/runs_grouping.h"
#include "ui/pages/runs/runs_toolbar.h"
#include "ui/pages/runs/runs_tree.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

RunsList::RunsList(QWidget* parent)
    : QWidget(parent),
      m_runs(new RunsTableModel(this)),
      m_groups(new GroupedRunsModel(m_runs, this)),
      m_sorted(new RunsFilterModel(m_runs, m_groups, this)),
      m_table(new RunsTree(m_runs, m_sorted)),
      m_columns(new RunsColumns(m_runs, m_table, this)),
      m_grouping(new RunsGrouping(m_runs, m_groups, m_table, this)),
      m_toolbar(new RunsToolbar) {
    auto* card = new Card(tr("Stored runs"));
    m_problem = new QLabel;
    m_problem->setObjectName(QStringLiteral("filterProblem"));
    m_problem->hide();
    card->headerRow()->addWidget(m_problem);
    m_count = new QLabel;
    m_count->setObjectName(QStringLiteral("muted"));
    card->headerRow()->addWidget(m_count);
    card->body()->addWidget(m_toolbar);
    card->body()->addWidget(m_table, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(card);

    connectToolbar();
    connect(m_columns, &RunsColumns::chosen, this, &RunsList::showColumns);
    connect(m_grouping, &RunsGrouping::applied, this, &RunsList::showColumns);
    connect(m_table, &RunsTree::opened, this, &RunsList::opened);
    connect(m_table, &RunsTree::starsWanted, this, &RunsList::starsWanted);
    connect(m_table, &RunsTree::menuWanted, this, &RunsList::menuWanted);
    connect(m_table, &RunsTree::editingEnded, this, &RunsList::editingEnded);
    connect(m_table, &RunsTree::editingEnded, this, &RunsList::regroup, Qt::QueuedConnection);
    connect(m_table, &RunsTree::columnMenuWanted, this, [this](const QPoint& place) {
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        m_columns->fillMenu(menu);
        menu->popup(place);
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_quiet) {
            m_selectedOutside.clear();  // the choice is another one now
            tellSelection();
        }
    });
    connect(m_runs, &RunsTableModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (roles != QList<int>{Qt::DecorationRole}) {  // the archive mark, perhaps
                    updateCount();
                    emit onShowChanged();
                    regroupSoon();
                }
            });
    connect(m_runs, &RunsTableModel::starWanted, this,
            [this](const QString& run, bool starred) { emit starsWanted({run}, starred); });
    connect(m_runs, &RunsTableModel::tagsWanted, this, &RunsList::tagsWanted);
    connect(m_runs, &RunsTableModel::noteWanted, this,
            [this](const QString& run, const QString& text) { emit noteWanted({run}, text); });
    showColumns();
}

QHBoxLayout* RunsList::toolbar() const { return m_toolbar->row(); }

void RunsList::connectToolbar() {
    connect(m_toolbar, &RunsToolbar::filterChanged, this,
            [this] { filterBy([this] { takeFilter(); }); });
    connect(m_toolbar, &RunsToolbar::onlyDifferingToggled, this, &RunsList::showColumns);
    connect(m_toolbar, &RunsToolbar::viewMenuWanted, this, [this](QMenu* menu) {
        emit viewMenuWanted(menu);
        fillViewMenu(menu);
    });
    RunMarkButton* marks = m_toolbar->marks();
    marks->setSelection([this] { return selected(); });
    connect(marks, &RunMarkButton::starsWanted, this, &RunsList::starsWanted);
    connect(marks, &RunMarkButton::archiveWanted, this, &RunsList::archiveWanted);
    connect(marks, &RunMarkButton::tagWanted, this, &RunsList::tagWanted);
    connect(marks, &RunMarkButton::noteWanted, this, &RunsList::noteWanted);
}

// Which fields runs have is known once they are read.
void RunsList::takeFilter() {
    if (!m_sized) {
        return;
    }
    try {
        m_sorted->setFilter(m_toolbar->filter());
    } catch (const Error& error) {  // what was typed before still filters
        showProblem(QString::fromStdString(error.where()), QString::fromStdString(error.problem()),
                    QString::fromStdString(error.hint()));
        return;
    }
    showProblem({}, {}, {});
}

void RunsList::showProblem(const QString& term, const QString& problem, const QString& hint) {
    m_problem->setText(tr("%1: %2").arg(term, problem));
    m_problem->setToolTip(m_problem->text() + QStringLiteral("\n") + hint);
    colourProblem();
    m_problem->setVisible(!problem.isEmpty());
}

void RunsList::colourProblem() {
    m_problem->setStyleSheet(QStringLiteral("color: %1;").arg(theme().error.name()));
}

void RunsList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_problem != nullptr) {
        colourProblem();
    }
}

void RunsList::keepIn(SavedView& view) const {
    view.filter = m_toolbar->filter();
    view.columns = m_columns->wanted();
    view.group = m_grouping->key();
}

void RunsList::showFilter(const QString& filter, bool archivedToo) {
    filterBy([&] { m_sorted->setShowArchived(archivedToo); });
    m_toolbar->setFilter(filter);
}

QString RunsList::filter() const { return m_toolbar->filter(); }
bool RunsList::showsArchived() const { return m_sorted->showsArchived(); }
bool RunsList::isEditing() const { return m_table->isEditing(); }

void RunsList::showView(const SavedView& view) {
    m_toolbar->setFilter(view.filter);
    m_columns->choose(view.columns);
    m_grouping->choose(view.group);
}

void RunsList::fillViewMenu(QMenu* menu) {
    m_grouping->fillMenu(menu->addMenu(tr("Group by")));
    m_columns->fillMenu(menu->addMenu(tr("Columns")));
    menu->addSeparator();
    QAction* archived = menu->addAction(tr("Show archived runs"));
    archived->setCheckable(true);
    archived->setChecked(m_sorted->showsArchived());
    connect(archived, &QAction::toggled, this,
            [this](bool on) { filterBy([&] { m_sorted->setShowArchived(on); }); });
}

// What is selected is told when the rows are gone: whoever hears of it may filter again, which a
// model that is taking rows away does not survive.
void RunsList::filterBy(const std::function<void()>& change) {
    const QStringList before = m_table->selectedIds();
    {
        const QScopedValueRollback quiet(m_quiet, true);
        change();
        m_table->expandAll();
    }
    updateCount();
    emit onShowChanged();
    if (m_table->selectedIds() != before) {
        m_selectedOutside.clear();
        tellSelection();
    }
}

void RunsList::tellSelection() {
    if (m_toolbar->onlyDiffering()) {
        showColumns();
    }
    emit selectionChanged();
}

// Of fewer than two selected runs there is nothing to tell apart: then of all on show.
void RunsList::showColumns() {
    std::optional<std::vector<int>> compared;
    if (m_toolbar->onlyDiffering()) {
        compared = m_table->selectedRows();
        compared = compared->size() < 2 ? m_table->rowsOnShow() : *compared;
    }
    m_columns->show(compared);
}

// Of the columns that make groups the tags are what a user edits. Later: of many runs that are
// marked together each is announced, and one in whose row something is typed stays where it is.
void RunsList::regroupSoon() {
    const QString tags = m_runs->columnKey(RunsTableModel::TagsColumn);
    if (m_grouping->key() == tags && !std::exchange(m_isRegroupDue, true)) {
        QMetaObject::invokeMethod(this, &RunsList::regroup, Qt::QueuedConnection);
    }
}

void RunsList::regroup() {
    if (m_table->isEditing() || !std::exchange(m_isRegroupDue, false)) {
        return;
    }
    const QStringList ids = m_table->selectedIds();
    const QString current = m_table->currentId();
    const int column = m_table->currentIndex().column();
    const QStringList folded = m_table->foldedGroups();
    const QScopedValueRollback quiet(m_quiet, true);
    m_groups->regroup();
    m_table->expandAll();
    m_table->fold(folded);
    select(ids);
    m_table->setCurrent(current, column);
}

void RunsList::setAsked(const std::vector<RunRow>& asked) { m_grouping->setAsked(asked); }

void RunsList::setCatalog(RunCatalog catalog, std::vector<RunTexts> texts) {
    const QStringList ids = m_table->selectedIds();
    const QString current = m_table->currentId();
    const int column = m_table->currentIndex().column();
    const int scrolled = m_table->verticalScrollBar()->value();
    const QStringList folded = m_table->foldedGroups();
    const QScopedValueRollback quiet(m_quiet, true);
    const int known = m_runs->columnCount();
    m_warnings = catalog.warnings;
    m_grouping->groupSweepsAtFirst(catalog.settings.names);
    m_runs->setRuns(std::move(catalog.runs), std::move(catalog.settings), std::move(texts));
    m_columns->setWidths(m_sized ? known : 0);
    m_toolbar->setFields(m_runs->fieldNames());
    m_sized = true;
    if (!m_toolbar->filter().isEmpty()) {
        takeFilter();
    }
    m_grouping->apply();  // the columns may have moved
    m_columns->useRoom();
    m_table->fold(folded);
    select(ids);
    m_table->setCurrent(current, column);
    m_table->verticalScrollBar()->setValue(scrolled);
    updateCount();
    emit onShowChanged();
}

void RunsList::updateCount() {
    const auto archived = std::count_if(m_runs->runs().begin(), m_runs->runs().end(),
                                        [](const RunRow& run) { return run.archived; });
    const auto all = m_runs->rowCount() - (m_sorted->showsArchived() ? 0 : archived);
    const auto shown = m_grouping->key().isEmpty()
                           ? std::ptrdiff_t{m_sorted->rowCount()}
                           : static_cast<std::ptrdiff_t>(m_table->rowsOnShow().size());
    QString text = tr("%n run(s)", nullptr, static_cast<int>(all));
    if (shown != all) {
        text = tr("%1 of %2").arg(shown).arg(text);
    }
    if (archived > 0 && !m_sorted->showsArchived()) {
        text += tr(", %1 archived").arg(archived);
    }
    if (!m_warnings.isEmpty()) {
        text += tr(", %1 skipped").arg(m_warnings.size());
    }
    m_count->setText(text);
    m_count->setToolTip(m_warnings.join('\n'));
}

void RunsList::setBrushed(const std::optional<QSet<QString>>& runs) {
    const bool hasChosen =
        m_table->selectionModel()->hasSelection() || !m_selectedOutside.isEmpty();
    const QStringList before = hasChosen ? m_table->selectedIds() : QStringList();
    {
        const QScopedValueRollback quiet(m_quiet, true);
        m_sorted->setBrushed(runs);
        if (!m_grouping->key().isEmpty()) {
            m_table->expandAll();
        }
        if (hasChosen) {
            selectInside(runs, before);
        }
    }
    if (hasChosen && m_table->selectedIds() != before) {
        tellSelection();
    }
    updateCount();
}

// chosen: what was selected of those on show before.
void RunsList::selectInside(const std::optional<QSet<QString>>& runs, const QStringList& chosen) {
    QStringList inside;
    QSet<QString> outside;
    for (const QString& run : m_selectedOutside + QSet<QString>(chosen.begin(), chosen.end())) {
        !runs || runs->contains(run) ? inside.append(run) : void(outside.insert(run));
    }
    m_selectedOutside = outside;
    select(inside);
}

void RunsList::select(const QStringList& ids) { m_table->select(ids); }

void RunsList::selectAll() { m_table->selectAll(); }

std::vector<RunRow> RunsList::selected() const {
    std::vector<RunRow> runs;
    for (const int row : m_table->selectedRows()) {
        runs.push_back(m_runs->run(row));
    }
    return runs;
}

std::vector<RunRow> RunsList::onShow() const {
    std::vector<RunRow> runs;
    for (const int row : m_table->rowsOnShow()) {
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

}  // namespace cospadi::ui
