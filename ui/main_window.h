// The main window: the run strip above the pages (pageNames()), and the wiring between them. What
// each part does lives in its own file (ui/pages); the engine is a child process (ui/engine). What
// it remembers between starts is in window_session.h.
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <optional>

#include "core/model/model_info.h"
#include "ui/base/latest_work.h"
#include "ui/base/preferences.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/sources/kept_calibration.h"
#include "ui/window_session.h"

class QAction;
class QLabel;
class QMenu;
class QSplitter;
class QTabWidget;

namespace cospadi::ui {

class Activity;
class ClusterLife;
class ClusterSweeps;
class Closing;
class EngineLabel;
class EvaluatePage;
class ExplorePage;
class MessageBar;
class ModelPanel;
class MonitorPage;
class PatternPage;
class PlanPanel;
class PortraitPanel;
class RunBar;
class RunsPage;
class TablesPage;
class WholePage;
class CurveSource;
class DataFetch;
class DesktopTheme;
class PerplexityMeasurement;
class ReproductionWork;
class RunLife;
class RunMeasures;
struct StartWords;
class TaskQueue;

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

    // The pages in order, as the option --page and the files of pictures call them.
    static const QStringList& pageNames();
    // The place of the page of this name, or of this number from 1 on; −1 where there is none.
    static int indexOfPage(const QString& word);

    ModelPanel* modelPanel() const { return m_modelPanel; }
    PortraitPanel* portraitPanel() const { return m_portraitPanel; }
    PlanPanel* planPanel() const { return m_planPanel; }
    ExplorePage* explorePage() const { return m_explorePage; }
    WholePage* wholePage() const { return m_wholePage; }
    RunBar* runBar() const { return m_runBar; }
    MonitorPage* monitorPage() const { return m_monitorPage; }
    PatternPage* patternPage() const { return m_patternPage; }
    RunsPage* runsPage() const { return m_runsPage; }
    EvaluatePage* evaluatePage() const { return m_evaluatePage; }
    TablesPage* tablesPage() const { return m_tablesPage; }
    MessageBar* messageBar() const { return m_messages; }
    QTabWidget* pages() const { return m_pages; }
    RunController* run() const { return m_run; }
    RunQueue* queue() const { return m_queue; }
    MatrixLab* lab() const { return m_lab; }
    EngineClient* engine() const { return m_engine; }
    ClusterSweeps* clusters() const { return m_clusters; }
    // Whoever would stop the engine asks this first.
    const Activity* activity() const { return m_activity; }

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
    EngineClient* m_engine;
    RunController* m_run;
    RunQueue* m_queue;
    MatrixLab* m_lab;
    PerplexityMeasurement* m_perplexity;
    TaskQueue* m_taskQueue;
    DataFetch* m_dataFetch;
    ReproductionWork* m_reproduction;
    ClusterSweeps* m_clusters;
    CurveSource* m_curves;
    Activity* m_activity;
    RunMeasures* m_runMeasures;
    RunLife* m_runLife;
    ClusterLife* m_clusterLife;
    Closing* m_closing;
    ModelPanel* m_modelPanel;
    PortraitPanel* m_portraitPanel;
    QSplitter* m_modelPage;
    PlanPanel* m_planPanel;
    ExplorePage* m_explorePage;
    WholePage* m_wholePage;
    RunBar* m_runBar;
    MessageBar* m_messages;
    QTabWidget* m_pages;
    MonitorPage* m_monitorPage;
    PatternPage* m_patternPage;
    RunsPage* m_runsPage;
    EvaluatePage* m_evaluatePage;
    TablesPage* m_tablesPage;
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
