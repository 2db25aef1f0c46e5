#include "ui/main_menu.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QTabWidget>
#include <QUndoStack>

#include "ui/base/theme.h"
#include "ui/engine/run_controller.h"
#include "ui/engine/run_queue.h"
#include "ui/live_preferences.h"
#include "ui/open_model.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/planned_runs.h"
#include "ui/window_dialogs.h"

namespace cospadi::ui {

MainMenu::MainMenu(const Parts& parts, QMainWindow* window) : QObject(window), m_parts(parts) {
    QMenuBar* bar = window->menuBar();
    addFile(bar, window);
    addEdit(bar);
    addRun(bar);
    addView(bar);
    addHelp(bar);
}

void MainMenu::addFile(QMenuBar* bar, QMainWindow* window) {
    OpenModel* model = m_parts.openModel;
    QMenu* file = bar->addMenu(tr("&File"));
    file->addAction(tr("&Open model file…"), QKeySequence::Open, model, &OpenModel::openFile);
    file->addAction(tr("Open Hugging Face &folder…"), model, &OpenModel::openFolder);
    file->addAction(tr("Open the &default model"), model,
                    [model] { model->load(QStringLiteral("default")); });
    QMenu* recent = file->addMenu(tr("Open &recent"));
    recent->setObjectName(QStringLiteral("recentModels"));
    connect(recent, &QMenu::aboutToShow, model, [model, recent] { model->fillRecent(recent); });
    model->fillRecent(recent);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, window, &QWidget::close);
}

void MainMenu::addEdit(QMenuBar* bar) {
    QMenu* edit = bar->addMenu(tr("&Edit"));
    addSteps(edit);
    edit->addSeparator();
    QAction* settings =
        edit->addAction(tr("&Settings…"), m_parts.dialogs, &WindowDialogs::showSettings);
    settings->setObjectName(QStringLiteral("settings"));
    settings->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Comma));
}

// What is undone must be in sight: the steps are the plan's, so they are taken on its page alone.
void MainMenu::addSteps(QMenu* edit) {
    QTabWidget* tabs = m_parts.pages.tabs;
    QUndoStack* steps = m_parts.pages.plan->undoStack();
    QAction* undo = edit->addAction(tr("&Undo"), steps, &QUndoStack::undo);
    QAction* redo = edit->addAction(tr("&Redo"), steps, &QUndoStack::redo);
    undo->setShortcuts(QKeySequence::Undo);
    redo->setShortcuts(QKeySequence::Redo);
    const auto show = [plan = m_parts.pages.plan, tabs, steps, undo, redo] {
        const bool isInSight = tabs->currentWidget() == plan;
        undo->setEnabled(isInSight && steps->canUndo());
        redo->setEnabled(isInSight && steps->canRedo());
        const QString undone = isInSight ? steps->undoText() : QString();
        const QString redone = isInSight ? steps->redoText() : QString();
        undo->setText(undone.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(undone));
        redo->setText(redone.isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(redone));
    };
    connect(tabs, &QTabWidget::currentChanged, this, show);
    connect(steps, &QUndoStack::indexChanged, this, show);
    connect(steps, &QUndoStack::canUndoChanged, this, show);
    connect(steps, &QUndoStack::canRedoChanged, this, show);
    show();
}

void MainMenu::addRun(QMenuBar* bar) {
    PlannedRuns* planned = m_parts.plannedRuns;
    QMenu* menu = bar->addMenu(tr("&Run"));
    // Here and not on the button, whose shortcut goes whenever its words change.
    QAction* start = menu->addAction(tr("&Run the plan"), planned, &PlannedRuns::start);
    start->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)});
    connect(m_parts.pages.plan, &PlanPanel::changed, start,
            [plan = m_parts.pages.plan, start] { start->setEnabled(plan->problem().isEmpty()); });
    menu->addAction(tr("Run on a c&luster…"), planned, &PlannedRuns::offerCluster)
        ->setObjectName(QStringLiteral("cluster"));
    menu->addAction(tr("Try &one block first"), planned, &PlannedRuns::tryOneBlock);
    addRunControls(menu);
}

void MainMenu::addRunControls(QMenu* menu) {
    RunController* run = m_parts.services.run;
    RunQueue* queue = m_parts.services.queue;
    QAction* pause = menu->addAction(tr("&Pause or resume"), QKeySequence(Qt::CTRL | Qt::Key_P),
                                     run, &RunController::togglePause);
    QAction* cancel = menu->addAction(tr("&Cancel the run"), run, &RunController::cancel);
    QAction* forget = menu->addAction(tr("Forget &waiting runs"), queue, &RunQueue::clear);
    const auto showRun = [run, pause, cancel] {
        pause->setEnabled(run->state() == RunController::State::Running ||
                          run->state() == RunController::State::Paused);
        cancel->setEnabled(run->canCancel());
    };
    const auto showQueue = [queue, forget] { forget->setEnabled(queue->waiting() > 0); };
    connect(run, &RunController::stateChanged, this, showRun);
    // A run that is followed begins, is cancelled and ends without a change of state.
    connect(run, &RunController::traceChanged, this, showRun);
    connect(run, &RunController::runFinished, this, showRun);
    connect(queue, &RunQueue::changed, this, showQueue);
    showRun();
    showQueue();
}

void MainMenu::addView(QMenuBar* bar) {
    QTabWidget* tabs = m_parts.pages.tabs;
    LivePreferences* preferences = m_parts.preferences;
    QMenu* view = bar->addMenu(tr("&View"));
    for (int i = 0; i < tabs->count(); ++i) {
        view->addAction(tabs->tabText(i), QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), tabs,
                        [tabs, i] { tabs->setCurrentIndex(i); });
    }
    view->addSeparator();
    view->addAction(tr("&Light or dark"), QKeySequence(Qt::CTRL | Qt::Key_D), preferences,
                    [preferences] { preferences->setDark(!theme().dark); });
    view->addAction(tr("Find a &command…"), QKeySequence(Qt::CTRL | Qt::Key_K), m_parts.dialogs,
                    &WindowDialogs::openPalette);
}

void MainMenu::addHelp(QMenuBar* bar) {
    WindowDialogs* dialogs = m_parts.dialogs;
    QMenu* help = bar->addMenu(tr("&Help"));
    help->addAction(tr("&First steps"), dialogs, &WindowDialogs::showGuide)
        ->setObjectName(QStringLiteral("guide"));
    help->addAction(tr("&Shortcuts"), QKeySequence::HelpContents, dialogs,
                    &WindowDialogs::showShortcuts)
        ->setObjectName(QStringLiteral("shortcuts"));
    help->addSeparator();
    help->addAction(tr("&About CoSpaDi Workbench"), dialogs, &WindowDialogs::showAbout)
        ->setObjectName(QStringLiteral("about"));
}

}  // namespace cospadi::ui
