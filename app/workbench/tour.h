// What every part of the tour through the window works with on which its pictures are taken: parts
// add their steps, which a copy of this goes into.
#pragma once

namespace cospadi::ui {
class MainWindow;
}

namespace cospadi::app {

class ExampleAblation;
class Photographer;
class StepPlayer;

// All of it outlives the player's last step.
struct Tour {
    ui::MainWindow& window;
    const ExampleAblation& ablation;
    StepPlayer& player;
    Photographer& photographer;
};

}  // namespace cospadi::app
