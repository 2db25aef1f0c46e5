#include "app/workbench/pattern_pictures.h"

#include <QComboBox>
#include <QTabWidget>
#include <algorithm>

#include "app/workbench/choice_boxes.h"
#include "app/workbench/example_ablation.h"
#include "app/workbench/photographer.h"
#include "app/workbench/step_player.h"
#include "app/workbench/tour.h"
#include "ui/charts/map_tiles.h"
#include "ui/charts/pattern_view.h"
#include "ui/main_window.h"
#include "ui/pages/pattern/pattern_grid.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"

namespace cospadi::app {

namespace {

void photographOnePattern(const Tour& tour, ui::PatternPage* page, int place) {
    tour.player.add(
        {QStringLiteral("a pattern"),
         [tour, page] {
             tour.window.pages().tabs->setCurrentWidget(page);
             page->showRun(directoryOf(tour.ablation.ofRho(2)));
             choiceBox(tour.window, "patternMatrix")->setCurrentText(ExampleAblation::oneMatrix());
         },
         [tour, page] {
             return choiceBox(tour.window, "patternMatrix")->currentText() ==
                        ExampleAblation::oneMatrix() &&
                    !page->view()->isEmpty();
         }});
    tour.photographer.photographPage(QStringLiteral("pattern"));
    tour.player.add({QStringLiteral("a second run's pattern"),
                     [tour] {
                         choose(choiceBox(tour.window, "patternBeside"),
                                directoryOf(tour.ablation.ofRho(3)));
                     },
                     [page] { return !page->maps()->difference()->isEmpty(); }});
    tour.photographer.photograph(QStringLiteral("pattern-compared"), place);
}

void photographPatternGrid(const Tour& tour, const ui::PatternPage* page, int place) {
    const auto haveMaps = [page](int count) {
        const auto& tiles = page->grid()->tiles()->tiles();
        return !page->grid()->isBusy() && tiles.size() == count &&
               std::none_of(tiles.begin(), tiles.end(),
                            [](const ui::MapTile& tile) { return tile.map.isNull(); });
    };
    QComboBox* arrangement = choiceBox(tour.window, "patternArrangement");
    tour.player.add({QStringLiteral("patterns through the depth"),
                     [arrangement] { arrangement->setCurrentIndex(1); },
                     [haveMaps] { return haveMaps(ExampleAblation::kBlocks); }});
    tour.photographer.photograph(QStringLiteral("pattern-depth"), place);
    QComboBox* setting = choiceBox(tour.window, "patternSetting");
    tour.player.add({QStringLiteral("settings to set patterns by"),
                     [arrangement] { arrangement->setCurrentIndex(2); },
                     [setting] { return setting->findData(QStringLiteral("rho")) >= 0; }});
    tour.player.add({QStringLiteral("patterns over ρ"),
                     [setting] { choose(setting, QStringLiteral("rho")); },
                     [haveMaps] { return haveMaps(ExampleAblation::kRhos); }});
    tour.photographer.photograph(QStringLiteral("pattern-setting"), place);
}

}  // namespace

void photographPatterns(const Tour& tour) {
    ui::PatternPage* page = tour.window.pages().pattern;
    const int place = tour.window.pages().tabs->indexOf(page);
    photographOnePattern(tour, page, place);
    photographPatternGrid(tour, page, place);
}

}  // namespace cospadi::app
