#include "ui/run_life.h"

#include <QSettings>
#include <QTimer>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "ui/base/format.h"
#include "ui/base/status_words.h"
#include "ui/models/run_looks.h"
#include "ui/sources/run_catalog.h"
#include "ui/sources/task_data.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

const QString kStoppedByClosing = QStringLiteral("run/stoppedByClosing");
const QString kLeftRunning = QStringLiteral("run/leftRunning");
constexpr int kMostLooks = 30;  // for the process that goes on with a run, one a second

// Topics of messages.
const QString kRun = QStringLiteral("run");        // what became of the latest
const QString kEngine = QStringLiteral("engine");  // it is gone
const QString kLeft = QStringLiteral("left");      // by an earlier window

// The calibration as a user would fill it in: a run's record names the text that ships by its place
// at the time, and has no numbers where its method reads no text.
CalibrationSpecification asTyped(CalibrationSpecification calibration) {
    if (calibration.sequences == 0 || calibration.length == 0) {
        return {};
    }
    const std::filesystem::path text = calibration.text;
    std::error_code missing;
    const auto ships = [&](const char* word) {
        const std::filesystem::path here = namedText(word);
        return (text.filename() == here.filename() && text.parent_path().filename() == "texts") ||
               std::filesystem::equivalent(text, here, missing);
    };
    if (ships("c4")) {
        calibration.text.clear();
    } else if (ships("web")) {
        calibration.text = "web";
    }
    calibration.textSha256.clear();
    return calibration;
}

// What came of a run, to somebody who sees it for the first time.
QString explained(const RunTrace& trace) {
    double bytes = 0;
    double dense = 0;
    double error = 0;
    for (const MatrixTrace& matrix : trace.matrices()) {
        bytes += matrix.bytes;
        dense += matrix.denseBytes;
        error += matrix.finalError / static_cast<double>(trace.matrices().size());
    }
    return RunLife::tr(
               "%n matri(x|ces) (takes|take) %1 instead of %2 in bf16: %3 less. (Its error is "
               "%4|Their error is %4 on average): the relative error of a matrix's output on the "
               "calibration text, which is what “whitened” means. Next: tick more layers, or list "
               "several CR or ρ under Sweep to compare them.",
               nullptr, static_cast<int>(trace.finished()))
        .arg(formatBytes(bytes), formatBytes(dense),
             formatPercent(dense > 0 ? 1 - bytes / dense : 0), formatError(error));
}

}  // namespace

RunLife::RunLife(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
    // First those who asked hear of a dead engine, then the user, once.
    connect(parts.engine, &EngineClient::died, this,
            [this](const EngineError& error) { tellProblem(error, kEngine); });
    connect(parts.engine, &EngineClient::ready, this, &RunLife::takeRecovery);
    connectEnds();
}

void RunLife::connectEnds() {
    RunController* run = m_parts.run;
    connect(run, &RunController::failed, this, [this, run](const EngineError& error) {
        if (!error.engineIsGone) {
            tellProblem(error, kRun);
        }
        if (!run->isActive()) {
            m_explains = false;
            m_endedInRow = m_finishedInRow = 0;
        }
    });
    connect(run, &RunController::stateChanged, this, [this](RunController::State state) {
        if (state == RunController::State::Running) {
            withdrawEnds();  // it works again
        }
    });
    connect(run, &RunController::runFinished, this, &RunLife::takeEnd);
    // The list says what is at work: from when the engine holds the run, to its end of whatever
    // kind.
    connect(run, &RunController::begun, this, &RunLife::storedChanged);
    connect(run, &RunController::failed, this, &RunLife::storedChanged);
}

void RunLife::tellProblem(const EngineError& error, const QString& topic) {
    m_parts.messages->showProblem(error, topic);
    offerToGoOn();
}

void RunLife::offerToGoOn() {
    if (m_parts.run->canResumeInterrupted()) {
        m_parts.messages->offer(tr("Resume the run"), [this] { m_parts.run->resumeInterrupted(); });
    }
    if (const int waiting = m_parts.queue->waiting(); waiting > 0 && m_parts.queue->isHeld()) {
        m_parts.messages->offer(tr("Start %n waiting run(s)", nullptr, waiting), [this] {
            emit monitorWanted();
            m_parts.queue->setHeld(false);
        });
    }
}

// That the engine died is past once it answers; a run that it took along is not.
void RunLife::takeRecovery() {
    MessageBar* messages = m_parts.messages;
    if (!messages->stands(kEngine)) {
        return;
    }
    messages->withdraw(kEngine);
    if (m_parts.run->canResumeInterrupted()) {
        messages->show(MessageBar::Kind::Information, tr("The run was interrupted."), {},
                       tr("The engine is running again; finished matrices are kept."), kRun);
        offerToGoOn();
    }
}

// Of several runs in a row only the last is told as the end.
void RunLife::takeEnd(const QString& status, const QString& message) {
    ++m_endedInRow;
    if (status == QLatin1String("finished")) {
        ++m_finishedInRow;
    }
    const QString kept = tr("earlier matrices are kept");
    if (m_parts.queue->goesOn()) {
        if (status == QLatin1String("failed")) {  // stands, whatever becomes of the next
            m_parts.messages->show(MessageBar::Kind::Problem, message, m_parts.run->directory(),
                                   kept);
        }
        return;
    }
    if (status == QLatin1String("failed")) {
        tellProblem({message, m_parts.run->directory(), kept}, kRun);
    }
    const int ended = std::exchange(m_endedInRow, 0);
    const int whole = std::exchange(m_finishedInRow, 0);
    emit allEnded(status);
    if (status != QLatin1String("failed")) {
        tellEnd(status, ended, whole);
    }
    m_explains = false;
}

void RunLife::tellEnd(const QString& status, int ended, int whole) {
    MessageBar* messages = m_parts.messages;
    if (status != QLatin1String("finished") && ended == 1) {
        messages->show(MessageBar::Kind::Information,
                       tr("The run was %1.").arg(statusWords(status)), {},
                       tr("Its finished matrices are kept."), kRun);
        if (m_parts.run->canResumeInterrupted()) {
            messages->offer(tr("Resume"), [this] { m_parts.run->resumeInterrupted(); });
        }
        return;
    }
    const RunTrace& trace = m_parts.run->trace();
    const bool explains = m_explains && ended == 1 && trace.finished() > 0;
    const QString where = explains    ? explained(trace)
                          : ended > 1 ? tr("They are listed under Runs.")
                          : trace.hasPatterns()
                              ? tr("It is listed under Runs, its patterns under Pattern.")
                              : tr("It is listed under Runs.");
    const QStringList warnings = trace.warnings();
    messages->show(
        ended == whole ? MessageBar::Kind::Success : MessageBar::Kind::Information,
        ended == 1       ? tr("The run is finished.")
        : ended == whole ? tr("All %n run(s) (is|are) finished.", nullptr, ended)
                         : tr("%1 of %n run(s) (is|are) finished.", nullptr, ended).arg(whole),
        {},
        warnings.isEmpty() ? where
                           : tr("%1 Note: %2.").arg(where, warnings.join(QStringLiteral("; "))),
        kRun);
    messages->offer(tr("Show in Runs"), [this] { emit runsWanted(); });
}

void RunLife::queue(const QList<Job>& jobs) {
    for (const Job& job : jobs) {
        try {
            validate(job.specification);
        } catch (const Error& error) {
            m_explains = false;
            tellProblem(asEngineError(error), kRun);
            return;
        }
        // Else it would be told when the run is finished, and nobody may be there.
        const QStringList absent = tasksWithoutData(job.after.tasks, job.after.data);
        if (!absent.isEmpty()) {
            m_explains = false;
            tellProblem(
                {tr("There is no data for %1").arg(absent.join(QStringLiteral(", "))),
                 job.after.data,
                 tr("fetch it on the Evaluate page, or set a folder there that contains it")},
                kRun);
            return;
        }
    }
    withdrawOffers();
    emit monitorWanted();
    m_parts.queue->setHeld(false);
    m_parts.queue->add(jobs);
}

void RunLife::withdrawOffers() {
    withdrawEnds();
    m_parts.messages->withdraw(kLeft);
}

void RunLife::withdrawEnds() {
    m_parts.messages->withdraw(kRun);
    m_parts.messages->withdraw(kEngine);
}

void RunLife::resume(const RunRow& run) {
    if (m_parts.run->isActive()) {
        m_parts.messages->show(MessageBar::Kind::Information,
                               tr("Another run is in progress; resume this one when it has ended."),
                               {}, {}, kRun);
        return;
    }
    withdrawOffers();
    emit monitorWanted();
    m_parts.run->resumeStored(QString::fromStdString(run.specification),
                              QString::fromStdString(run.directory));
}

void RunLife::follow(const RunRow& run) {
    emit monitorWanted();
    m_parts.run->follow(QString::fromStdString(run.specification),
                        QString::fromStdString(run.directory), QString::fromStdString(run.id));
}

void RunLife::planFrom(const RunRow& run) {
    try {
        RunSpecification specification =
            runSpecificationFromJson(nlohmann::json::parse(run.specification));
        specification.calibration = asTyped(specification.calibration);
        specification.derived.reset();  // a plan solves anew
        emit planned(specification);
    } catch (const std::exception& error) {
        tellProblem({QString::fromUtf8(error.what()), QString::fromStdString(run.id),
                     tr("the run was written by another version")},
                    kRun);
    }
}

void RunLife::offerWhatWasLeft(const std::vector<RunRow>& runs) {
    if (std::exchange(m_looked, true) || m_parts.run->isActive()) {
        return;  // once, and not over what this window has begun meanwhile
    }
    MessageBar* messages = m_parts.messages;
    const QString left = QSettings().value(kLeftRunning).toString();
    const bool isComing = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
        return run.id == left.toStdString() && run.status == "cancelled";
    });
    if (isComing && m_looks++ < kMostLooks) {
        m_looked = false;
        QTimer::singleShot(1000, this, &RunLife::storedChanged);
        return;
    }
    const QString stopped = isComing ? left : QSettings().value(kStoppedByClosing).toString();
    QSettings().remove(kStoppedByClosing);
    QSettings().remove(kLeftRunning);
    for (const RunRow& run : runs) {
        const QString id = QString::fromStdString(run.id);
        if (run.status == "running" || run.status == "paused") {
            messages->show(MessageBar::Kind::Information,
                           tr("%1 is running outside this window.").arg(nameOf(run)), {},
                           tr("%n matri(x|ces) (is|are) finished so far.", nullptr,
                              static_cast<int>(run.matrices)),
                           kLeft);
            messages->offer(tr("Watch it"), [this, run] { follow(run); });
            return;
        }
        const bool stoppedHere = run.status == "cancelled" && id == stopped;
        if (run.status == "interrupted" || stoppedHere) {
            messages->show(MessageBar::Kind::Information,
                           tr("%1 was interrupted after %n matri(x|ces).", nullptr,
                              static_cast<int>(run.matrices))
                               .arg(nameOf(run)),
                           {}, tr("It can be resumed from there."), kLeft);
            messages->offer(tr("Resume"), [this, run] { resume(run); });
            return;
        }
    }
    if (const int waiting = m_parts.queue->waiting(); waiting > 0) {
        messages->show(
            MessageBar::Kind::Information,
            tr("%n run(s) (was|were) still waiting when the window was closed.", nullptr, waiting),
            {}, {}, kLeft);
        messages->offer(tr("Start them"), [this] {
            emit monitorWanted();
            m_parts.queue->setHeld(false);
        });
        messages->offer(tr("Forget them"), [this] { m_parts.queue->clear(); });
    }
}

void RunLife::noteClosing(bool leavesRunning) const {
    const bool hasBegun = !m_parts.run->runId().isEmpty();  // else the queue keeps it
    if (hasBegun && (leavesRunning || m_parts.run->isActive())) {
        QSettings().setValue(leavesRunning ? kLeftRunning : kStoppedByClosing,
                             m_parts.run->runId());
    }
}

}  // namespace cospadi::ui
