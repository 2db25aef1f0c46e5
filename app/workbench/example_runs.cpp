#include "app/workbench/example_runs.h"

#include <QTabWidget>
#include <algorithm>
#include <filesystem>

#include "app/workbench/example_ablation.h"
#include "app/workbench/step_player.h"
#include "app/workbench/tour.h"
#include "core/base/resources.h"
#include "core/store/locations.h"
#include "ui/engine/activity.h"
#include "ui/engine/run_controller.h"
#include "ui/main_window.h"
#include "ui/models/run_looks.h"
#include "ui/models/sample_table_model.h"
#include "ui/models/task_board_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/evaluate/sample_browser.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/planned_runs.h"

namespace cospadi::app {

namespace {

void startRuns(const Tour& tour, const RunSpecification& plan, const ui::SweepText& lists,
               int runs) {
    const ui::WindowPages& pages = tour.window.pages();
    pages.plan->setSpecification(plan, lists);
    pages.model->selectByRegex(ExampleAblation::layers());
    if (pages.plan->jobs().size() != runs) {
        tour.player.stop(
            QStringLiteral("the plan is not of %1 runs: %2").arg(runs).arg(pages.plan->problem()));
        return;
    }
    tour.window.plannedRuns()->start();
}

void heedRuns(const Tour& tour) {
    using ui::RunController;
    const RunController* controller = tour.window.services().run;
    QObject::connect(controller, &RunController::failed, &tour.player,
                     [tour](const ui::EngineError& error) { tour.player.stop(error.message); });
    QObject::connect(controller, &RunController::runFinished, &tour.player,
                     [tour](const QString& status, const QString& message) {
                         if (status != QLatin1String("finished")) {
                             tour.player.stop(status + QStringLiteral(": ") + message);
                         }
                         tour.player.grantTime();
                     });
}

void nameRuns(const Tour& tour) {
    for (const RunRow& run : tour.ablation.compared()) {
        tour.window.pages().runs->nameRun(run, run.method == "svd-llm"
                                                   ? QStringLiteral("SVD-LLM")
                                                   : QStringLiteral("CoSpaDi, ρ %1").arg(run.rho));
    }
}

// Pictures show no path of the machine that they were taken on.
QString tasksFolder() {
    const std::filesystem::path link = runsDirectory().parent_path() / "tasks";
    if (!std::filesystem::exists(link)) {
        std::filesystem::create_directory_symlink(resourcePath("tasks"), link);
    }
    return QString::fromStdString(link.string());
}

}  // namespace

void makeExampleRuns(const Tour& tour) {
    heedRuns(tour);
    tour.player.add({QStringLiteral("the model opens"), [] {},
                     [tour] { return tour.window.pages().model->highlightedLayer() != nullptr; }});
    tour.player.add({QStringLiteral("SVD-LLM"),
                     [tour] { startRuns(tour, ExampleAblation::rivalPlan(), {}, 1); },
                     [tour] {
                         return tour.window.services().activity->isIdle() &&
                                tour.ablation.rival().has_value();
                     }});
    tour.player.add({QStringLiteral("the ablation"),
                     [tour] {
                         startRuns(tour, ExampleAblation::plan(), ExampleAblation::lists(),
                                   ExampleAblation::kRuns);
                     },
                     [tour] {
                         return tour.window.services().activity->isIdle() &&
                                tour.ablation.runs().size() == ExampleAblation::kRuns;
                     }});
    tour.player.add({QStringLiteral("names of runs"), [tour] { nameRuns(tour); },
                     [tour] {
                         const std::vector<RunRow> runs = tour.ablation.compared();
                         return std::none_of(runs.begin(), runs.end(), [](const RunRow& run) {
                             return ui::ownName(run).isEmpty();
                         });
                     }});
}

void evaluateExampleRuns(const Tour& tour) {
    ui::EvaluatePage* page = tour.window.pages().evaluate;
    tour.player.add({QStringLiteral("tasks"),
                     [tour, page] {
                         tour.window.pages().tabs->setCurrentWidget(page);
                         page->setData(tasksFolder());
                         page->chooseTasks({QStringLiteral("piqa")});
                         page->chooseRuns({directoryOf(*tour.ablation.rival()),
                                           directoryOf(tour.ablation.ofRho(2))});
                         page->start();
                     },
                     [page] {
                         return !page->queue()->isActive() && page->board()->rowCount() == 3 &&
                                page->browser()->model()->rowCount() > 0;
                     }});
}

}  // namespace cospadi::app
