#include "ui/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QTabWidget>
#include <QUndoStack>

#include "ui/base/desktop_notification.h"
#include "ui/base/first_window.h"
#include "ui/base/format.h"
#include "ui/base/names_for_readers.h"
#include "ui/base/status_words.h"
#include "ui/base/wheel_guard.h"
#include "ui/base/window_fit.h"
#include "ui/chart_roles.h"
#include "ui/closing.h"
#include "ui/cluster_life.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/engine_label.h"
#include "ui/live_preferences.h"
#include "ui/main_menu.h"
#include "ui/open_model.h"
#include "ui/page_connections.h"
#include "ui/page_letters.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/planned_runs.h"
#include "ui/reproduction_life.h"
#include "ui/run_life.h"
#include "ui/run_measures.h"
#include "ui/shortcut_guard.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/elided_label.h"
#include "ui/window_dialogs.h"
#include "ui/window_session.h"

namespace cospadi::ui {

namespace {

// Empty where it is none of this machine.
QString draggedFile(const QMimeData& data) {
    const QList<QUrl> urls = data.urls();
    return urls.isEmpty() ? QString() : urls.first().toLocalFile();
}

}  // namespace

MainWindow::MainWindow(DesktopTheme* desktop, QWidget* parent)
    : QMainWindow(parent), m_services(makeServices(this)) {
    setWindowTitle(tr("CoSpaDi Workbench"));
    setAcceptDrops(true);
    // Before there are pages: these meet every field and chart from its first event on.
    qApp->installEventFilter(new WheelGuard(this));
    qApp->installEventFilter(new NamesForReaders(this));
    useChartRoles();
    m_pages = makePages(m_services);
    qApp->installEventFilter(new ShortcutGuard(m_pages.plan, this));
    makeParts(desktop);
    setCentralWidget(m_pages.centre);
    m_menu = new MainMenu(
        {m_pages, m_services, m_openModel, m_plannedRuns, m_preferences, m_dialogs}, this);
    fillStatusBar();
    connectParts();
    resize(1440, 900);
    new WindowFit(this);
    freeTheTabKey();
    new PageLetters(m_pages.tabs, menuBar());
    m_openModel->tickNext(session().restore());
    m_plannedRuns->update();
    m_pages.runs->refresh();
}

MainWindow::~MainWindow() {
    // The engine's last words would reach pages that are being destroyed. Its replies go with it.
    m_services.engine->disconnect();
    m_services.run->disconnect();
    m_pages.plan->undoStack()->disconnect(m_menu);  // it is cleared when the pages are gone
}

// Children of the window before the pages are, so that they go before them.
void MainWindow::makeParts(const DesktopTheme* desktop) {
    const WindowServices& with = m_services;
    MessageBar* messages = m_pages.messages;
    m_runMeasures =
        new RunMeasures({with.run, with.queue, with.perplexity, with.tasks, messages}, this);
    m_runLife = new RunLife({with.engine, with.run, with.queue, messages}, this);
    m_clusterLife = new ClusterLife({with.clusters, with.run, messages}, this);
    m_closing = new Closing(
        {with.engine, with.run, with.tasks, m_runMeasures, with.activity, messages}, this);
    m_openModel = new OpenModel(m_pages, this);
    m_plannedRuns = new PlannedRuns({m_pages, with, m_openModel, m_runLife, m_clusterLife}, this);
    new ReproductionLife({m_pages, with, m_openModel}, this);
    m_engineLabel = new EngineLabel(with.engine);
    m_preferences =
        new LivePreferences({desktop, with.engine, with.activity, m_engineLabel, messages}, this);
    m_dialogs =
        new WindowDialogs({m_pages, with, m_plannedRuns, m_preferences, m_engineLabel}, this);
}

void MainWindow::fillStatusBar() {
    statusBar()->addPermanentWidget(m_engineLabel);
    auto* runs = new ElidedLabel;
    statusBar()->addWidget(runs, 1);
    const auto showDirectory = [runs] {
        runs->setText(tr("Runs: %1").arg(QString::fromStdString(currentRunsDirectory().string())));
    };
    connect(m_preferences, &LivePreferences::runsMoved, runs, showDirectory);
    showDirectory();
}

void MainWindow::connectParts() {
    connectPages({m_pages, m_services, m_runLife, m_runMeasures, m_clusterLife});
    connect(m_openModel, &OpenModel::loaded, this, &MainWindow::modelLoaded);
    connect(m_runLife, &RunLife::allEnded, this, [this](const QString& status) {
        QApplication::alert(this);
        tellTheDesktop(status);
    });
    connect(m_closing, &Closing::closeWanted, this, &QWidget::close);
    connect(m_preferences, &LivePreferences::runsMoved, m_runLife, &RunLife::lookAgain);
    connect(m_preferences, &LivePreferences::applied, m_plannedRuns, &PlannedRuns::update);
    connect(m_preferences, &LivePreferences::applied, m_pages.runs, &RunsPage::refresh);
}

WindowSession MainWindow::session() {
    return {*this,          *m_pages.tabs,     *m_pages.plan,
            *m_pages.whole, *m_services.queue, *m_services.tasks,
            *m_pages.runs,  *m_pages.evaluate};
}

void MainWindow::freeTheTabKey() {
    for (QAbstractItemView* view : findChildren<QAbstractItemView*>()) {
        view->setTabKeyNavigation(false);
    }
    for (QPlainTextEdit* text : findChildren<QPlainTextEdit*>()) {
        text->setTabChangesFocus(true);
    }
}

void MainWindow::takeWords(const StartWords& words) {
    if (const int page = indexOfPage(words.page); page >= 0) {
        m_pages.tabs->setCurrentIndex(page);
    }
    if (!words.model.isEmpty() && words.model != m_openModel->word()) {
        m_openModel->load(words.model);
    }
    if (!words.activationToken.isEmpty()) {  // Qt hands it to a Wayland desktop
        qputenv("XDG_ACTIVATION_TOKEN", words.activationToken.toUtf8());
    }
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

void MainWindow::tellTheDesktop(const QString& status) {
    if (!Preferences::load().notify || (isActiveWindow() && !isMinimized())) {
        return;
    }
    const RunTrace& trace = m_services.run->trace();
    notifyDesktop(status == QLatin1String("finished")
                      ? tr("The run is finished")
                      : tr("The run has ended: %1").arg(statusWords(status)),
                  tr("%1 of %2 matrices in %3")
                      .arg(trace.finished())
                      .arg(trace.expected())
                      .arg(formatDuration(trace.seconds())));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!draggedFile(*event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    if (const QString file = draggedFile(*event->mimeData()); !file.isEmpty()) {
        m_openModel->load(file);
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_closing->asks()) {
        event->ignore();
        return;
    }
    m_runLife->noteClosing(m_closing->leftRunning());
    session().save(m_openModel->ticked());
    m_services.run->disconnect();
    event->accept();
}

}  // namespace cospadi::ui
