#include "ui/pages/monitor/run_bar.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"

namespace cospadi::ui {

namespace {

QString stageName(const QString& stage) {
    if (stage == QLatin1String("model")) {
        return RunBar::tr("Reading the model");
    }
    if (stage == QLatin1String("calibration")) {
        return RunBar::tr("Calibrating");
    }
    if (stage == QLatin1String("gradients")) {
        return RunBar::tr("Measuring gradients");
    }
    if (stage == QLatin1String("allocation")) {
        return RunBar::tr("Allocating the bytes");
    }
    if (stage == QLatin1String("costs")) {
        return RunBar::tr("Measuring the cost of errors");
    }
    if (stage == QLatin1String("compress")) {
        return RunBar::tr("Compressing");
    }
    if (stage == QLatin1String("teacher")) {
        return RunBar::tr("Running the dense model");
    }
    if (stage == QLatin1String("refine")) {
        return RunBar::tr("Refining the factors");
    }
    if (stage == QLatin1String("perplexity")) {
        return RunBar::tr("Measuring perplexity");
    }
    return stage;
}

}  // namespace

RunBar::RunBar(RunController* run, QWidget* parent) : QWidget(parent), m_run(run) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 6);
    column->setSpacing(6);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    const auto button = [&](const char* name, const QString& picture, const QString& text,
                            const QString& tip) {
        auto* made = new QPushButton(icon(picture), text);
        made->setObjectName(QString::fromLatin1(name));
        made->setToolTip(tip);
        row->addWidget(made);
        return made;
    };
    m_start = button("primary", QStringLiteral("play"), tr("Run"), {});
    m_start->setAccessibleName(tr("Run"));
    m_cost = new QLabel;
    m_cost->setObjectName(QStringLiteral("muted"));
    m_cost->setToolTip(
        tr("What pressing Run compresses and how long it will take: the ticked layers, in bf16 and "
           "compressed, and the time on this machine. Calibration is done once and kept for later "
           "runs with the same text. The Plan page has the details."));
    row->addWidget(m_cost);
    row->addSpacing(4);
    m_pause = button("plain", QStringLiteral("pause"), tr("Pause"), {});
    m_pause->setAccessibleName(tr("Pause or resume"));
    m_cancel = button("plain", QStringLiteral("cancel"), tr("Cancel"),
                      tr("Ends the run after its current iteration; finished matrices are kept and "
                         "the run can be resumed"));
    m_cancel->setAccessibleName(tr("Cancel"));
    auto* progress = new QVBoxLayout;
    progress->setSpacing(3);
    m_status = new ElidedLabel;
    m_status->setObjectName(QStringLiteral("muted"));
    m_bar = new QProgressBar;
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the run"));
    QSizePolicy itsPlace = m_bar->sizePolicy();
    itsPlace.setRetainSizeWhenHidden(true);  // nothing moves when a run begins
    m_bar->setSizePolicy(itsPlace);
    progress->addWidget(m_status);
    progress->addWidget(m_bar);
    row->addSpacing(8);
    row->addLayout(progress, 1);
    column->addLayout(row);

    auto* commandRow = new QHBoxLayout;
    commandRow->setSpacing(6);
    m_label = new QLabel(tr("Same as"));
    m_label->setObjectName(QStringLiteral("muted"));
    m_command = new QLineEdit;
    m_command->setObjectName(QStringLiteral("commandLine"));
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Equivalent command line"));
    auto* copy = new CopyButton(tr("Copy the command line"), [this] { return m_command->text(); });
    commandRow->addWidget(m_label);
    commandRow->addWidget(m_command, 1);
    commandRow->addWidget(copy);
    column->addLayout(commandRow);

    connect(m_start, &QPushButton::clicked, this, &RunBar::runRequested);
    connect(m_pause, &QPushButton::clicked, run, &RunController::togglePause);
    connect(m_cancel, &QPushButton::clicked, run, &RunController::cancel);
    connect(run, &RunController::stateChanged, this, &RunBar::showState);
    connect(run, &RunController::traceChanged, this, &RunBar::showProgress);
    // A run that was followed ends without a change of state.
    connect(run, &RunController::runFinished, this, &RunBar::showState);
    showState();
}

void RunBar::setWaiting(int runs, double seconds) {
    m_waiting = runs;
    m_waitingSeconds = seconds;
    showProgress();
}

void RunBar::setPlan(const QString& command, const QString& problem, int jobs,
                     const QStringList& cost) {
    m_problem = problem;
    m_start->setText(jobs > 1 ? tr("Run %1 jobs").arg(jobs) : tr("Run"));
    m_start->setAccessibleName(m_start->text());
    m_cost->setText(cost.join(QLatin1Char('\n')));
    m_cost->setVisible(!cost.isEmpty());
    m_label->setText(jobs > 1 ? tr("First of %1, as a command:").arg(jobs) : tr("As a command:"));
    m_command->setText(problem.isEmpty() ? command : QString());
    m_command->setPlaceholderText(problem);
    m_command->setToolTip(problem.isEmpty()
                              ? tr("The same run without a window, for scripts, clusters "
                                   "and colleagues:\n%1")
                                    .arg(command)
                              : problem);
    m_command->setCursorPosition(0);
    showState();
}

QString RunBar::command() const { return m_command->text(); }

QString RunBar::cost() const { return m_cost->text(); }

void RunBar::showState() {
    using State = RunController::State;
    const State state = m_run->state();
    m_bar->setVisible(state != State::Idle || m_run->isFollowing());
    m_start->setEnabled(m_problem.isEmpty());
    m_start->setToolTip(!m_problem.isEmpty() ? m_problem
                        : state == State::Idle
                            ? tr("Compress the selected layers as planned (Ctrl+Enter)")
                            : tr("Queue the plan after the current run (Ctrl+Enter)"));
    showButtons();
    switch (state) {
        case State::Idle:
            m_run->isFollowing() ? showProgress() : showEnding();
            break;
        case State::Starting:
            m_status->setText(tr("Starting the engine …"));
            m_bar->setRange(0, 0);
            break;
        case State::Paused:
            m_status->setText(tr("Paused. Resume continues where it stopped."));
            break;
        case State::Cancelling:
            m_status->setText(tr("Cancelling after the current iteration …"));
            break;
        case State::Running:
            showProgress();
            break;
    }
}

void RunBar::showButtons() {
    using State = RunController::State;
    const State state = m_run->state();
    m_pause->setEnabled(state == State::Running || state == State::Paused);
    m_pause->setText(state == State::Paused ? tr("Resume") : tr("Pause"));
    m_pause->setIcon(
        icon(state == State::Paused ? QStringLiteral("resume") : QStringLiteral("pause")));
    m_pause->setToolTip(
        m_run->isFollowing()
            ? tr("A run outside this window cannot be paused; cancel it and resume it here")
            : tr("Pauses the run after its current iteration; nothing is lost"));
    m_cancel->setEnabled(m_run->canCancel());
}

void RunBar::showEnding() {
    const QString& ending = m_run->ending();
    const RunTrace& trace = m_run->trace();
    const QString kept = tr("%1 of %2 matrices").arg(trace.finished()).arg(trace.expected());
    const bool known = trace.expected() > 0;
    m_bar->setRange(0, 1);
    m_bar->setValue(ending == QLatin1String("finished") ? 1 : 0);
    if (ending.isEmpty()) {
        m_status->setText(m_problem.isEmpty() ? tr("Ready.") : m_problem);
    } else if (ending == QLatin1String("finished")) {
        m_status->setText(known
                              ? tr("Finished: %1 in %2").arg(kept, formatDuration(trace.seconds()))
                              : tr("Finished: nothing was left to do"));
    } else if (ending == QLatin1String("refused")) {
        m_status->setText(tr("Nothing was started; the message below says why."));
    } else {
        const QString words = ending == QLatin1String("cancelled") ? tr("Cancelled")
                              : ending == QLatin1String("failed")  ? tr("Failed")
                                                                   : tr("Interrupted");
        m_status->setText(known ? tr("%1: %2 are kept; the run can be resumed").arg(words, kept)
                                : tr("%1; the run can be resumed").arg(words));
    }
}

void RunBar::showProgress() {
    if (m_run->state() != RunController::State::Running && !m_run->isFollowing()) {
        return;
    }
    if (m_run->isFollowing()) {
        showButtons();  // it begins and is cancelled without a change of state
        m_bar->show();
    }
    const StageProgress& progress = m_run->trace().progress();
    const RunTrace& trace = m_run->trace();
    QString text = m_run->isCancelling()       ? tr("ending after its current iteration …")
                   : !progress.stage.isEmpty() ? stageName(progress.stage)
                   : m_run->isFollowing()      ? tr("no matrix has started yet")
                                               : tr("Starting …");
    if (progress.total > 0 && progress.stage != QLatin1String("model")) {  // which is one step
        text += tr("  %1 of %2").arg(progress.done).arg(progress.total);
        m_bar->setRange(0, static_cast<int>(progress.total));
        m_bar->setValue(static_cast<int>(progress.done));
    } else {
        m_bar->setRange(0, 0);
    }
    if (m_run->isFollowing()) {
        text = tr("Outside this window: %1").arg(text);
    }
    if (trace.current() >= 0 && progress.stage == QLatin1String("compress")) {
        text += QStringLiteral("  ·  ") + trace.matrices()[trace.current()].name;
    }
    if (progress.etaSeconds >= 0) {
        text += tr("  ·  about %1 left").arg(formatDuration(progress.etaSeconds));
    }
    if (m_waiting > 0) {
        text += m_waitingSeconds < 0 ? tr("  ·  %1 more waiting").arg(m_waiting)
                                     : tr("  ·  %1 more waiting, about %2")
                                           .arg(m_waiting)
                                           .arg(formatDuration(m_waitingSeconds));
    }
    m_status->setText(text);
}

}  // namespace cospadi::ui
