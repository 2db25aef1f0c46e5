// Pictures of every page for the documentation: `cospadi-workbench --screenshots DIR`.
#pragma once

#include <QString>

namespace cospadi::ui {
class MainWindow;
}

// Waits for the model, runs an ablation of ρ, CR and seeds on the attention of three blocks, and
// SVD-LLM beside it, looks at what came of it on every page, and quits the application: 0 when
// every picture was written. Each is there four times: DIR/PAGE-light.png and PAGE-dark.png (1440 ×
// 900), PAGE-small.png and PAGE-small-dark.png (1024 × 600). Minutes, most of them of K-SVD.
void takeAllScreenshots(cospadi::ui::MainWindow& window, const QString& folder);
