#include "ui/page_connections.h"

#include <QTabWidget>
#include <type_traits>

#include "core/report/sweep_matrix.h"
#include "core/store/run_condition.h"
#include "core/store/run_specification.h"
#include "ui/base/translated.h"
#include "ui/cluster_life.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/engine/task_queue.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/cluster_list.h"
#include "ui/pages/monitor/earlier_runs.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/run_life.h"
#include "ui/run_measures.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

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

void connectLayers(const WindowPages& pages) {
    const auto explore = [page = pages.explore](const LayerInfo& layer) {
        page->setLayer(QString::fromStdString(layer.name));
    };
    QObject::connect(pages.model, &ModelPanel::selectionChanged, pages.explore, [pages, explore] {
        const LayerInfo* layer = pages.model->tickedLayer();
        if (layer != nullptr && !pages.model->isTicked(pages.explore->layer())) {
            explore(*layer);
        }
    });
    QObject::connect(pages.model, &ModelPanel::highlightChanged, pages.explore, [pages, explore] {
        if (const LayerInfo* layer = pages.model->highlightedLayer()) {
            explore(*layer);
        }
    });
}

void connectWays(const ConnectedParts& parts) {
    const WindowPages& pages = parts.pages;
    QTabWidget* tabs = pages.tabs;
    const auto way = [tabs](auto* from, auto wanted, QWidget* page) {
        QObject::connect(from, wanted, tabs, [tabs, page] { tabs->setCurrentWidget(page); });
    };
    way(pages.explore, &ExplorePage::modelWanted, pages.modelPage);
    way(pages.whole, &WholePage::modelWanted, pages.modelPage);
    way(pages.plan, &PlanPanel::layersWanted, pages.modelPage);
    way(pages.runs, &RunsPage::sweepWanted, pages.plan);
    way(parts.runLife, &RunLife::monitorWanted, pages.monitor);
    way(parts.runLife, &RunLife::runsWanted, pages.runs);
    way(parts.clusterLife, &ClusterLife::monitorWanted, pages.monitor);
    QObject::connect(
        pages.runs, &RunsPage::monitorRequested, tabs,
        [pages, run = parts.services.run](const QString& directory, const QString& name) {
            const bool isLive = run->isActive() || run->isFollowing();
            if (isLive && run->directory() == directory) {
                pages.monitor->earlier()->close();  // it stands there, live
            } else {
                pages.monitor->earlier()->open(directory, name);
            }
            pages.tabs->setCurrentWidget(pages.monitor);
        });
    QObject::connect(pages.runs, &RunsPage::patternRequested, tabs,
                     [pages](const QString& directory) {
                         pages.pattern->showRun(directory);
                         pages.tabs->setCurrentWidget(pages.pattern);
                     });
}

void connectLiveRuns(const WindowPages& pages, const WindowServices& services) {
    const RunController* run = services.run;
    const RunQueue* queue = services.queue;
    QObject::connect(queue, &RunQueue::changed, pages.runs, [pages, queue] {
        pages.runBar->setWaiting(queue->waiting(), queue->secondsLeft());
        pages.runs->setAsked(askedRuns(queue->jobs()));
    });
    QObject::connect(queue, &RunQueue::sweepRunBegun, pages.runs, &RunsPage::addToSweep);
    QObject::connect(run, &RunController::matrixFinished, pages.pattern,
                     [pages, run](const QString& directory) {
                         if (run->trace().hasPatterns()) {
                             pages.pattern->addFinishedMatrix(directory);
                         }
                     });
    QObject::connect(run, &RunController::runFinished, pages.runs, [pages, run] {
        pages.runs->selectAfterRefresh({run->runId()});
        pages.runs->refresh();
        pages.portrait->lookAgain();
    });
}

void connectStoredRuns(const ConnectedParts& parts) {
    const WindowPages& pages = parts.pages;
    RunsPage* runs = pages.runs;
    const auto told = [runs](auto* to, auto slot) {
        QObject::connect(runs, &RunsPage::runsChanged, to, slot);
    };
    told(pages.pattern, &PatternPage::setRuns);
    told(pages.whole, &WholePage::setRuns);
    QObject::connect(runs, &RunsPage::ratesChanged, pages.plan, &PlanPanel::setRates);
    told(parts.runLife, &RunLife::offerWhatWasLeft);
    told(parts.runMeasures, &RunMeasures::offerWhatWasLeft);
    told(pages.tables, &TablesPage::refresh);
    told(pages.evaluate, &EvaluatePage::setRuns);
    told(pages.monitor->earlier(), &EarlierRuns::setRuns);
    QObject::connect(parts.runLife, &RunLife::storedChanged, runs, &RunsPage::refresh);
    QObject::connect(parts.runMeasures, &RunMeasures::storedChanged, runs, &RunsPage::refresh);
    QObject::connect(parts.clusterLife, &ClusterLife::storedChanged, runs, &RunsPage::refresh);
    QObject::connect(parts.services.tasks, &TaskQueue::recorded, runs, &RunsPage::refresh);
    QObject::connect(runs, &RunsPage::evaluationRequested, parts.runMeasures,
                     &RunMeasures::evaluate);
    QObject::connect(runs, &RunsPage::resumeRequested, parts.runLife, &RunLife::resume);
    QObject::connect(runs, &RunsPage::planRequested, parts.runLife, &RunLife::planFrom);
}

void connectClusters(const WindowPages& pages, ClusterLife* life) {
    QObject::connect(life, &ClusterLife::submitted, pages.monitor,
                     [monitor = pages.monitor](const QString& file) {
                         monitor->showClusters();
                         monitor->clusters()->choose(file);
                     });
    QObject::connect(pages.monitor->clusters(), &ClusterList::watchWanted, life,
                     &ClusterLife::watch);
}

void connectMessages(const WindowPages& pages) {
    MessageBar* messages = pages.messages;
    const auto tell = [messages](const QString& what, const QString& where, const QString& hint) {
        messages->show(MessageBar::Kind::Problem, what, where, hint);
    };
    QObject::connect(pages.runs, &RunsPage::problem, messages, tell);
    QObject::connect(pages.monitor->earlier(), &EarlierRuns::problem, messages, tell);
    QObject::connect(pages.runs, &RunsPage::exportFailed, messages,
                     [messages](const QString& problem) {
                         messages->show(MessageBar::Kind::Problem,
                                        Words::tr("Nothing was saved: %1").arg(problem));
                     });
    const auto announce = [messages](auto* page) {
        using Page = std::remove_pointer_t<decltype(page)>;
        QObject::connect(page, &Page::exported, messages, [messages](const QString& path) {
            messages->show(MessageBar::Kind::Success, Words::tr("Saved %1").arg(path), {}, {},
                           QStringLiteral("saved"));
        });
    };
    announce(pages.portrait);
    announce(pages.explore);
    announce(pages.whole);
    announce(pages.monitor);
    announce(pages.pattern);
    announce(pages.runs);
}

}  // namespace

void connectPages(const ConnectedParts& parts) {
    connectLayers(parts.pages);
    connectWays(parts);
    connectLiveRuns(parts.pages, parts.services);
    connectStoredRuns(parts);
    connectClusters(parts.pages, parts.clusterLife);
    connectMessages(parts.pages);
}

}  // namespace cospadi::ui
