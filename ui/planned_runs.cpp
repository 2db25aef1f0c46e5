#include "ui/planned_runs.h"

#include <QSettings>
#include <QTabWidget>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/model/model_locator.h"
#include "ui/cluster_life.h"
#include "ui/dialogs/cluster_dialog.h"
#include "ui/engine/command_line.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/run_controller.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/plan_cost.h"
#include "ui/open_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/cluster_list.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/run_life.h"
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

}  // namespace

PlannedRuns::PlannedRuns(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
    connectPages();
    connect(parts.life, &RunLife::planned, this, &PlannedRuns::takeUp);
    connect(&m_keptCalibration, &KeptCalibration::told, parts.pages.plan,
            &PlanPanel::setCalibrationKept);
    connect(parts.services.run, &RunController::runFinished, &m_keptCalibration,
            &KeptCalibration::askAgain);
    connect(parts.services.lab, &MatrixLab::calibrated, &m_keptCalibration,
            &KeptCalibration::askAgain);
}

void PlannedRuns::connectPages() {
    const WindowPages& pages = m_parts.pages;
    connect(pages.model, &ModelPanel::selectionChanged, this, &PlannedRuns::update);
    connect(pages.model, &ModelPanel::highlightChanged, this, &PlannedRuns::update);
    connect(pages.plan, &PlanPanel::changed, this, &PlannedRuns::showPlanned);
    connect(pages.runBar, &RunBar::runRequested, this, &PlannedRuns::start);
    connect(pages.monitor->clusters(), &ClusterList::submissionWanted, this,
            &PlannedRuns::offerCluster);
    connect(pages.monitor, &MonitorPage::smallRunWanted, this, &PlannedRuns::tryOneBlock);
    connect(pages.pattern, &PatternPage::smallRunWanted, this, &PlannedRuns::tryOneBlock);
    connect(pages.tables, &TablesPage::smallRunWanted, this, &PlannedRuns::tryOneBlock);
    connect(pages.runs, &RunsPage::smallRunWanted, this, &PlannedRuns::tryOneBlock);
    connect(pages.explore, &ExplorePage::keepRequested, this, &PlannedRuns::queueOne);
    connect(pages.whole, &WholePage::runRequested, this, &PlannedRuns::queueOne);
    connect(pages.explore, &ExplorePage::planRequested, this,
            [this](const RunSpecification& specification) {
                PlanPanel* plan = m_parts.pages.plan;
                plan->setSpecification(specification, plan->sweep());
                m_parts.pages.tabs->setCurrentWidget(plan);
            });
}

RunSpecification PlannedRuns::plannedRun() const {
    const QString& model = m_parts.openModel->word();
    RunSpecification plan = m_parts.pages.plan->specification();
    plan.model = model.isEmpty() ? "default" : model.toStdString();
    plan.layers = m_parts.pages.model->layersRegex().toStdString();
    return plan;
}

QList<Job> PlannedRuns::plannedJobs() const {
    const RunSpecification plan = plannedRun();
    const TaskJob question = m_parts.pages.evaluate->question();
    QList<Job> jobs = m_parts.pages.plan->jobs();
    for (Job& job : jobs) {
        job.specification.model = plan.model;
        job.specification.layers = plan.layers;
        job.after.data = question.data;
        job.after.limit = question.limit;
    }
    return jobs;
}

void PlannedRuns::update() {
    const ModelPanel& model = *m_parts.pages.model;
    m_parts.pages.plan->setSelection(model.tree()->layers(), model.tree()->checked(),
                                     model.tickedLayer(), m_parts.openModel->parameters());
}

void PlannedRuns::showPlanned() {
    const WindowPages& pages = m_parts.pages;
    const RunSpecification plan = plannedRun();
    const QList<Job> jobs = pages.plan->jobs();
    RunSpecification first = plan;
    if (!jobs.isEmpty()) {
        first = jobs.first().specification;
        first.model = plan.model;
        first.layers = plan.layers;
    }
    pages.runBar->setPlan(compressCommand(first), pages.plan->problem(),
                          static_cast<int>(jobs.size()), totalsWords(pages.plan->totals()));
    m_keptCalibration.ask(plan);
    pages.portrait->setMatrix(plan, pages.model->highlightedLayer());
    pages.explore->setPlan(plan);
    RunSpecification whole = plan;
    whole.model = m_parts.openModel->word().toStdString();
    pages.whole->setPlan(whole);
}

void PlannedRuns::start() { m_parts.life->queue(plannedJobs()); }

void PlannedRuns::queueOne(const RunSpecification& specification) {
    Job job;
    job.specification = specification;
    m_parts.life->queue({job});
}

void PlannedRuns::offerCluster() {
    ClusterPlan plan;
    plan.problem = m_parts.pages.plan->problem();
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
    m_parts.clusterLife->offer(plan, m_parts.pages.centre->window());
}

void PlannedRuns::tryOneBlock() {
    constexpr int kSequences = 8;  // a first look, not a result to publish
    constexpr int kLength = 256;
    LayerTreeModel* tree = m_parts.pages.model->tree();
    if (tree->layers().empty()) {
        m_parts.pages.tabs->setCurrentWidget(m_parts.pages.modelPage);  // how to get a model
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
    m_parts.pages.plan->setSpecification(plan);
    m_parts.life->explainNext();
    start();
}

void PlannedRuns::takeUp(const RunSpecification& specification) {
    const WindowPages& pages = m_parts.pages;
    pages.plan->setSpecification(specification);
    if (const QStringList lost = pages.plan->shownOtherwise(specification); !lost.isEmpty()) {
        pages.messages->show(MessageBar::Kind::Information,
                             tr("The Plan page does not support all settings of this run: %1.")
                                 .arg(lost.join(QStringLiteral(", "))),
                             {}, tr("The command line accepts them all."));
    }
    pages.tabs->setCurrentWidget(pages.plan);
    const QString regex = QString::fromStdString(specification.layers);
    const QString& open = m_parts.openModel->word();
    if (!open.isEmpty() && isSameModel(open.toStdString(), specification.model)) {
        pages.model->selectByRegex(regex);
        return;
    }
    const QString word = isSameModel("default", specification.model)
                             ? QStringLiteral("default")
                             : QString::fromStdString(specification.model);
    m_parts.openModel->tickNext(WantedLayers{word, regex, {}});
    m_parts.openModel->load(word);  // which says so where it is gone
}

}  // namespace cospadi::ui
