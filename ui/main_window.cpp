#include "ui/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/model/model_locator.h"
#include "core/store/run_specification.h"
#include "ui/base/desktop_theme.h"
#include "ui/base/first_window.h"
#include "ui/base/font_units.h"
#include "ui/base/names_for_readers.h"
#include "ui/base/theme.h"
#include "ui/base/wheel_guard.h"
#include "ui/base/window_fit.h"
#include "ui/chart_roles.h"
#include "ui/closing.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/cluster_life.h"
#include "ui/engine/activity.h"
#include "ui/engine/command_line.h"
#include "ui/engine/curve_source.h"
#include "ui/engine/data_fetch.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/engine/reproduction_work.h"
#include "ui/engine/task_queue.h"
#include "ui/engine_label.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/model_facts.h"
#include "ui/models/plan_cost.h"
#include "ui/page_letters.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/earlier_runs.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/run_life.h"
#include "ui/run_measures.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

const QString kOpening = QStringLiteral("opening a model");  // topic of messages

}  // namespace

MainWindow::MainWindow(DesktopTheme* desktop, QWidget* parent)
    : QMainWindow(parent),
      m_desktop(desktop),
      m_engine(new EngineClient(this)),
      m_run(new RunController(m_engine, this)),
      m_queue(new RunQueue(m_run, this)),
      m_lab(new MatrixLab(m_engine, this)),
      m_perplexity(new PerplexityMeasurement(m_engine, this)),
      m_taskQueue(new TaskQueue(m_engine, this)),
      m_dataFetch(new DataFetch(m_engine, this)),
      m_reproduction(new ReproductionWork(m_engine, this)),
      m_clusters(new ClusterSweeps(this)),
      m_curves(new CurveSource(m_engine, this)),
      m_activity(new Activity(
          {m_run, m_queue, m_taskQueue, m_dataFetch, m_perplexity, m_lab, m_reproduction, m_curves},
          this)) {
    setWindowTitle(tr("CoSpaDi Workbench"));
    setAcceptDrops(true);
    qApp->installEventFilter(this);
    qApp->installEventFilter(new WheelGuard(this));
    qApp->installEventFilter(new NamesForReaders(this));
    useChartRoles();
    buildPages();
    buildMenus();
    m_engineState = new EngineLabel(m_engine);
    statusBar()->addPermanentWidget(m_engineState);
    m_runsPlace = new ElidedLabel;
    statusBar()->addWidget(m_runsPlace, 1);
    showRunsDirectory();
    connectRun();
    connectRunLife();
    connectClusters();
    connectPages();
    if (m_desktop != nullptr) {
        connect(m_desktop, &DesktopTheme::changed, this, [](bool dark) {
            if (Preferences::load().look == Preferences::Look::Desktop) {
                applyTheme(*qApp, dark);
            }
        });
    }
    resize(1440, 900);
    new WindowFit(this);
    freeTheTabKey();
    new PageLetters(m_pages, menuBar());
    m_wanted = session().restore();
    updatePlan();
    m_runsPage->refresh();
}

MainWindow::~MainWindow() {
    // The engine's last words would reach pages that are being destroyed. Its replies go with it.
    m_engine->disconnect();
    m_run->disconnect();
    m_planPanel->undoStack()->disconnect(this);  // it is cleared when the pages are gone
}

void MainWindow::buildPages() {
    auto* centre = new QWidget;
    auto* around = new QScrollArea;  // scrolls where the screen is smaller than a page
    around->setWidgetResizable(true);
    around->setFrameShape(QFrame::NoFrame);
    around->setFocusPolicy(Qt::NoFocus);
    around->setWidget(centre);
    // Screen readers know a scroll area by its content alone: messages lie beside it.
    auto* whole = new QWidget;
    auto* filled = new QVBoxLayout(whole);
    filled->setContentsMargins(0, 0, 0, 0);
    filled->addWidget(around);
    m_runBar = new RunBar(m_run);
    m_messages = new MessageBar(whole);
    m_runMeasures = new RunMeasures({m_run, m_queue, m_perplexity, m_taskQueue, m_messages}, this);
    m_runLife = new RunLife({m_engine, m_run, m_queue, m_messages}, this);
    m_clusterLife = new ClusterLife({m_clusters, m_run, m_messages}, this);
    m_closing =
        new Closing({m_engine, m_run, m_taskQueue, m_runMeasures, m_activity, m_messages}, this);
    m_modelPanel = new ModelPanel;
    m_portraitPanel = new PortraitPanel(m_lab);
    m_modelPage = new QSplitter(Qt::Horizontal);
    m_modelPage->setObjectName(QStringLiteral("modelSplitter"));
    m_modelPage->addWidget(m_modelPanel);
    m_modelPage->addWidget(m_portraitPanel);
    m_modelPage->setHandleWidth(8);
    m_modelPage->setChildrenCollapsible(false);
    m_modelPage->setStretchFactor(1, 1);
    m_modelPage->setSizes({charactersWide(font(), 72), charactersWide(font(), 150)});
    m_planPanel = new PlanPanel;
    m_explorePage = new ExplorePage(m_lab);
    m_wholePage = new WholePage(m_engine, m_curves);
    m_monitorPage = new MonitorPage(m_run, m_queue, m_clusters);
    m_patternPage = new PatternPage;
    m_runsPage = new RunsPage;
    m_evaluatePage = new EvaluatePage(m_taskQueue, m_dataFetch, m_messages);
    m_tablesPage = new TablesPage(m_messages);
    m_pages = new QTabWidget;
    m_pages->setObjectName(QStringLiteral("pages"));
    m_pages->setDocumentMode(true);
    m_pages->addTab(m_modelPage, tr("Model"));
    m_pages->addTab(m_planPanel, tr("Plan"));
    m_pages->addTab(m_explorePage, tr("Explore"));
    m_pages->addTab(m_wholePage, tr("Whole"));
    m_pages->addTab(m_monitorPage, tr("Monitor"));
    m_pages->addTab(m_patternPage, tr("Pattern"));
    m_pages->addTab(m_runsPage, tr("Runs"));
    m_pages->addTab(m_evaluatePage, tr("Evaluate"));
    m_pages->addTab(m_tablesPage, tr("Tables"));
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_runBar);
    column->addWidget(m_pages, 1);
    setCentralWidget(whole);
}

const QStringList& MainWindow::pageNames() {
    static const QStringList names{
        QStringLiteral("model"), QStringLiteral("plan"),     QStringLiteral("explore"),
        QStringLiteral("whole"), QStringLiteral("monitor"),  QStringLiteral("pattern"),
        QStringLiteral("runs"),  QStringLiteral("evaluate"), QStringLiteral("tables")};
    return names;
}

int MainWindow::indexOfPage(const QString& word) {
    bool isNumber = false;
    const int number = word.toInt(&isNumber);
    if (isNumber) {
        return number >= 1 && number <= pageNames().size() ? number - 1 : -1;
    }
    return static_cast<int>(pageNames().indexOf(word.toLower()));
}

WindowSession MainWindow::session() {
    return {*this, *m_pages, *m_planPanel, *m_wholePage, *m_queue, *m_taskQueue, *m_runsPage};
}

void MainWindow::saveState() {
    const LayerInfo* layer = m_modelPanel->highlightedLayer();
    const QString cursor = layer != nullptr ? QString::fromStdString(layer->name) : QString();
    session().save(m_modelWord.isEmpty() ? std::nullopt
                                         : std::optional(WantedLayers{
                                               m_modelWord, m_modelPanel->layersRegex(), cursor}));
}

void MainWindow::freeTheTabKey() {
    for (QAbstractItemView* view : findChildren<QAbstractItemView*>()) {
        view->setTabKeyNavigation(false);
    }
    for (QPlainTextEdit* text : findChildren<QPlainTextEdit*>()) {
        text->setTabChangesFocus(true);
    }
}

void MainWindow::connectPages() {
    connect(m_modelPanel, &ModelPanel::selectionChanged, this, [this] {
        updatePlan();
        const LayerInfo* layer = m_modelPanel->tickedLayer();
        if (layer != nullptr && !m_modelPanel->isTicked(m_explorePage->layer())) {
            m_explorePage->setLayer(QString::fromStdString(layer->name));
        }
    });
    connect(m_modelPanel, &ModelPanel::highlightChanged, this, [this] {
        updatePlan();
        if (const LayerInfo* layer = m_modelPanel->highlightedLayer()) {
            m_explorePage->setLayer(QString::fromStdString(layer->name));
        }
    });
    connect(m_monitorPage, &MonitorPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_patternPage, &PatternPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_tablesPage, &TablesPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_runsPage, &RunsPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_runsPage, &RunsPage::sweepWanted, this,
            [this] { m_pages->setCurrentWidget(m_planPanel); });
    const auto showModelPage = [this] { m_pages->setCurrentWidget(m_modelPage); };
    connect(m_explorePage, &ExplorePage::modelWanted, this, showModelPage);
    connect(m_wholePage, &WholePage::modelWanted, this, showModelPage);
    connect(m_planPanel, &PlanPanel::layersWanted, this, showModelPage);
    connect(m_tablesPage, &TablesPage::reproduceWanted, this, &MainWindow::showReproduce);
    connect(m_reproduction, &ReproductionWork::runEnded, m_runsPage, &RunsPage::refresh);
    connect(m_reproduction, &ReproductionWork::finished, this, [this](int holes) {
        const QString label = m_reproduction->question().label;
        tellReproduced(holes == 0 ? tr("%1 is made from your own runs.").arg(label)
                                  : tr("%1 is made, with %n hole(s).", nullptr, holes).arg(label));
    });
    connect(m_reproduction, &ReproductionWork::failed, this, [this](const EngineError& error) {
        tellReproduced(
            tr("%1 was not made: %2").arg(m_reproduction->question().label, error.message));
    });
    connect(m_modelPanel, &ModelPanel::openFileRequested, this, &MainWindow::openFile);
    connect(m_modelPanel, &ModelPanel::openFolderRequested, this, &MainWindow::openFolder);
    connect(m_modelPanel, &ModelPanel::openRequested, this, &MainWindow::loadModel);
    connect(&m_keptCalibration, &KeptCalibration::told, m_planPanel,
            &PlanPanel::setCalibrationKept);
    connect(m_run, &RunController::runFinished, &m_keptCalibration, &KeptCalibration::askAgain);
    connect(m_lab, &MatrixLab::calibrated, &m_keptCalibration, &KeptCalibration::askAgain);
    connect(m_planPanel, &PlanPanel::changed, this, [this] {
        const RunSpecification plan = plannedRun();
        const QList<Job> jobs = m_planPanel->jobs();
        RunSpecification first = plan;
        if (!jobs.isEmpty()) {
            first = jobs.first().specification;
            first.model = plan.model;
            first.layers = plan.layers;
        }
        m_runBar->setPlan(compressCommand(first), m_planPanel->problem(),
                          static_cast<int>(jobs.size()), totalsWords(m_planPanel->totals()));
        m_runAction->setEnabled(m_planPanel->problem().isEmpty());
        m_keptCalibration.ask(plan);
        m_portraitPanel->setMatrix(plan, m_modelPanel->highlightedLayer());
        m_explorePage->setPlan(plan);
        RunSpecification whole = plan;
        whole.model = m_modelWord.toStdString();
        m_wholePage->setPlan(whole);
    });
    connect(m_explorePage, &ExplorePage::keepRequested, this,
            [this](const RunSpecification& specification) {
                Job job;
                job.specification = specification;
                m_runLife->queue({job});
            });
    connect(m_wholePage, &WholePage::runRequested, this,
            [this](const RunSpecification& specification) {
                Job job;
                job.specification = specification;
                m_runLife->queue({job});
            });
    connect(m_explorePage, &ExplorePage::planRequested, this,
            [this](const RunSpecification& specification) {
                m_planPanel->setSpecification(specification, m_planPanel->sweep());
                m_pages->setCurrentWidget(m_planPanel);
            });
    connect(m_runsPage, &RunsPage::runsChanged, m_patternPage, &PatternPage::setRuns);
    connect(m_runsPage, &RunsPage::runsChanged, m_wholePage, &WholePage::setRuns);
    connect(m_runsPage, &RunsPage::runsChanged, m_planPanel, &PlanPanel::setHistory);
    connect(m_runsPage, &RunsPage::runsChanged, m_runLife, &RunLife::offerWhatWasLeft);
    connect(m_runsPage, &RunsPage::runsChanged, m_runMeasures, &RunMeasures::offerWhatWasLeft);
    connect(m_runsPage, &RunsPage::runsChanged, m_tablesPage, &TablesPage::refresh);
    connect(m_runsPage, &RunsPage::runsChanged, m_evaluatePage, &EvaluatePage::setRuns);
    connect(m_taskQueue, &TaskQueue::recorded, m_runsPage, &RunsPage::refresh);
    connect(m_runsPage, &RunsPage::runsChanged, m_monitorPage->earlier(), &EarlierRuns::setRuns);
    connect(m_runsPage, &RunsPage::monitorRequested, this,
            [this](const QString& directory, const QString& name) {
                if (m_run->isActive() && m_run->directory() == directory) {
                    m_monitorPage->earlier()->close();  // it stands there, live
                } else {
                    m_monitorPage->earlier()->open(directory, name);
                }
                m_pages->setCurrentWidget(m_monitorPage);
            });
    connect(m_runsPage, &RunsPage::patternRequested, this, [this](const QString& directory) {
        m_patternPage->showRun(directory);
        m_pages->setCurrentWidget(m_patternPage);
    });
    const auto tell = [this](const QString& what, const QString& where, const QString& hint) {
        m_messages->show(MessageBar::Kind::Problem, what, where, hint);
    };
    connect(m_runsPage, &RunsPage::problem, this, tell);
    connect(m_monitorPage->earlier(), &EarlierRuns::problem, this, tell);
    connect(m_runsPage, &RunsPage::exportFailed, this, [this](const QString& problem) {
        m_messages->show(MessageBar::Kind::Problem, tr("Nothing was saved: %1").arg(problem));
    });
    const auto announce = [this](auto* page) {
        using Page = std::remove_pointer_t<decltype(page)>;
        connect(page, &Page::exported, this, [this](const QString& path) {
            m_messages->show(MessageBar::Kind::Success, tr("Saved %1").arg(path), {}, {},
                             QStringLiteral("saved"));
        });
    };
    announce(m_portraitPanel);
    announce(m_explorePage);
    announce(m_wholePage);
    announce(m_monitorPage);
    announce(m_patternPage);
    announce(m_runsPage);
}

void MainWindow::loadModel(const QString& word) {
    m_modelPanel->showLoading(word);
    m_loading.ask([word] { return inspectModel(locateModel(word.toStdString())); },
                  [this, word](const ModelInfo& model) {
                      m_modelWord = word;
                      m_modelParameters = static_cast<double>(model.parameters);
                      m_modelPanel->showModel(model);
                      m_explorePage->setLayers(model.layers);
                      m_evaluatePage->setModel(word, modelTitle(model));
                      if (m_wanted) {  // of another model than the session's nothing is ticked
                          const bool isSame = m_wanted->model == word;
                          m_modelPanel->selectByRegex(isSame ? m_wanted->regex : QString());
                          m_modelPanel->highlight(isSame ? m_wanted->cursor : QString());
                      }
                      m_wanted.reset();
                      m_messages->withdraw(kOpening);
                      setWindowTitle(tr("%1 – CoSpaDi Workbench").arg(modelTitle(model)));
                      emit modelLoaded(true);
                  },
                  [this, word](const Error& error) {
                      tellUnreadable(word, error);
                      emit modelLoaded(false);
                  });
}

// What is open stays open, with its ticks and all that can be done with it.
void MainWindow::tellUnreadable(const QString& word, const Error& error) {
    if (m_modelWord.isEmpty()) {
        m_modelPanel->showProblem(error);
        m_pages->setCurrentWidget(m_modelPage);  // which says how to get one
        return;
    }
    m_modelPanel->endLoading();
    m_messages->show(
        MessageBar::Kind::Problem,
        tr("%1 was not opened: %2").arg(word, QString::fromStdString(error.problem())),
        QString::fromStdString(error.where()),
        tr("%1 The model that was open still is.").arg(QString::fromStdString(error.hint())),
        kOpening);
}

void MainWindow::takeWords(const StartWords& words) {
    if (const int page = indexOfPage(words.page); page >= 0) {
        m_pages->setCurrentIndex(page);
    }
    if (!words.model.isEmpty() && words.model != m_modelWord) {
        loadModel(words.model);
    }
    if (!words.activationToken.isEmpty()) {  // Qt hands it to a Wayland desktop
        qputenv("XDG_ACTIVATION_TOKEN", words.activationToken.toUtf8());
    }
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

RunSpecification MainWindow::plannedRun() const {
    RunSpecification plan = m_planPanel->specification();
    plan.model = m_modelWord.isEmpty() ? "default" : m_modelWord.toStdString();
    plan.layers = m_modelPanel->layersRegex().toStdString();
    return plan;
}

void MainWindow::updatePlan() {
    m_planPanel->setSelection(m_modelPanel->tree()->layers(), m_modelPanel->tree()->checked(),
                              m_modelPanel->tickedLayer(), m_modelParameters);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    loadModel(event->mimeData()->urls().first().toLocalFile());
}

}  // namespace cospadi::ui
