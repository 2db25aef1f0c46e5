#include "ui/pages/runs/run_actions.h"

#include <QClipboard>
#include <QColorDialog>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>

#include "core/store/run_settings.h"
#include "ui/engine/command_line.h"
#include "ui/models/run_looks.h"
#include "ui/widgets/text_question.h"

namespace cospadi::ui {

RunActions::RunActions(QWidget* page) : QObject(page), m_page(page) {}

void RunActions::fill(QMenu* menu, const std::vector<RunRow>& runs) {
    QStringList ids;
    QStringList commands;
    std::vector<RunRow> finished;
    bool haveColour = false;
    for (const RunRow& run : runs) {
        ids << QString::fromStdString(run.id);
        haveColour = haveColour || ownColour(ids.last());
        if (const auto specification = specificationOf(run)) {
            commands << compressCommand(*specification);
        }
        if (run.status == "finished") {
            finished.push_back(run);
        }
    }
    const bool one = runs.size() == 1;
    if (one) {
        fillForOne(menu, runs.front());
    } else {
        menu->addAction(tr("Compare their errors"), this, &RunActions::compareWanted);
    }
    menu->addAction(tr("Measure perplexity"), this,
                    [this, finished] { emit measureWanted(finished); })
        ->setEnabled(!finished.empty());
    menu->addSeparator();
    const auto copy = [this, menu](const QString& words, const QStringList& lines) {
        menu->addAction(
                words, this,
                [lines] { QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n'))); })
            ->setEnabled(!lines.isEmpty());
    };
    copy(one ? tr("Copy its id") : tr("Copy their ids"), ids);
    copy(one ? tr("Copy its command") : tr("Copy their commands"), commands);
    menu->addSeparator();
    menu->addAction(tr("Colour…"), this, [this, ids] { askForColour(ids); });
    menu->addAction(tr("No colour of its own"), this,
                    [this, ids] {
                        for (const QString& run : ids) {
                            setOwnColour(run, std::nullopt);
                        }
                        emit coloursChanged();
                    })
        ->setEnabled(haveColour);
    menu->addSeparator();
    menu->addAction(tr("Delete…"), this, [this, ids] { askForDeletion(ids); });
}

void RunActions::fillForOne(QMenu* menu, const RunRow& run) {
    menu->addAction(tr("Open in Monitor"), this, [this, run] { emit monitorWanted(run); })
        ->setEnabled(run.matrices > 0);
    menu->addAction(tr("Show its pattern"), this, [this, run] { emit patternWanted(run); });
    menu->addAction(tr("Plan from it"), this, [this, run] { emit planWanted(run); });
    menu->addAction(tr("Resume"), this, [this, run] { emit resumeWanted(run); })
        ->setEnabled(run.status != "finished");
    menu->addAction(tr("Open its folder"), this, [run] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(run.directory)));
    });
    const QString id = QString::fromStdString(run.id);
    const bool isPinned = pinnedRun() == id;
    menu->addAction(isPinned ? tr("No baseline any more") : tr("Pin as the baseline"), this,
                    [this, id, isPinned] { emit pinWanted(isPinned ? QString() : id); });
    menu->addAction(tr("Name…"), this, [this, run] { askForName(run); });
}

void RunActions::askForName(const RunRow& run) {
    askForText(m_page,
               {"nameDialog", tr("Name the run"),
                tr("What it is called in lists and legends; nothing: by what it differs in"),
                ownName(run), true},
               [this, run](const QString& name) { emit nameWanted(run, name); });
}

void RunActions::askForColour(const QStringList& runs) {
    auto* dialog = new QColorDialog(m_page);
    dialog->setObjectName(QStringLiteral("colourDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (const auto own = ownColour(runs.first())) {
        dialog->setCurrentColor(*own);
    }
    connect(dialog, &QColorDialog::colorSelected, this, [this, runs](const QColor& colour) {
        for (const QString& run : runs) {
            setOwnColour(run, colour);
        }
        emit coloursChanged();
    });
    dialog->open();
}

void RunActions::askForDeletion(const QStringList& runs) {
    auto* question =
        new QMessageBox(QMessageBox::Warning, tr("Delete runs"),
                        runs.size() == 1 ? tr("Delete %1 and its files?").arg(runs.first())
                                         : tr("Delete %1 runs and their files?").arg(runs.size()),
                        QMessageBox::Cancel, m_page);
    question->setObjectName(QStringLiteral("deletionQuestion"));
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->setInformativeText(
        tr("They do not come back. Archive (under Mark) hides runs and keeps them."));
    QPushButton* yes = question->addButton(tr("Delete"), QMessageBox::DestructiveRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, runs] { emit deletionWanted(runs); });
    question->open();
}

}  // namespace cospadi::ui
