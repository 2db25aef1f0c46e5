// The main window: the run strip above the pages (window_pages.h), and the wiring between them.
// What each part does lives in its own file (ui/pages); the engine is a child process (ui/engine).
// What it remembers between starts is in window_session.h.
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <optional>

#include "core/model/model_info.h"
#include "ui/base/latest_work.h"
#include "ui/base/preferences.h"
#include "ui/engine/run_queue.h"
#include "ui/sources/kept_calibration.h"
#include "ui/window_pages.h"
#include "ui/window_services.h"
#include "ui/window_session.h"

class QAction;
class QLabel;
class QMenu;

namespace cospadi::ui {

class ClusterLife;
class Closing;
class EngineLabel;
class DesktopTheme;
class RunLife;
class RunMeasures;
struct StartWords;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // desktop: what the theme follows where nobody has said otherwise; outlives it. None: light.
    explicit MainWindow(DesktopTheme* desktop = nullptr, QWidget* parent = nullptr);
    ~MainWindow() override;

    // A path or the word "default"; reads headers off the GUI thread. Ticks the layers that were
    // ticked in WindowSession::model(), should it be that one and the first.
    void loadModel(const QString& word);
    // What the Run button does: queues the runs of the plan and shows the Monitor page.
    void startRun();
    // The runs of the plan to a cluster, by a dialog beside the window.
    void offerCluster();
    // A first run, small enough to be over in seconds: ticks the first block alone, plans CoSpaDi
    // as usual after a short calibration, and starts. Its end is explained.
    void tryOneBlock();
    void setDark(bool dark);
    // Saves them and makes them count at once: theme, numbers, threads, runs directory.
    void applyPreferences(const Preferences& preferences);
    // What a later start of the program asked of this window, which comes to the front for it.
    void takeWords(const StartWords& words);
    // First steps; also from the Help menu.
    void showGuide();

    const WindowPages& pages() const { return m_pages; }
    const WindowServices& services() const { return m_services; }

  signals:
    void modelLoaded(bool ok);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildPages();
    void buildMenus();
    QMenu* buildEditMenu();
    void connectRun();
    void connectRunLife();
    void connectClusters();
    void connectPages();
    RunSpecification plannedRun() const;
    // With model and layers, and the data and items of the tasks that follow.
    QList<Job> plannedJobs() const;
    void updatePlan();
    // Into the Plan page, with its layers ticked in its model.
    void showPlan(const RunSpecification& specification);
    void tellUnreadable(const QString& word, const Error& error);
    void openFile();
    void openFolder();
    void fillRecent(QMenu* menu);
    void openPalette();
    void showReproduce();
    void tellReproduced(const QString& words);
    void showSettings();
    void showShortcuts();
    void showAbout();
    void tellTheDesktop(const QString& status);
    void showRunsDirectory();
    // Tab leaves tables and texts, so that the keyboard reaches what stands behind them.
    void freeTheTabKey();
    WindowSession session();
    void saveState();
    // With new threads or another runs directory, as soon as it has nothing to do.
    void restartEngineWhenIdle();

    DesktopTheme* m_desktop;
    WindowServices m_services;
    WindowPages m_pages{};
    RunMeasures* m_runMeasures;
    RunLife* m_runLife;
    ClusterLife* m_clusterLife;
    Closing* m_closing;
    EngineLabel* m_engineState;
    QLabel* m_runsPlace;
    QString m_modelWord;  // as a user would write it: "default" or a path
    LatestWork m_loading;
    KeptCalibration m_keptCalibration;
    double m_modelParameters = 0;
    std::optional<WantedLayers> m_wanted;  // once their model is open
    QAction* m_runAction;
    bool m_restartsWhenIdle = false;
};

}  // namespace cospadi::ui
