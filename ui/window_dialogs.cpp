#include "ui/window_dialogs.h"

#include <QAction>
#include <QMainWindow>
#include <QMenuBar>
#include <QSettings>
#include <QSysInfo>
#include <QTabWidget>

#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/dialogs/shortcut_list.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/engine/activity.h"
#include "ui/engine/engine_client.h"
#include "ui/engine_label.h"
#include "ui/live_preferences.h"
#include "ui/page_actions.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/planned_runs.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

WindowDialogs::WindowDialogs(const Parts& parts, QMainWindow* window)
    : QObject(window), m_parts(parts), m_window(window) {}

void WindowDialogs::showSettings() {
    auto* dialog = new SettingsDialog(Preferences::load(), m_window);
    dialog->setBusy(!m_parts.services.activity->isIdle());
    connect(m_parts.services.activity, &Activity::changed, dialog,
            [this, dialog] { dialog->setBusy(!m_parts.services.activity->isIdle()); });
    connect(dialog, &SettingsDialog::applied, m_parts.preferences, &LivePreferences::apply);
    dialog->show();
}

void WindowDialogs::showGuide() {
    const auto goTo = [this](QWidget* page) {
        return [this, page] { m_parts.pages.tabs->setCurrentWidget(page); };
    };
    auto* guide = new WelcomeGuide(
        {{tr("Try one block"),
          tr("Compresses the matrices of the first block in seconds, and explains the result."),
          tr("Try it"), [this] { m_parts.plannedRuns->tryOneBlock(); }},
         {tr("Choose layers"),
          tr("On the Model page: tick matrices, whole kinds (q, k, v …) or blocks. Initially all "
             "are ticked; how long that takes is shown next to Run."),
          tr("Model"), goTo(m_parts.pages.modelPage)},
         {tr("Look at one matrix"),
          tr("Explore draws its error against ρ, the bytes and the iterations while you drag."),
          tr("Explore"), goTo(m_parts.pages.explore)},
         {tr("Set the plan"),
          tr("Method, compression ratio and ρ = k/s, with predicted bytes, time and memory. Every "
             "field explains itself."),
          tr("Plan"), goTo(m_parts.pages.plan)},
         {tr("Run"),
          tr("Ctrl+Enter starts the plan; Monitor draws errors and atom usage live. Pausing, "
             "cancelling and resuming lose nothing; the same run as a command line is shown under "
             "the button."),
          tr("Monitor"), goTo(m_parts.pages.monitor)},
         {tr("Compare and export figures"),
          tr("Runs lists everything that was done; select some to compare them. Export writes SVG, "
             "PDF and PNG; tables are written as LaTeX, CSV and Markdown."),
          tr("Runs"), goTo(m_parts.pages.runs)}},
        m_window);
    guide->show();
}

void WindowDialogs::showShortcuts() {
    (new ShortcutList(shortcutsOf(*m_window), m_window))->show();
}

void WindowDialogs::showAbout() {
    const QString device = m_parts.services.engine->device();
    const QString reason = device.isEmpty() ? tr("known once the engine has started")
                                            : m_parts.services.engine->deviceReason();
    auto* dialog =
        new AboutDialog({{tr("Engine"), m_parts.engineLabel->text()},
                         {tr("Program"), m_parts.services.engine->program()},
                         {tr("GPU"), reason.isEmpty() ? tr("used (%1)").arg(device)
                                                      : tr("not used: %1").arg(reason)},
                         {tr("Qt"), QString::fromLatin1(qVersion())},
                         {tr("System"), QSysInfo::prettyProductName()},
                         {tr("Settings"), QSettings().fileName()},
                         {tr("Runs"), QString::fromStdString(currentRunsDirectory().string())}},
                        m_window);
    dialog->show();
}

void WindowDialogs::openPalette() {
    QList<QAction*> actions;
    for (const QAction* menu : m_window->menuBar()->actions()) {
        actions += actionsIn(*menu->menu());
    }
    auto* ofThePages = new QObject;
    actions += pageActions(
        *m_parts.pages.tabs,
        {{tr("Run"), m_parts.pages.runBar}, {tr("Message"), m_parts.pages.messages}}, ofThePages);
    auto* palette = new CommandPalette(actions, m_window);
    connect(palette, &QObject::destroyed, ofThePages, &QObject::deleteLater);
    palette->move(m_window->mapToGlobal(
        QPoint((m_window->width() - palette->width()) / 2, m_window->height() / 6)));
    palette->show();
}

}  // namespace cospadi::ui
