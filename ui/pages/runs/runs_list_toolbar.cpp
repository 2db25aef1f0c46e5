// What stands above the table of runs: the filter, and the menus with which runs are grouped and
// marked.
#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/models/tag_list.h"
#include "ui/pages/runs/runs_list.h"

namespace cospadi::ui {

QWidget* RunsList::makeToolbar() {
    auto* bar = new QWidget;
    m_toolbar = new QHBoxLayout(bar);
    m_toolbar->setContentsMargins(0, 0, 0, 0);
    m_toolbar->setSpacing(8);
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("runsFilter"));
    m_filter->setPlaceholderText(tr("Filter: words of a row, e.g. ksvd ffn_up"));
    m_filter->setAccessibleName(tr("Filter the runs"));
    m_filter->setClearButtonEnabled(true);
    const auto menuButton = [](const char* name, const QString& text, const QString& tip) {
        auto* button = new QToolButton;
        button->setObjectName(QString::fromLatin1(name));
        button->setText(text);
        button->setToolTip(tip);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setMenu(new QMenu(button));
        return button;
    };
    m_view = menuButton("runsView", tr("View"), tr("Columns, groups, archived runs"));
    m_mark =
        menuButton("runsMark", tr("Mark"), tr("Star, archive, tag or note for the selected runs"));
    m_differing = new QToolButton;
    m_differing->setObjectName(QStringLiteral("onlyDiffering"));
    m_differing->setText(tr("Only what differs"));
    m_differing->setToolTip(
        tr("Shows only the columns in which the selected runs differ (all on "
           "show where fewer than two are selected), every setting among them"));
    m_differing->setCheckable(true);
    m_differing->setFocusPolicy(Qt::StrongFocus);
    m_toolbar->addWidget(m_filter, 1);
    m_toolbar->addWidget(m_view);
    m_toolbar->addWidget(m_mark);
    m_toolbar->addWidget(m_differing);
    connect(m_differing, &QToolButton::toggled, this, &RunsList::showColumns);
    connect(m_view->menu(), &QMenu::aboutToShow, this, [this] {
        QMenu* menu = m_view->menu();
        menu->clear();
        fillGroupMenu(menu->addMenu(tr("Group by")));
        fillColumnMenu(menu->addMenu(tr("Columns")));
        menu->addSeparator();
        QAction* archived = menu->addAction(tr("Archived runs too"));
        archived->setCheckable(true);
        archived->setChecked(m_sorted->showsArchived());
        connect(archived, &QAction::toggled, this, [this](bool on) {
            m_sorted->setShowArchived(on);
            updateCount();
            emit onShowChanged();
        });
    });
    connect(m_mark->menu(), &QMenu::aboutToShow, this, [this] {
        m_mark->menu()->clear();
        fillMarkMenu(m_mark->menu());
    });
    return bar;
}

void RunsList::fillGroupMenu(QMenu* menu) {
    auto* one = new QActionGroup(menu);
    const auto add = [&](const QString& text, const QString& key) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(key == m_groupKey);
        one->addAction(action);
        connect(action, &QAction::triggered, this, [this, key] { chooseGroup(key); });
    };
    add(tr("Nothing"), {});
    for (int column = 0; column < m_runs->columnCount(); ++column) {
        if (!isIncidental(column) || column == RunsTableModel::TagsColumn) {
            add(m_runs->headerData(column, Qt::Horizontal).toString(), m_runs->columnKey(column));
        }
    }
}

void RunsList::fillMarkMenu(QMenu* menu) {
    const std::vector<RunRow> runs = selected();
    const QStringList ids = selectedIds();
    const bool any = !runs.empty();
    const bool starred =
        any && std::all_of(runs.begin(), runs.end(), [](const RunRow& run) { return run.starred; });
    const bool archived = any && std::all_of(runs.begin(), runs.end(),
                                             [](const RunRow& run) { return run.archived; });
    menu->addAction(starred ? tr("Take the star") : tr("Star"), this,
                    [this, ids, starred] { emit starsWanted(ids, !starred); });
    menu->addAction(archived ? tr("Bring back from the archive") : tr("Archive"), this,
                    [this, ids, archived] { emit archiveWanted(ids, !archived); });
    menu->addAction(tr("Add a tag…"), this, [this, ids] {
        ask(tr("Add a tag"), tr("Runs it is for: %1").arg(ids.size()), "tagDialog",
            [this, ids](const QString& line) {
                for (const QString& tag : tagsFromLine(line)) {
                    emit tagWanted(ids, tag);
                }
            });
    });
    menu->addAction(tr("Write a note…"), this, [this, ids] {
        ask(tr("Write a note"), tr("Runs it is for: %1").arg(ids.size()), "noteDialog",
            [this, ids](const QString& text) { emit noteWanted(ids, text); });
    });
    for (QAction* action : menu->actions()) {
        action->setEnabled(any);
    }
    if (!any) {
        menu->addSeparator();
        menu->addAction(tr("Select one run or several first"))->setEnabled(false);
    }
}

void RunsList::ask(const QString& title, const QString& label, const char* name,
                   const std::function<void(const QString&)>& answered) {
    auto* dialog = new QInputDialog(this);
    dialog->setObjectName(QString::fromLatin1(name));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(label);
    connect(dialog, &QInputDialog::textValueSelected, this, [answered](const QString& text) {
        if (!text.trimmed().isEmpty()) {
            answered(text.trimmed());
        }
    });
    dialog->open();
}

}  // namespace cospadi::ui
