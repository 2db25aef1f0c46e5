#include "app/workbench/planning_pictures.h"

#include <QTabWidget>
#include <algorithm>

#include "app/workbench/example_ablation.h"
#include "app/workbench/photographer.h"
#include "app/workbench/step_player.h"
#include "app/workbench/tour.h"
#include "ui/base/translated.h"
#include "ui/charts/curve_chart.h"
#include "ui/engine/matrix_lab.h"
#include "ui/main_window.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/whole/whole_page.h"

namespace cospadi::app {

namespace {

void photographExplore(const Tour& tour) {
    ui::ExplorePage* page = tour.window.pages().explore;
    const auto isExplored = [tour, page] {
        const ui::MatrixLab* lab = tour.window.services().lab;
        return lab->trace().number() > 0 && !lab->trace().status().isEmpty() &&
               !lab->isExploring() &&
               lab->trace().matrices().size() == page->picker()->layers().size();
    };
    tour.player.add({QStringLiteral("one matrix explored"),
                     [tour, page] {
                         // By the usual solver: K-SVD is none to drag, nor for all of the model.
                         tour.window.pages().plan->setSpecification(ExampleAblation::usualPlan());
                         tour.window.pages().tabs->setCurrentWidget(page);
                     },
                     isExplored});
    tour.photographer.photographPage(QStringLiteral("explore"));
    tour.player.add({QStringLiteral("all kinds of a block explored"),
                     [page] { page->picker()->setBeside(page->picker()->otherKinds()); },
                     isExplored});
    tour.photographer.photograph(QStringLiteral("explore-several"),
                                 ui::indexOfPage(QStringLiteral("explore")));
}

}  // namespace

void photographPlanning(const Tour& tour) {
    const ui::WindowPages& pages = tour.window.pages();
    tour.player.add(
        {QStringLiteral("the matrix under the cursor"),
         [&pages] { pages.tabs->setCurrentIndex(ui::indexOfPage(QStringLiteral("model"))); },
         [&pages] {
             const auto& curves = pages.portrait->spectrumChart()->curves();
             const QString whitened = ui::Words::tr("whitened, L W");
             return std::any_of(curves.begin(), curves.end(),
                                [&](const ui::Curve& curve) { return curve.name == whitened; });
         }});
    tour.photographer.photographPage(QStringLiteral("model"));
    tour.photographer.photographPage(QStringLiteral("plan"));
    photographExplore(tour);
    tour.player.add({QStringLiteral("the whole model"),
                     [&pages] { pages.tabs->setCurrentWidget(pages.whole); },
                     [&pages] { return pages.whole->shared().has_value(); }});
    tour.photographer.photographPage(QStringLiteral("whole"));
    tour.player.add({QStringLiteral("the latest run"),
                     [&pages] { pages.tabs->setCurrentWidget(pages.monitor); },
                     [&pages] {
                         return pages.monitor->errorChart()->curves().size() >=
                                ExampleAblation::kMatrices;
                     }});
    tour.photographer.photographPage(QStringLiteral("monitor"));
}

}  // namespace cospadi::app
