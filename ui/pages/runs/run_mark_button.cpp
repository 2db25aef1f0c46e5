#include "ui/pages/runs/run_mark_button.h"

#include <QAction>
#include <QMenu>
#include <algorithm>
#include <utility>

#include "ui/models/tag_list.h"
#include "ui/widgets/text_question.h"

namespace cospadi::ui {

RunMarkButton::RunMarkButton(QWidget* parent) : QToolButton(parent) {
    setObjectName(QStringLiteral("runsMark"));
    setText(tr("Mark"));
    setToolTip(tr("Star, archive, tag or note for the selected runs"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setMenu(new QMenu(this));
    connect(menu(), &QMenu::aboutToShow, this, &RunMarkButton::fillMenu);
}

void RunMarkButton::setSelection(std::function<std::vector<RunRow>()> selected) {
    m_selected = std::move(selected);
}

void RunMarkButton::fillMenu() {
    menu()->clear();
    const std::vector<RunRow> runs = m_selected ? m_selected() : std::vector<RunRow>();
    QStringList ids;
    for (const RunRow& run : runs) {
        ids << QString::fromStdString(run.id);
    }
    const bool any = !runs.empty();
    const bool starred =
        any && std::all_of(runs.begin(), runs.end(), [](const RunRow& run) { return run.starred; });
    const bool archived = any && std::all_of(runs.begin(), runs.end(),
                                             [](const RunRow& run) { return run.archived; });
    menu()->addAction(starred ? tr("Remove star") : tr("Star"), this,
                      [this, ids, starred] { emit starsWanted(ids, !starred); });
    menu()->addAction(archived ? tr("Restore from archive") : tr("Archive"), this,
                      [this, ids, archived] { emit archiveWanted(ids, !archived); });
    menu()->addAction(tr("Add a tag…"), this, [this, ids] {
        askForText(
            this,
            {"tagDialog", tr("Add a tag"), tr("Number of runs: %1").arg(ids.size()), {}, false},
            [this, ids](const QString& line) {
                for (const QString& tag : tagsFromLine(line)) {
                    emit tagWanted(ids, tag);
                }
            });
    });
    menu()->addAction(tr("Write a note…"), this, [this, ids] {
        askForText(
            this,
            {"noteDialog", tr("Write a note"), tr("Number of runs: %1").arg(ids.size()), {}, false},
            [this, ids](const QString& text) { emit noteWanted(ids, text); });
    });
    for (QAction* action : menu()->actions()) {
        action->setEnabled(any);
    }
    if (!any) {
        menu()->addSeparator();
        menu()->addAction(tr("Select one or more runs first"))->setEnabled(false);
    }
}

}  // namespace cospadi::ui
