#include "ui/pages/runs/run_actions.h"

#include <QClipboard>
#include <QColorDialog>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QUrl>
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "core/run/derived_step.h"
#include "core/store/run_settings.h"
#include "ui/engine/command_line.h"
#include "ui/models/run_looks.h"
#include "ui/widgets/text_question.h"

namespace cospadi::ui {

namespace {

bool isFinished(const RunRow& run) { return run.status == "finished"; }

std::vector<RunRow> finishedOf(const std::vector<RunRow>& runs) {
    std::vector<RunRow> finished;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(finished), isFinished);
    return finished;
}

// The step that made a run of another. Where it is both a slice and shortened, which of these came
// last is told by the other one alone, if that is among the runs.
std::optional<DerivedStep> lastStepOf(const RunSpecification& made,
                                      const std::vector<RunRow>& runs) {
    const Derivation& derived = *made.derived;
    if (!derived.isSlice() || !derived.isRequantized()) {
        return stepBetween(RunSpecification(), made);
    }
    const auto source = std::find_if(runs.begin(), runs.end(),
                                     [&](const RunRow& run) { return run.id == derived.from; });
    const auto before = source == runs.end() ? std::nullopt : specificationOf(*source);
    return before ? std::optional(stepBetween(*before, made)) : std::nullopt;
}

// What makes the run again; empty where its specification does not tell.
QString commandOf(const RunRow& run, const std::vector<RunRow>& runs) {
    const auto specification = specificationOf(run);
    if (!specification) {
        return {};
    }
    if (!specification->derived) {
        return compressCommand(*specification, QString::fromStdString(run.directory + "/run.json"));
    }
    const std::optional<DerivedStep> step = lastStepOf(*specification, runs);
    QStringList words;
    if (step) {
        for (const std::string& word : cospadi::commandOf(*step, specification->derived->from)) {
            words << QString::fromStdString(word);
        }
    }
    return step ? shellCommand(words) : QString();
}

QStringList commandsOf(const std::vector<RunRow>& runs) {
    QStringList commands;
    for (const RunRow& run : runs) {
        commands << commandOf(run, runs);
    }
    commands.removeAll(QString());
    return commands;
}

void copyLines(const QStringList& lines) {
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace

RunActions::RunActions(QWidget* page) : QObject(page), m_page(page) {}

// The specifications of ten thousand runs take a second to read: that is left to the entry that
// wants them.
void RunActions::fill(QMenu* menu, const std::vector<RunRow>& runs) {
    const auto kept = std::make_shared<const std::vector<RunRow>>(runs);
    QStringList ids;
    for (const RunRow& run : runs) {
        ids << QString::fromStdString(run.id);
    }
    const bool one = runs.size() == 1;
    if (one) {
        fillForOne(menu, runs.front());
    } else {
        menu->addAction(tr("Compare errors"), this, &RunActions::compareWanted);
    }
    menu->addAction(tr("Measure perplexity"), this,
                    [this, kept] { emit measureWanted(finishedOf(*kept)); })
        ->setEnabled(std::any_of(runs.begin(), runs.end(), isFinished));
    menu->addSeparator();
    menu->addAction(one ? tr("Copy ID") : tr("Copy IDs"), this, [ids] { copyLines(ids); });
    const bool haveCommand = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
        return !commandOf(run, runs).isEmpty();
    });
    menu->addAction(one ? tr("Copy command") : tr("Copy commands"), this,
                    [kept] { copyLines(commandsOf(*kept)); })
        ->setEnabled(haveCommand);
    menu->addSeparator();
    menu->addAction(tr("Colour…"), this, [this, ids] { askForColour(ids); });
    menu->addAction(tr("Reset colour"), this,
                    [this, ids] {
                        setOwnColour(ids, std::nullopt);
                        emit coloursChanged();
                    })
        ->setEnabled(haveOwnColour(ids));
    menu->addSeparator();
    menu->addAction(tr("Delete…"), this, [this, ids] { askForDeletion(ids); });
}

void RunActions::fillForOne(QMenu* menu, const RunRow& run) {
    menu->addAction(tr("Open in Monitor"), this, [this, run] { emit monitorWanted(run); })
        ->setEnabled(run.matrices > 0);
    menu->addAction(tr("Show pattern"), this, [this, run] { emit patternWanted(run); });
    menu->addAction(tr("Use as plan"), this, [this, run] { emit planWanted(run); });
    menu->addAction(tr("Resume"), this, [this, run] { emit resumeWanted(run); })
        ->setEnabled(canBeResumed(run));
    menu->addAction(tr("Open folder"), this, [run] {
        QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(run.directory)));
    });
    const QString id = QString::fromStdString(run.id);
    const bool isPinned = pinnedRun() == id;
    menu->addAction(isPinned ? tr("Unpin baseline") : tr("Pin as baseline"), this,
                    [this, id, isPinned] { emit pinWanted(isPinned ? QString() : id); });
    menu->addAction(tr("Name…"), this, [this, run] { askForName(run); });
}

void RunActions::askForName(const RunRow& run) {
    askForText(
        m_page,
        {"nameDialog", tr("Name the run"),
         tr("Its name in lists and legends; empty: what distinguishes it"), ownName(run), true},
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
        setOwnColour(runs, colour);
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
        tr("This cannot be undone. Archive (under Mark) hides runs and keeps them."));
    QPushButton* yes = question->addButton(tr("Delete"), QMessageBox::DestructiveRole);
    question->setDefaultButton(QMessageBox::Cancel);
    connect(yes, &QPushButton::clicked, this, [this, runs] { emit deletionWanted(runs); });
    question->open();
}

}  // namespace cospadi::ui
