// Pictures of every page for the documentation: `cospadi-workbench --screenshots DIR`.
#pragma once

#include <QString>

namespace cospadi::ui {
class MainWindow;
}

// Waits for the model, calibrates and compresses two small matrices by two methods, explores one,
// writes DIR/PAGE-light.png, PAGE-dark.png (1440 × 900) and PAGE-small.png (1024 × 600), and quits
// the application: 0 when every picture was written. Two calibration sequences: seconds, not
// minutes.
void takeAllScreenshots(cospadi::ui::MainWindow& window, const QString& folder);
