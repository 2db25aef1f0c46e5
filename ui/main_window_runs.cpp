// The life of a run as the window tells it: queued, started, found again, resumed, left behind.
#include <QApplication>
#include <QCloseEvent>
#include <QProcess>
#include <QSettings>
#include <QTabWidget>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/model/model_locator.h"
#include "core/store/run_specification.h"
#include "ui/base/desktop_notification.h"
#include "ui/base/format.h"
#include "ui/engine/data_fetch.h"
#include "ui/engine/task_queue.h"
#include "ui/main_window.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

// The run that ended because the window was closed: what a user cancels is not offered again.
const QString kStoppedByClosing = QStringLiteral("run/stoppedByClosing");

// Whether two words lead to one model; not where one of them leads nowhere.
bool isSameModel(const std::string& word, const std::string& other) {
    try {
        return std::filesystem::equivalent(locateModel(word), locateModel(other));
    } catch (const std::exception&) {
        return false;
    }
}

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

}  // namespace

void MainWindow::connectRun() {
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::startRun);
    connect(m_run, &RunController::failed, this, &MainWindow::showEngineError);
    connect(m_queue, &RunQueue::changed, this,
            [this] { m_runBar->setWaiting(m_queue->waiting(), m_queue->secondsLeft()); });
    connect(m_run, &RunController::matrixFinished, this, [this](const QString& directory) {
        if (m_run->trace().hasPatterns()) {
            m_patternPage->addFinishedMatrix(directory);
        }
    });
    // The list says what is at work: from when the engine holds the run, to its end of whatever
    // kind.
    connect(m_run, &RunController::begun, m_runsPage, &RunsPage::refresh);
    connect(m_run, &RunController::failed, m_runsPage, &RunsPage::refresh);
    connect(m_run, &RunController::failed, this, [this] {
        if (!m_run->isActive()) {
            m_endedInRow = m_finishedInRow = 0;
        }
    });
    connect(m_run, &RunController::stateChanged, this, [this](RunController::State state) {
        if (state == RunController::State::Running && m_tellsOfTheEngine) {
            m_messages->hide();  // it works again
        }
    });
    connect(m_run, &RunController::runFinished, this,
            [this](const QString& status, const QString& message) {
                m_runsPage->selectAfterRefresh(m_run->runId());
                m_runsPage->refresh();
                m_portraitPanel->lookAgain();
                tellOfTheEnd(status, message);
            });
}

// Of several runs in a row only the last is told as the end.
void MainWindow::tellOfTheEnd(const QString& status, const QString& message) {
    const bool finished = status == QLatin1String("finished");
    ++m_endedInRow;
    m_finishedInRow += finished ? 1 : 0;
    if (status == QLatin1String("failed")) {
        showEngineError({message, m_run->directory(), tr("earlier matrices are kept")});
    }
    if (m_queue->waiting() > 0 && !m_queue->isHeld()) {
        return;
    }
    const int ended = std::exchange(m_endedInRow, 0);
    const int whole = std::exchange(m_finishedInRow, 0);
    QApplication::alert(this);
    tellTheDesktop(status);
    m_tellsOfTheEngine = m_tellsOfTheEngine && status == QLatin1String("failed");
    if (status == QLatin1String("failed")) {
        return;
    }
    if (!finished && ended == 1) {
        m_messages->show(MessageBar::Kind::Information, tr("The run was %1.").arg(status), {},
                         tr("Its finished matrices are kept."));
        m_messages->offer(tr("Go on with it"), [this] { m_run->resumeInterrupted(); });
        return;
    }
    const QString where = ended > 1 ? tr("They are listed under Runs.")
                          : m_run->trace().hasPatterns()
                              ? tr("It is listed under Runs, its patterns under Pattern.")
                              : tr("It is listed under Runs.");
    const QStringList warnings = m_run->trace().warnings();
    m_messages->show(ended == whole ? MessageBar::Kind::Success : MessageBar::Kind::Information,
                     ended == 1       ? tr("The run is finished.")
                     : ended == whole ? tr("All %1 runs are finished.").arg(ended)
                                      : tr("%1 of %2 runs are finished.").arg(whole).arg(ended),
                     {},
                     warnings.isEmpty()
                         ? where
                         : where + tr(" Note: %1.").arg(warnings.join(QStringLiteral("; "))));
    m_messages->offer(tr("Show in Runs"), [this] { m_pages->setCurrentWidget(m_runsPage); });
}

void MainWindow::startRun() {
    const RunSpecification plan = plannedRun();
    QList<Job> jobs = m_planPanel->jobs();
    for (Job& job : jobs) {
        job.specification.model = plan.model;
        job.specification.layers = plan.layers;
    }
    queueRuns(jobs);
}

void MainWindow::queueRuns(QList<Job> jobs) {
    for (const Job& job : jobs) {
        try {
            validate(job.specification);
        } catch (const Error& error) {
            showEngineError({QString::fromStdString(error.problem()),
                             QString::fromStdString(error.where()),
                             QString::fromStdString(error.hint())});
            return;
        }
    }
    m_messages->hide();
    m_pages->setCurrentWidget(m_monitorPage);
    m_queue->setHeld(false);
    m_queue->add(jobs);
}

void MainWindow::resumeStored(const RunRow& run) {
    if (m_run->isActive()) {
        m_messages->show(MessageBar::Kind::Information,
                         tr("Another run is going on; resume this one after it."));
        return;
    }
    m_messages->hide();
    m_pages->setCurrentWidget(m_monitorPage);
    m_run->resumeStored(QString::fromStdString(run.specification),
                        QString::fromStdString(run.directory));
}

void MainWindow::planFrom(const RunRow& run) {
    try {
        RunSpecification specification =
            runSpecificationFromJson(nlohmann::json::parse(run.specification));
        specification.calibration = asTyped(specification.calibration);
        m_planPanel->setSpecification(specification);
        m_pages->setCurrentWidget(m_planPanel);
        const QString regex = QString::fromStdString(specification.layers);
        if (!m_modelWord.isEmpty() && isSameModel(m_modelWord.toStdString(), specification.model)) {
            m_modelPanel->selectByRegex(regex);
        } else {
            const QString word = isSameModel("default", specification.model)
                                     ? QStringLiteral("default")
                                     : QString::fromStdString(specification.model);
            m_wanted = {word, regex};
            loadModel(word);  // the Model page says why, where it is gone
        }
    } catch (const std::exception& error) {
        showEngineError({QString::fromUtf8(error.what()), QString::fromStdString(run.id),
                         tr("the run was written by another version")});
    }
}

void MainWindow::offerWhatWasLeft(const std::vector<RunRow>& runs) {
    if (std::exchange(m_lookedForWhatWasLeft, true) || m_run->isActive()) {
        return;  // once, and not over what this window has begun meanwhile
    }
    const QString stopped = QSettings().value(kStoppedByClosing).toString();
    QSettings().remove(kStoppedByClosing);
    for (const RunRow& run : runs) {
        if (run.status == "running" || run.status == "paused") {
            m_messages->show(
                MessageBar::Kind::Information,
                tr("%1 goes on outside this window.").arg(QString::fromStdString(run.id)), {},
                tr("%1 matrices are finished so far.").arg(run.matrices));
            m_messages->offer(tr("Watch it"), [this, run] { follow(run); });
            return;
        }
        const bool stoppedHere = run.status == "cancelled" && run.id == stopped.toStdString();
        if (run.status == "interrupted" || stoppedHere) {
            m_messages->show(MessageBar::Kind::Information,
                             tr("%1 was interrupted after %2 matrices.")
                                 .arg(QString::fromStdString(run.id))
                                 .arg(run.matrices),
                             {}, tr("It can go on from there."));
            m_messages->offer(tr("Resume"), [this, run] { resumeStored(run); });
            return;
        }
    }
    if (m_queue->waiting() > 0) {
        m_messages->show(
            MessageBar::Kind::Information,
            tr("%1 runs were still waiting when the window was closed.").arg(m_queue->waiting()));
        m_messages->offer(tr("Start them"), [this] {
            m_pages->setCurrentWidget(m_monitorPage);
            m_queue->setHeld(false);
        });
        m_messages->offer(tr("Forget them"), [this] { m_queue->clear(); });
    }
}

void MainWindow::follow(const RunRow& run) {
    m_pages->setCurrentWidget(m_monitorPage);
    m_run->follow(QString::fromStdString(run.specification), QString::fromStdString(run.directory),
                  QString::fromStdString(run.id));
}

void MainWindow::tellTheDesktop(const QString& status) {
    if (!Preferences::load().notify || (isActiveWindow() && !isMinimized())) {
        return;
    }
    const RunTrace& trace = m_run->trace();
    notifyDesktop(status == QLatin1String("finished") ? tr("The run is finished")
                                                      : tr("The run has ended: %1").arg(status),
                  tr("%1 of %2 matrices in %3")
                      .arg(trace.finished())
                      .arg(trace.expected())
                      .arg(formatDuration(trace.seconds())));
}

void MainWindow::evaluate(const RunRow& run) {
    const int tokens = QSettings().value(QStringLiteral("evaluate/tokens"), 8192).toInt();
    try {
        m_evaluationId =
            m_engine->request(QStringLiteral("evaluate"),
                              {{QStringLiteral("model"), QString::fromStdString(run.directory)},
                               {QStringLiteral("text"), perplexityText()},
                               {QStringLiteral("context"), 512},
                               {QStringLiteral("max_tokens"), tokens},
                               {QStringLiteral("score"), QStringLiteral("all")}});
        m_messages->show(
            MessageBar::Kind::Information,
            tr("Measuring the perplexity of %1 …").arg(QString::fromStdString(run.id)), {},
            tr("WikiText-2, %1 tokens in windows of 512. It appears in the table.").arg(tokens));
        m_tellsOfTheEngine = false;
        emit activityChanged();
    } catch (const Error& error) {
        showEngineError({QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint())});
    }
}

void MainWindow::showEngineError(const EngineError& error) {
    m_tellsOfTheEngine = true;
    m_messages->show(MessageBar::Kind::Problem, error.message, error.where, error.hint);
    if (m_run->canResumeInterrupted() && !m_run->isActive()) {
        m_messages->offer(tr("Restart and resume the run"), [this] { m_run->resumeInterrupted(); });
    }
}

void MainWindow::leaveRunning() {
    const QStringList words = m_run->commandToGoOn();
    m_run->disconnect();
    m_engine->stop(20000);  // ends at its next iteration; finished matrices are in their files
    if (!words.isEmpty()) {
        QProcess::startDetached(m_engine->program(), words);
    }
    m_askedBeforeClosing = true;
    m_leftRunning = true;
    close();
}

bool MainWindow::askBeforeClosing() {
    const Preferences::Closing wish = Preferences::load().closing;
    const QString what = goingOn();
    if (what.isEmpty() || m_askedBeforeClosing || wish == Preferences::Closing::Stop) {
        return false;
    }
    // A run can go on in a process of its own; what waits behind it in the engine cannot.
    const bool runAlone = m_run->isActive() && m_evaluationId == 0 && !m_taskQueue->isActive() &&
                          !m_dataFetch->isActive();
    if (runAlone && wish == Preferences::Closing::LeaveRunning) {
        leaveRunning();
        return true;
    }
    m_messages->show(
        MessageBar::Kind::Information, what, {},
        m_run->isActive()         ? tr("Finished matrices are kept either way; what waits is kept "
                                               "for the next start.")
        : m_taskQueue->isActive() ? tr("Tasks that have ended are recorded; the one at hand would "
                                       "begin anew.")
        : m_dataFetch->isActive() ? tr("Tasks that have been fetched stay.")
        : m_evaluationId != 0     ? tr("It would have to be measured anew.")
                                  : tr("Finished blocks are kept."));
    m_tellsOfTheEngine = false;
    m_messages->offer(tr("Stop it and close"), [this] {
        m_askedBeforeClosing = true;
        close();
    });
    if (m_run->isActive()) {
        m_messages->offer(tr("Close, and let it run on"), [this] { leaveRunning(); });
    }
    m_messages->offer(tr("Stay"), [] {});
    return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (askBeforeClosing()) {
        event->ignore();
        return;
    }
    if (m_run->isActive() && !m_leftRunning) {
        QSettings().setValue(kStoppedByClosing, m_run->runId());
    }
    saveState();
    m_run->disconnect();
    event->accept();
}

}  // namespace cospadi::ui
