// How runs reach the pages, and pages the life of runs (run_life.h).
#include <QApplication>
#include <QCloseEvent>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/model/model_locator.h"
#include "core/report/sweep_matrix.h"
#include "core/store/run_condition.h"
#include "core/store/run_specification.h"
#include "ui/base/desktop_notification.h"
#include "ui/base/format.h"
#include "ui/base/status_words.h"
#include "ui/closing.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/cluster_life.h"
#include "ui/dialogs/cluster_dialog.h"
#include "ui/engine/activity.h"
#include "ui/main_window.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/cluster_list.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/run_life.h"
#include "ui/run_measures.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

// Whether two words lead to one model; not where one of them leads nowhere.
bool isSameModel(const std::string& word, const std::string& other) {
    try {
        return std::filesystem::equivalent(locateModel(word), locateModel(other));
    } catch (const std::exception&) {
        return false;
    }
}

// Those of sweeps that wait or go on.
std::vector<RunRow> askedRuns(const QList<Job>& jobs) {
    std::vector<RunRow> asked;
    for (const Job& job : jobs) {
        const bool isWaiting = job.state == QLatin1String(kWaitingStatus);
        if (job.sweep.isEmpty() || !job.directory.isEmpty() ||
            (!isWaiting && job.state != QLatin1String("running"))) {
            continue;
        }
        RunRow run;
        run.status = isWaiting ? kWaitingStatus : "running";
        run.specification = toJson(job.specification).dump();
        run.tags = {kSweepTag + job.sweep.toStdString()};
        asked.push_back(run);
    }
    return asked;
}

}  // namespace

void MainWindow::connectRun() {
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::startRun);
    connect(m_queue, &RunQueue::changed, this, [this] {
        m_runBar->setWaiting(m_queue->waiting(), m_queue->secondsLeft());
        m_runsPage->setAsked(askedRuns(m_queue->jobs()));
    });
    connect(m_queue, &RunQueue::sweepRunBegun, m_runsPage, &RunsPage::addToSweep);
    connect(m_run, &RunController::matrixFinished, this, [this](const QString& directory) {
        if (m_run->trace().hasPatterns()) {
            m_patternPage->addFinishedMatrix(directory);
        }
    });
    connect(m_run, &RunController::runFinished, this, [this] {
        m_runsPage->selectAfterRefresh({m_run->runId()});
        m_runsPage->refresh();
        m_portraitPanel->lookAgain();
    });
    // Queued: the engine is not stopped while it is being listened to.
    connect(m_activity, &Activity::changed, this, &MainWindow::restartEngineWhenIdle,
            Qt::QueuedConnection);
}

void MainWindow::connectClusters() {
    const auto showMonitor = [this] { m_pages->setCurrentWidget(m_monitorPage); };
    connect(m_clusterLife, &ClusterLife::monitorWanted, this, showMonitor);
    connect(m_clusterLife, &ClusterLife::submitted, this, [this](const QString& file) {
        m_monitorPage->showClusters();
        m_monitorPage->clusters()->choose(file);
    });
    connect(m_clusterLife, &ClusterLife::storedChanged, m_runsPage, &RunsPage::refresh);
    connect(m_monitorPage->clusters(), &ClusterList::submissionWanted, this,
            &MainWindow::offerCluster);
    connect(m_monitorPage->clusters(), &ClusterList::watchWanted, m_clusterLife,
            &ClusterLife::watch);
}

void MainWindow::connectRunLife() {
    connect(m_runLife, &RunLife::monitorWanted, this,
            [this] { m_pages->setCurrentWidget(m_monitorPage); });
    connect(m_runLife, &RunLife::runsWanted, this,
            [this] { m_pages->setCurrentWidget(m_runsPage); });
    connect(m_runLife, &RunLife::storedChanged, m_runsPage, &RunsPage::refresh);
    connect(m_runMeasures, &RunMeasures::storedChanged, m_runsPage, &RunsPage::refresh);
    connect(m_runsPage, &RunsPage::evaluationRequested, m_runMeasures, &RunMeasures::evaluate);
    connect(m_runsPage, &RunsPage::resumeRequested, m_runLife, &RunLife::resume);
    connect(m_runsPage, &RunsPage::planRequested, m_runLife, &RunLife::planFrom);
    connect(m_runLife, &RunLife::planned, this, &MainWindow::showPlan);
    connect(m_runLife, &RunLife::allEnded, this, [this](const QString& status) {
        QApplication::alert(this);
        tellTheDesktop(status);
    });
    connect(m_closing, &Closing::closeWanted, this, &QWidget::close);
}

QList<Job> MainWindow::plannedJobs() const {
    const RunSpecification plan = plannedRun();
    const TaskJob question = m_evaluatePage->question();
    QList<Job> jobs = m_planPanel->jobs();
    for (Job& job : jobs) {
        job.specification.model = plan.model;
        job.specification.layers = plan.layers;
        job.after.data = question.data;
        job.after.limit = question.limit;
    }
    return jobs;
}

void MainWindow::startRun() { m_runLife->queue(plannedJobs()); }

void MainWindow::offerCluster() {
    ClusterPlan plan;
    plan.problem = m_planPanel->problem();
    plan.perplexityTokens =
        QSettings().value(QStringLiteral("evaluate/tokens"), plan.perplexityTokens).toInt();
    if (plan.problem.isEmpty()) {
        nlohmann::json runs = nlohmann::json::array();
        for (const Job& job : plannedJobs()) {
            runs.push_back(toJson(job.specification));
            plan.after = job.after;  // the same of all
        }
        plan.count = static_cast<int>(runs.size());
        plan.model = QString::fromStdString(plannedRun().model);
        plan.runs = QByteArray::fromStdString(runs.dump());
    }
    m_clusterLife->offer(plan, this);
}

void MainWindow::tryOneBlock() {
    constexpr int kSequences = 8;  // a first look, not a result to publish
    constexpr int kLength = 256;
    LayerTreeModel* tree = m_modelPanel->tree();
    if (tree->layers().empty()) {
        m_pages->setCurrentWidget(m_modelPage);  // which says how to get a model
        return;
    }
    QVector<bool> ticks(tree->checked().size(), false);
    for (qsizetype i = 0; i < ticks.size(); ++i) {
        const LayerInfo& layer = tree->layers()[static_cast<std::size_t>(i)];
        ticks[i] = layer.block == tree->layers().front().block;
    }
    tree->setChecked(ticks);
    RunSpecification plan;
    plan.calibration.sequences = kSequences;
    plan.calibration.length = kLength;
    m_planPanel->setSpecification(plan);
    m_runLife->explainNext();
    startRun();
}

void MainWindow::showPlan(const RunSpecification& specification) {
    m_planPanel->setSpecification(specification);
    if (const QStringList lost = m_planPanel->shownOtherwise(specification); !lost.isEmpty()) {
        m_messages->show(MessageBar::Kind::Information,
                         tr("The Plan page cannot hold all settings of this run: %1.")
                             .arg(lost.join(QStringLiteral(", "))),
                         {}, tr("The command line takes them as they are."));
    }
    m_pages->setCurrentWidget(m_planPanel);
    const QString regex = QString::fromStdString(specification.layers);
    if (!m_modelWord.isEmpty() && isSameModel(m_modelWord.toStdString(), specification.model)) {
        m_modelPanel->selectByRegex(regex);
        return;
    }
    const QString word = isSameModel("default", specification.model)
                             ? QStringLiteral("default")
                             : QString::fromStdString(specification.model);
    m_wanted = {word, regex, {}};
    loadModel(word);  // which says so where it is gone
}

void MainWindow::tellTheDesktop(const QString& status) {
    if (!Preferences::load().notify || (isActiveWindow() && !isMinimized())) {
        return;
    }
    const RunTrace& trace = m_run->trace();
    notifyDesktop(status == QLatin1String("finished")
                      ? tr("The run is finished")
                      : tr("The run has ended: %1").arg(statusWords(status)),
                  tr("%1 of %2 matrices in %3")
                      .arg(trace.finished())
                      .arg(trace.expected())
                      .arg(formatDuration(trace.seconds())));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_closing->asks()) {
        event->ignore();
        return;
    }
    m_runLife->noteClosing(m_closing->leftRunning());
    saveState();
    m_run->disconnect();
    event->accept();
}

}  // namespace cospadi::ui
