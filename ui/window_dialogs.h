// What opens over or beside the window for a moment: settings, first steps, the keys, what the
// program is, and the palette of all commands.
#pragma once

#include <QObject>

#include "ui/window_pages.h"
#include "ui/window_services.h"

class QMainWindow;

namespace cospadi::ui {

class EngineLabel;
class LivePreferences;
class PlannedRuns;

class WindowDialogs : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        WindowPages pages;
        WindowServices services;
        PlannedRuns* plannedRuns;
        LivePreferences* preferences;
        const EngineLabel* engineLabel;
    };

    // Belongs to the window.
    WindowDialogs(const Parts& parts, QMainWindow* window);

    void showSettings();
    void showGuide();  // first steps
    void showShortcuts();
    void showAbout();
    void openPalette();

  private:
    Parts m_parts;
    QMainWindow* m_window;
};

}  // namespace cospadi::ui
