// The main window: two panels in the left dock, the run strip and three pages in the centre, and
// the wiring between them. What each part does lives in its own file (ui/pages); the engine is a
// child process (ui/engine). Issue 6's further pages are further tabs here.
#pragma once

#include <QMainWindow>
#include <filesystem>

#include "core/model/model_info.h"
#include "core/store/run_row.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"

class QLabel;
class QTabWidget;

namespace cospadi::ui {

class MessageBar;
class ModelPanel;
class PatternPage;
class PlanPanel;
class RunBar;
class RunPage;
class RunsPage;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    // A path or the word "default"; reads headers off the GUI thread.
    void loadModel(const QString& word);
    // What the Run button does.
    void startRun();

    ModelPanel* modelPanel() const { return m_modelPanel; }
    PlanPanel* planPanel() const { return m_planPanel; }
    RunBar* runBar() const { return m_runBar; }
    RunPage* runPage() const { return m_runPage; }
    PatternPage* patternPage() const { return m_patternPage; }
    RunsPage* runsPage() const { return m_runsPage; }
    MessageBar* messageBar() const { return m_messages; }
    QTabWidget* pages() const { return m_pages; }
    RunController* run() const { return m_run; }
    EngineClient* engine() const { return m_engine; }

  signals:
    void modelLoaded(bool ok);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

  private:
    void buildDock();
    void buildCentre();
    void buildMenus();
    void connectRun();
    void connectPages();
    RunSpecification plannedRun() const;
    void updatePlan();
    void evaluate(const RunRow& run);
    void showEngineError(const EngineError& error);
    void openFile();
    void openFolder();
    void showAbout();

    EngineClient* m_engine;
    RunController* m_run;
    ModelPanel* m_modelPanel;
    PlanPanel* m_planPanel;
    RunBar* m_runBar;
    MessageBar* m_messages;
    QTabWidget* m_pages;
    RunPage* m_runPage;
    PatternPage* m_patternPage;
    RunsPage* m_runsPage;
    QLabel* m_engineState;
    QString m_modelWord;  // as a user would write it: "default" or a path
    int m_evaluationId = 0;
    std::uint64_t m_loading = 0;
};

}  // namespace cospadi::ui
