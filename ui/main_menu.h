// The menu bar: what its entries say, their keys, and whom each of them asks.
#pragma once

#include <QObject>

#include "ui/window_pages.h"
#include "ui/window_services.h"

class QMainWindow;
class QMenu;
class QMenuBar;

namespace cospadi::ui {

class LivePreferences;
class OpenModel;
class PlannedRuns;
class WindowDialogs;

class MainMenu : public QObject {
    Q_OBJECT

  public:
    struct Parts {  // none is null
        WindowPages pages;
        WindowServices services;
        OpenModel* openModel;
        PlannedRuns* plannedRuns;
        LivePreferences* preferences;
        WindowDialogs* dialogs;
    };

    // Belongs to the window, whose menu bar it fills.
    MainMenu(const Parts& parts, QMainWindow* window);

  private:
    void addFile(QMenuBar* bar, QMainWindow* window);
    void addEdit(QMenuBar* bar);
    void addSteps(QMenu* edit);
    void addRun(QMenuBar* bar);
    void addRunControls(QMenu* menu);
    void addView(QMenuBar* bar);
    void addHelp(QMenuBar* bar);

    Parts m_parts;
};

}  // namespace cospadi::ui
