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
#include "ui/engine/run_controller.h"
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
    connect(m_pages.runBar, &RunBar::runRequested, this, &MainWindow::startRun);
    connect(m_services.queue, &RunQueue::changed, this, [this] {
        m_pages.runBar->setWaiting(m_services.queue->waiting(), m_services.queue->secondsLeft());
        m_pages.runs->setAsked(askedRuns(m_services.queue->jobs()));
    });
    connect(m_services.queue, &RunQueue::sweepRunBegun, m_pages.runs, &RunsPage::addToSweep);
    connect(m_services.run, &RunController::matrixFinished, this, [this](const QString& directory) {
        if (m_services.run->trace().hasPatterns()) {
            m_pages.pattern->addFinishedMatrix(directory);
        }
    });
    connect(m_services.run, &RunController::runFinished, this, [this] {
        m_pages.runs->selectAfterRefresh({m_services.run->runId()});
        m_pages.runs->refresh();
        m_pages.portrait->lookAgain();
    });
    // Queued: the engine is not stopped while it is being listened to.
    connect(m_services.activity, &Activity::changed, this, &MainWindow::restartEngineWhenIdle,
            Qt::QueuedConnection);
}

void MainWindow::connectClusters() {
    const auto showMonitor = [this] { m_pages.tabs->setCurrentWidget(m_pages.monitor); };
    connect(m_clusterLife, &ClusterLife::monitorWanted, this, showMonitor);
    connect(m_clusterLife, &ClusterLife::submitted, this, [this](const QString& file) {
        m_pages.monitor->showClusters();
        m_pages.monitor->clusters()->choose(file);
    });
    connect(m_clusterLife, &ClusterLife::storedChanged, m_pages.runs, &RunsPage::refresh);
    connect(m_pages.monitor->clusters(), &ClusterList::submissionWanted, this,
            &MainWindow::offerCluster);
    connect(m_pages.monitor->clusters(), &ClusterList::watchWanted, m_clusterLife,
            &ClusterLife::watch);
}

void MainWindow::connectRunLife() {
    connect(m_runLife, &RunLife::monitorWanted, this,
            [this] { m_pages.tabs->setCurrentWidget(m_pages.monitor); });
    connect(m_runLife, &RunLife::runsWanted, this,
            [this] { m_pages.tabs->setCurrentWidget(m_pages.runs); });
    connect(m_runLife, &RunLife::storedChanged, m_pages.runs, &RunsPage::refresh);
    connect(m_runMeasures, &RunMeasures::storedChanged, m_pages.runs, &RunsPage::refresh);
    connect(m_pages.runs, &RunsPage::evaluationRequested, m_runMeasures, &RunMeasures::evaluate);
    connect(m_pages.runs, &RunsPage::resumeRequested, m_runLife, &RunLife::resume);
    connect(m_pages.runs, &RunsPage::planRequested, m_runLife, &RunLife::planFrom);
    connect(m_runLife, &RunLife::planned, this, &MainWindow::showPlan);
    connect(m_runLife, &RunLife::allEnded, this, [this](const QString& status) {
        QApplication::alert(this);
        tellTheDesktop(status);
    });
    connect(m_closing, &Closing::closeWanted, this, &QWidget::close);
}

QList<Job> MainWindow::plannedJobs() const {
    const RunSpecification plan = plannedRun();
    const TaskJob question = m_pages.evaluate->question();
    QList<Job> jobs = m_pages.plan->jobs();
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
    plan.problem = m_pages.plan->problem();
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
    LayerTreeModel* tree = m_pages.model->tree();
    if (tree->layers().empty()) {
        m_pages.tabs->setCurrentWidget(m_pages.modelPage);  // which says how to get a model
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
    m_pages.plan->setSpecification(plan);
    m_runLife->explainNext();
    startRun();
}

void MainWindow::showPlan(const RunSpecification& specification) {
    m_pages.plan->setSpecification(specification);
    if (const QStringList lost = m_pages.plan->shownOtherwise(specification); !lost.isEmpty()) {
        m_pages.messages->show(MessageBar::Kind::Information,
                               tr("The Plan page cannot hold all settings of this run: %1.")
                                   .arg(lost.join(QStringLiteral(", "))),
                               {}, tr("The command line takes them as they are."));
    }
    m_pages.tabs->setCurrentWidget(m_pages.plan);
    const QString regex = QString::fromStdString(specification.layers);
    if (!m_modelWord.isEmpty() && isSameModel(m_modelWord.toStdString(), specification.model)) {
        m_pages.model->selectByRegex(regex);
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
    const RunTrace& trace = m_services.run->trace();
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
    m_services.run->disconnect();
    event->accept();
}

}  // namespace cospadi::ui
