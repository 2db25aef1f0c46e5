// The menus of the window and the small things they open.
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMenuBar>
#include <QSettings>
#include <QSplitter>
#include <QSysInfo>
#include <QTabWidget>
#include <QUndoStack>

#include "ui/base/desktop_theme.h"
#include "ui/base/recent_models.h"
#include "ui/base/theme.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/engine/activity.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/reproduction_work.h"
#include "ui/engine/run_controller.h"
#include "ui/engine_label.h"
#include "ui/main_window.h"
#include "ui/page_actions.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/reproduce_dialog.h"
#include "ui/pages/tables/table_preview.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/run_life.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

const QString kLanguage = QStringLiteral("language");  // topic of messages

}  // namespace

void MainWindow::buildMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open model file…"), QKeySequence::Open, this, &MainWindow::openFile);
    file->addAction(tr("Open Hugging Face &folder…"), this, &MainWindow::openFolder);
    file->addAction(tr("Open the &default model"), this,
                    [this] { loadModel(QStringLiteral("default")); });
    QMenu* recent = file->addMenu(tr("Open &recent"));
    recent->setObjectName(QStringLiteral("recentModels"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecent(recent); });
    fillRecent(recent);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
    QMenu* edit = buildEditMenu();
    QAction* settings = edit->addAction(tr("&Settings…"), this, &MainWindow::showSettings);
    settings->setObjectName(QStringLiteral("settings"));
    settings->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Comma));
    QMenu* run = menuBar()->addMenu(tr("&Run"));
    // Here and not on the button, whose shortcut goes whenever its words change.
    m_runAction = run->addAction(tr("&Run the plan"), this, &MainWindow::startRun);
    m_runAction->setShortcuts(
        {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)});
    run->addAction(tr("Run on a c&luster…"), this, &MainWindow::offerCluster)
        ->setObjectName(QStringLiteral("cluster"));
    run->addAction(tr("Try &one block first"), this, &MainWindow::tryOneBlock);
    run->addAction(tr("&Pause or resume"), QKeySequence(Qt::CTRL | Qt::Key_P), m_services.run,
                   &RunController::togglePause);
    run->addAction(tr("&Cancel the run"), m_services.run, &RunController::cancel);
    run->addAction(tr("Forget &waiting runs"), m_services.queue, &RunQueue::clear);
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < m_pages.tabs->count(); ++i) {
        view->addAction(m_pages.tabs->tabText(i), QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), this,
                        [this, i] { m_pages.tabs->setCurrentIndex(i); });
    }
    view->addSeparator();
    view->addAction(tr("&Light or dark"), QKeySequence(Qt::CTRL | Qt::Key_D), this,
                    [this] { setDark(!theme().dark); });
    view->addAction(tr("Find a &command…"), QKeySequence(Qt::CTRL | Qt::Key_K), this,
                    &MainWindow::openPalette);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&First steps"), this, &MainWindow::showGuide)
        ->setObjectName(QStringLiteral("guide"));
    help->addAction(tr("&Shortcuts"), QKeySequence::HelpContents, this, &MainWindow::showShortcuts)
        ->setObjectName(QStringLiteral("shortcuts"));
    help->addSeparator();
    help->addAction(tr("&About CoSpaDi Workbench"), this, &MainWindow::showAbout)
        ->setObjectName(QStringLiteral("about"));
}

// What is undone must be in sight: the steps are the plan's, so they are taken on its page alone.
QMenu* MainWindow::buildEditMenu() {
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QUndoStack* steps = m_pages.plan->undoStack();
    QAction* undo = edit->addAction(tr("&Undo"), steps, &QUndoStack::undo);
    QAction* redo = edit->addAction(tr("&Redo"), steps, &QUndoStack::redo);
    undo->setShortcuts(QKeySequence::Undo);
    redo->setShortcuts(QKeySequence::Redo);
    const auto show = [this, steps, undo, redo] {
        const bool isInSight = m_pages.tabs->currentWidget() == m_pages.plan;
        undo->setEnabled(isInSight && steps->canUndo());
        redo->setEnabled(isInSight && steps->canRedo());
        const QString undone = isInSight ? steps->undoText() : QString();
        const QString redone = isInSight ? steps->redoText() : QString();
        undo->setText(undone.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(undone));
        redo->setText(redone.isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(redone));
    };
    connect(m_pages.tabs, &QTabWidget::currentChanged, this, show);
    connect(steps, &QUndoStack::indexChanged, this, show);
    connect(steps, &QUndoStack::canUndoChanged, this, show);
    connect(steps, &QUndoStack::canRedoChanged, this, show);
    show();
    edit->addSeparator();
    return edit;
}

void MainWindow::fillRecent(QMenu* menu) {
    menu->clear();
    for (const QString& path : recentModels()) {
        menu->addAction(QDir::toNativeSeparators(path), this, [this, path] { loadModel(path); });
    }
    if (menu->isEmpty()) {
        menu->addAction(tr("No other model was open yet"))->setEnabled(false);
    }
}

void MainWindow::openFile() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a model"), {},
                                                      tr("GGUF models (*.gguf);;All files (*)"));
    if (!path.isEmpty()) {
        loadModel(path);
    }
}

void MainWindow::openFolder() {
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open a Hugging Face folder"));
    if (!path.isEmpty()) {
        loadModel(path);
    }
}

void MainWindow::showAbout() {
    const QString device = m_services.engine->device();
    const QString reason = device.isEmpty() ? tr("the engine says once it has started")
                                            : m_services.engine->deviceReason();
    auto* dialog =
        new AboutDialog({{tr("Engine"), m_engineState->text()},
                         {tr("Program"), m_services.engine->program()},
                         {tr("GPU"), reason.isEmpty() ? tr("used (%1)").arg(device)
                                                      : tr("not used: %1").arg(reason)},
                         {tr("Qt"), QString::fromLatin1(qVersion())},
                         {tr("System"), QSysInfo::prettyProductName()},
                         {tr("Settings"), QSettings().fileName()},
                         {tr("Runs"), QString::fromStdString(currentRunsDirectory().string())}},
                        this);
    dialog->show();
}

void MainWindow::showSettings() {
    auto* dialog = new SettingsDialog(Preferences::load(), this);
    dialog->setBusy(!m_services.activity->isIdle());
    connect(m_services.activity, &Activity::changed, dialog,
            [this, dialog] { dialog->setBusy(!m_services.activity->isIdle()); });
    connect(dialog, &SettingsDialog::applied, this, &MainWindow::applyPreferences);
    dialog->show();
}

void MainWindow::showReproduce() {
    if (auto* open = findChild<ReproduceDialog*>()) {
        open->raise();
        open->activateWindow();
        return;
    }
    auto* dialog = new ReproduceDialog(
        m_services.reproduction, m_modelWord.isEmpty() ? QStringLiteral("default") : m_modelWord,
        m_services.engine->device(), this);
    connect(dialog, &ReproduceDialog::exported, m_pages.tables->preview(), &TablePreview::exported);
    connect(dialog, &ReproduceDialog::exportFailed, m_pages.tables->preview(),
            &TablePreview::exportFailed);
    dialog->show();
}

// To who has closed the dialog meanwhile.
void MainWindow::tellReproduced(const QString& words) {
    if (findChild<ReproduceDialog*>() == nullptr) {
        m_pages.messages->show(MessageBar::Kind::Information, words, {}, {},
                               QStringLiteral("reproduction"));
        m_pages.messages->offer(tr("Show"), [this] { showReproduce(); });
    }
}

void MainWindow::showShortcuts() { (new ShortcutList(shortcutsOf(*this), this))->show(); }

void MainWindow::showGuide() {
    const auto goTo = [this](QWidget* page) {
        return [this, page] { m_pages.tabs->setCurrentWidget(page); };
    };
    auto* guide = new WelcomeGuide(
        {{tr("Try one block"),
          tr("Compresses the matrices of the first block in seconds, and explains what came of "
             "it."),
          tr("Try it"), [this] { tryOneBlock(); }},
         {tr("Choose layers"),
          tr("On the Model page: tick matrices, whole kinds (q, k, v …) or blocks. At first "
             "all are ticked; how long that takes stands beside Run."),
          tr("Model"), goTo(m_pages.modelPage)},
         {tr("Look at one matrix"),
          tr("Explore draws its error against ρ, the bytes and the iterations while you drag."),
          tr("Explore"), goTo(m_pages.explore)},
         {tr("Set the plan"),
          tr("Method, compression ratio and ρ = k/s, with predicted bytes, time and memory. Every "
             "field explains itself."),
          tr("Plan"), goTo(m_pages.plan)},
         {tr("Run"),
          tr("Ctrl+Enter starts the plan; Monitor draws errors and atom usage live. Pause, cancel "
             "and resume lose nothing; the same run as a command line stands under the button."),
          tr("Monitor"), goTo(m_pages.monitor)},
         {tr("Compare and leave with figures"),
          tr("Runs lists everything that was done; select some to compare them. Export writes SVG, "
             "PDF and PNG, tables LaTeX, CSV and Markdown."),
          tr("Runs"), goTo(m_pages.runs)}},
        this);
    guide->show();
}

void MainWindow::openPalette() {
    QList<QAction*> actions;
    for (const QAction* menu : menuBar()->actions()) {
        actions += actionsIn(*menu->menu());
    }
    auto* ofThePages = new QObject;
    actions +=
        pageActions(*m_pages.tabs, {{tr("Run"), m_pages.runBar}, {tr("Message"), m_pages.messages}},
                    ofThePages);
    auto* palette = new CommandPalette(actions, this);
    connect(palette, &QObject::destroyed, ofThePages, &QObject::deleteLater);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, height() / 6)));
    palette->show();
}

void MainWindow::setDark(bool dark) {
    Preferences preferences = Preferences::load();
    preferences.look = dark ? Preferences::Look::Dark : Preferences::Look::Light;
    preferences.save();
    applyTheme(*qApp, dark);
}

void MainWindow::applyPreferences(const Preferences& preferences) {
    const Preferences before = Preferences::load();
    preferences.save();
    preferences.apply();
    setLocale(QLocale());  // all fields of the window take it from here
    const bool desktopIsDark = m_desktop != nullptr && m_desktop->isDark();
    if (const bool dark = preferences.isDark(desktopIsDark); dark != theme().dark) {
        applyTheme(*qApp, dark);
    }
    if (preferences.language != before.language) {
        m_pages.messages->show(MessageBar::Kind::Information,
                               tr("The language changes when the program is started again."), {},
                               {}, kLanguage);
    }
    const bool elsewhere = preferences.runsDirectory != before.runsDirectory;
    if (elsewhere || preferences.threads != before.threads) {
        m_restartsWhenIdle = true;
        restartEngineWhenIdle();
    }
    if (elsewhere) {
        m_runLife->lookAgain();
        showRunsDirectory();
    }
    updatePlan();
    m_pages.runs->refresh();
}

void MainWindow::restartEngineWhenIdle() {
    if (m_restartsWhenIdle && m_services.activity->isIdle()) {
        m_restartsWhenIdle = false;
        m_services.engine->stop();  // the next request starts one with the new environment
        m_engineState->showAtRest();
    }
}

void MainWindow::showRunsDirectory() {
    m_runsPlace->setText(
        tr("Runs: %1").arg(QString::fromStdString(currentRunsDirectory().string())));
}

// Text fields would take Ctrl+K for themselves (it cuts to the end of the line there), and those of
// the plan Ctrl+Z, too: their own steps back know nothing of what arrows, sliders and the other
// fields did, and are gone once a number is stepped.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isPalette = key->key() == Qt::Key_K && key->modifiers() == Qt::ControlModifier;
        const auto* field = qobject_cast<QWidget*>(watched);
        const bool isOfThePlan =
            field != nullptr && m_pages.plan->isAncestorOf(field) &&
            (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo));
        if (isPalette || isOfThePlan) {
            event->ignore();
            return true;
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

}  // namespace cospadi::ui
