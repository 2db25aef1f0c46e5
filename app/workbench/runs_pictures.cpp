#include "app/workbench/runs_pictures.h"

#include <QComboBox>
#include <QTabWidget>
#include <algorithm>

#include "app/workbench/choice_boxes.h"
#include "app/workbench/example_ablation.h"
#include "app/workbench/photographer.h"
#include "app/workbench/step_player.h"
#include "app/workbench/tour.h"
#include "ui/base/translated.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/main_window.h"
#include "ui/models/comparison_curves.h"
#include "ui/pages/runs/ablation_bar.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/sweep_view.h"

namespace cospadi::app {

namespace {

using ui::Comparison;

void showComparison(const Tour& tour, Comparison comparison, const QStringList& selected) {
    tour.window.pages().tabs->setCurrentWidget(tour.window.pages().runs);
    tour.window.pages().runs->list()->select(selected);
    choose(choiceBox(tour.window, "comparison"), static_cast<int>(comparison));
}

void photographErrors(const Tour& tour, const ui::RunsPage* page, int place) {
    tour.player.add({QStringLiteral("errors by matrix"),
                     [tour] {
                         showComparison(tour, Comparison::ErrorByLayer,
                                        idsOf(tour.ablation.compared()));
                     },
                     [tour, page] {
                         return page->comparisonChart()->curves().size() ==
                                qsizetype(tour.ablation.compared().size());
                     }});
    tour.photographer.photographPage(QStringLiteral("runs"));
    tour.player.add({QStringLiteral("error maps"),
                     [tour] {
                         showComparison(tour, Comparison::ErrorMap,
                                        idsOf({*tour.ablation.rival(), tour.ablation.ofRho(2)}));
                     },
                     [page] {
                         return page->errorMapView()->data().values.size() ==
                                ExampleAblation::kMatrices;
                     }});
    tour.photographer.photograph(QStringLiteral("runs-map"), place);
}

void photographAblation(const Tour& tour, const ui::RunsPage* page, int place) {
    tour.player.add(
        {QStringLiteral("an ablation"),
         [tour] {
             showComparison(tour, Comparison::Ablation, idsOf(tour.ablation.runs()));
             tour.window.findChild<ui::AblationBar*>()->choose({{"rho", "error", "cr", ""}, {}});
         },
         [page] {
             const auto& curves = page->comparisonChart()->curves();
             return curves.size() == ExampleAblation::kRatios &&
                    std::all_of(curves.begin(), curves.end(), [](const ui::Curve& curve) {
                        return curve.points.size() == ExampleAblation::kRhos &&
                               curve.deviations.size() == ExampleAblation::kRhos;
                    });
         }});
    tour.photographer.photograph(QStringLiteral("runs-ablation"), place);
}

void photographSweep(const Tour& tour, int place) {
    ui::SweepView* view = tour.window.pages().runs->sweepView();
    tour.player.add({QStringLiteral("a sweep"),
                     [tour, view] {
                         showComparison(tour, Comparison::Sweep, idsOf(tour.ablation.runs()));
                         view->choose(ExampleAblation::lists().name);
                         choose(choiceBox(tour.window, "sweepMetric"), QStringLiteral("error"));
                     },
                     [view] { return !view->isBusy() && view->model()->rowCount() > 0; }});
    tour.player.add({QStringLiteral("its ratios by ρ"),
                     [tour] {
                         choose(choiceBox(tour.window, "sweepRows"), QStringLiteral("cr"));
                         choose(choiceBox(tour.window, "sweepColumns"), QStringLiteral("rho"));
                     },
                     [view] {
                         const SweepMatrix& matrix = view->model()->matrix();
                         return !view->isBusy() && matrix.rows == "cr" && matrix.columns == "rho" &&
                                matrix.finished == ExampleAblation::kRuns;
                     }});
    tour.photographer.photograph(QStringLiteral("runs-sweep"), place);
}

void photographParallel(const Tour& tour, const ui::RunsPage* page, int place) {
    QComboBox* colour = choiceBox(tour.window, "parallelColour");
    const QString error = ui::Words::tr("error");  // what its axis is called
    tour.player.add({QStringLiteral("axes of all runs"),
                     [tour] { showComparison(tour, Comparison::Parallel, {}); },
                     [colour, error] { return colour->findData(error) >= 0; }});
    tour.player.add(
        {QStringLiteral("all runs by their errors"), [colour, error] { choose(colour, error); },
         [page] { return page->parallelView()->lineCount() > ExampleAblation::kRuns; }});
    tour.photographer.photograph(QStringLiteral("runs-parallel"), place);
}

}  // namespace

void photographRuns(const Tour& tour) {
    const ui::RunsPage* page = tour.window.pages().runs;
    const int place = tour.window.pages().tabs->indexOf(tour.window.pages().runs);
    photographErrors(tour, page, place);
    photographAblation(tour, page, place);
    photographSweep(tour, place);
    photographParallel(tour, page, place);
}

}  // namespace cospadi::app
