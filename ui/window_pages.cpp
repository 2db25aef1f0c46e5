#include "ui/window_pages.h"

#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "ui/base/font_units.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/window_services.h"

namespace cospadi::ui {

namespace {

// Scrolls where the screen is smaller than a page.
QScrollArea* scrolled(QWidget* content) {
    auto* around = new QScrollArea;
    around->setWidgetResizable(true);
    around->setFrameShape(QFrame::NoFrame);
    around->setFocusPolicy(Qt::NoFocus);
    around->setWidget(content);
    return around;
}

QSplitter* sideBySide(QWidget* model, QWidget* portrait) {
    auto* page = new QSplitter(Qt::Horizontal);
    page->setObjectName(QStringLiteral("modelSplitter"));
    page->addWidget(model);
    page->addWidget(portrait);
    page->setHandleWidth(8);
    page->setChildrenCollapsible(false);
    page->setStretchFactor(1, 1);
    page->setSizes({charactersWide(page->font(), 72), charactersWide(page->font(), 150)});
    return page;
}

QTabWidget* tabsOf(const WindowPages& pages) {
    auto* tabs = new QTabWidget;
    tabs->setObjectName(QStringLiteral("pages"));
    tabs->setDocumentMode(true);
    tabs->addTab(pages.modelPage, WindowPages::tr("Model"));
    tabs->addTab(pages.plan, WindowPages::tr("Plan"));
    tabs->addTab(pages.explore, WindowPages::tr("Explore"));
    tabs->addTab(pages.whole, WindowPages::tr("Whole"));
    tabs->addTab(pages.monitor, WindowPages::tr("Monitor"));
    tabs->addTab(pages.pattern, WindowPages::tr("Pattern"));
    tabs->addTab(pages.runs, WindowPages::tr("Runs"));
    tabs->addTab(pages.evaluate, WindowPages::tr("Evaluate"));
    tabs->addTab(pages.tables, WindowPages::tr("Tables"));
    return tabs;
}

}  // namespace

WindowPages makePages(const WindowServices& services) {
    WindowPages made{};
    auto* content = new QWidget;
    // Screen readers know a scroll area by its content alone: messages lie beside it.
    made.centre = new QWidget;
    auto* filled = new QVBoxLayout(made.centre);
    filled->setContentsMargins(0, 0, 0, 0);
    filled->addWidget(scrolled(content));
    made.runBar = new RunBar(services.run);
    made.messages = new MessageBar(made.centre);
    made.model = new ModelPanel;
    made.portrait = new PortraitPanel(services.lab);
    made.modelPage = sideBySide(made.model, made.portrait);
    made.plan = new PlanPanel;
    made.explore = new ExplorePage(services.lab);
    made.whole = new WholePage(services.engine, services.curves);
    made.monitor = new MonitorPage(services.run, services.queue, services.clusters);
    made.pattern = new PatternPage;
    made.runs = new RunsPage;
    made.evaluate = new EvaluatePage(services.tasks, services.fetch, made.messages);
    made.tables = new TablesPage(made.messages);
    made.tabs = tabsOf(made);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(made.runBar);
    column->addWidget(made.tabs, 1);
    return made;
}

const QStringList& pageNames() {
    static const QStringList names{
        QStringLiteral("model"), QStringLiteral("plan"),     QStringLiteral("explore"),
        QStringLiteral("whole"), QStringLiteral("monitor"),  QStringLiteral("pattern"),
        QStringLiteral("runs"),  QStringLiteral("evaluate"), QStringLiteral("tables")};
    return names;
}

int indexOfPage(const QString& word) {
    bool isNumber = false;
    const int number = word.toInt(&isNumber);
    if (isNumber) {
        return number >= 1 && number <= pageNames().size() ? number - 1 : -1;
    }
    return static_cast<int>(pageNames().indexOf(word.toLower()));
}

}  // namespace cospadi::ui
