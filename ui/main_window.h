// The main window: the run strip above the pages, and everything that works with them, put
// together. What each part does lives in its own file; what is left here is what only the whole
// window can do: be opened, restored, told of files and of later starts, and closed. What it
// remembers between starts is in window_session.h.
#pragma once

#include <QMainWindow>
#include <QString>

#include "ui/window_pages.h"
#include "ui/window_services.h"

namespace cospadi::ui {

class Closing;
class ClusterLife;
class DesktopTheme;
class EngineLabel;
class LivePreferences;
class MainMenu;
class OpenModel;
class PlannedRuns;
class RunLife;
class RunMeasures;
class WindowDialogs;
class WindowSession;
struct StartWords;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // desktop: what the theme follows where nobody has said otherwise; outlives it. None: light.
    explicit MainWindow(DesktopTheme* desktop = nullptr, QWidget* parent = nullptr);
    ~MainWindow() override;

    // What a later start of the program asked of this window, which comes to the front for it.
    void takeWords(const StartWords& words);

    const WindowPages& pages() const { return m_pages; }
    const WindowServices& services() const { return m_services; }
    // Ticks the layers that were ticked in WindowSession::model(), should that be opened first.
    OpenModel* openModel() const { return m_openModel; }
    PlannedRuns* plannedRuns() const { return m_plannedRuns; }
    LivePreferences* preferences() const { return m_preferences; }
    WindowDialogs* dialogs() const { return m_dialogs; }

  signals:
    void modelLoaded(bool ok);

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

  private:
    void makeParts(const DesktopTheme* desktop);
    void fillStatusBar();
    void connectParts();
    void tellTheDesktop(const QString& status);
    // Tab leaves tables and texts, so that the keyboard reaches what stands behind them.
    void freeTheTabKey();
    WindowSession session();

    WindowServices m_services;
    WindowPages m_pages{};
    RunMeasures* m_runMeasures = nullptr;
    RunLife* m_runLife = nullptr;
    ClusterLife* m_clusterLife = nullptr;
    Closing* m_closing = nullptr;
    OpenModel* m_openModel = nullptr;
    PlannedRuns* m_plannedRuns = nullptr;
    EngineLabel* m_engineLabel = nullptr;
    LivePreferences* m_preferences = nullptr;
    WindowDialogs* m_dialogs = nullptr;
    MainMenu* m_menu = nullptr;
};

}  // namespace cospadi::ui
