#include "ui/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QTabWidget>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "core/model/model_locator.h"
#include "core/store/run_specification.h"
#include "ui/base/desktop_theme.h"
#include "ui/base/first_window.h"
#include "ui/base/names_for_readers.h"
#include "ui/base/theme.h"
#include "ui/base/wheel_guard.h"
#include "ui/base/window_fit.h"
#include "ui/chart_roles.h"
#include "ui/closing.h"
#include "ui/cluster_life.h"
#include "ui/engine/activity.h"
#include "ui/engine/command_line.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/reproduction_work.h"
#include "ui/engine/run_controller.h"
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
    : QMainWindow(parent), m_desktop(desktop), m_services(makeServices(this)) {
    setWindowTitle(tr("CoSpaDi Workbench"));
    setAcceptDrops(true);
    qApp->installEventFilter(this);
    qApp->installEventFilter(new WheelGuard(this));
    qApp->installEventFilter(new NamesForReaders(this));
    useChartRoles();
    buildPages();
    buildMenus();
    m_engineState = new EngineLabel(m_services.engine);
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
    new PageLetters(m_pages.tabs, menuBar());
    m_wanted = session().restore();
    updatePlan();
    m_pages.runs->refresh();
}

MainWindow::~MainWindow() {
    // The engine's last words would reach pages that are being destroyed. Its replies go with it.
    m_services.engine->disconnect();
    m_services.run->disconnect();
    m_pages.plan->undoStack()->disconnect(this);  // it is cleared when the pages are gone
}

void MainWindow::buildPages() {
    const WindowServices& with = m_services;
    m_pages = makePages(with);
    MessageBar* messages = m_pages.messages;
    m_runMeasures =
        new RunMeasures({with.run, with.queue, with.perplexity, with.tasks, messages}, this);
    m_runLife = new RunLife({with.engine, with.run, with.queue, messages}, this);
    m_clusterLife = new ClusterLife({with.clusters, with.run, messages}, this);
    m_closing = new Closing(
        {with.engine, with.run, with.tasks, m_runMeasures, with.activity, messages}, this);
    setCentralWidget(m_pages.centre);
}

WindowSession MainWindow::session() {
    return {*this,          *m_pages.tabs,     *m_pages.plan,
            *m_pages.whole, *m_services.queue, *m_services.tasks,
            *m_pages.runs};
}

void MainWindow::saveState() {
    const LayerInfo* layer = m_pages.model->highlightedLayer();
    const QString cursor = layer != nullptr ? QString::fromStdString(layer->name) : QString();
    session().save(m_modelWord.isEmpty() ? std::nullopt
                                         : std::optional(WantedLayers{
                                               m_modelWord, m_pages.model->layersRegex(), cursor}));
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
    connect(m_pages.model, &ModelPanel::selectionChanged, this, [this] {
        updatePlan();
        const LayerInfo* layer = m_pages.model->tickedLayer();
        if (layer != nullptr && !m_pages.model->isTicked(m_pages.explore->layer())) {
            m_pages.explore->setLayer(QString::fromStdString(layer->name));
        }
    });
    connect(m_pages.model, &ModelPanel::highlightChanged, this, [this] {
        updatePlan();
        if (const LayerInfo* layer = m_pages.model->highlightedLayer()) {
            m_pages.explore->setLayer(QString::fromStdString(layer->name));
        }
    });
    connect(m_pages.monitor, &MonitorPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_pages.pattern, &PatternPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_pages.tables, &TablesPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_pages.runs, &RunsPage::smallRunWanted, this, &MainWindow::tryOneBlock);
    connect(m_pages.runs, &RunsPage::sweepWanted, this,
            [this] { m_pages.tabs->setCurrentWidget(m_pages.plan); });
    const auto showModelPage = [this] { m_pages.tabs->setCurrentWidget(m_pages.modelPage); };
    connect(m_pages.explore, &ExplorePage::modelWanted, this, showModelPage);
    connect(m_pages.whole, &WholePage::modelWanted, this, showModelPage);
    connect(m_pages.plan, &PlanPanel::layersWanted, this, showModelPage);
    connect(m_pages.tables, &TablesPage::reproduceWanted, this, &MainWindow::showReproduce);
    connect(m_services.reproduction, &ReproductionWork::runEnded, m_pages.runs, &RunsPage::refresh);
    connect(m_services.reproduction, &ReproductionWork::finished, this, [this](int holes) {
        const QString label = m_services.reproduction->question().label;
        tellReproduced(holes == 0 ? tr("%1 is made from your own runs.").arg(label)
                                  : tr("%1 is made, with %n hole(s).", nullptr, holes).arg(label));
    });
    connect(m_services.reproduction, &ReproductionWork::failed, this,
            [this](const EngineError& error) {
                tellReproduced(tr("%1 was not made: %2")
                                   .arg(m_services.reproduction->question().label, error.message));
            });
    connect(m_pages.model, &ModelPanel::openFileRequested, this, &MainWindow::openFile);
    connect(m_pages.model, &ModelPanel::openFolderRequested, this, &MainWindow::openFolder);
    connect(m_pages.model, &ModelPanel::openRequested, this, &MainWindow::loadModel);
    connect(&m_keptCalibration, &KeptCalibration::told, m_pages.plan,
            &PlanPanel::setCalibrationKept);
    connect(m_services.run, &RunController::runFinished, &m_keptCalibration,
            &KeptCalibration::askAgain);
    connect(m_services.lab, &MatrixLab::calibrated, &m_keptCalibration, &KeptCalibration::askAgain);
    connect(m_pages.plan, &PlanPanel::changed, this, [this] {
        const RunSpecification plan = plannedRun();
        const QList<Job> jobs = m_pages.plan->jobs();
        RunSpecification first = plan;
        if (!jobs.isEmpty()) {
            first = jobs.first().specification;
            first.model = plan.model;
            first.layers = plan.layers;
        }
        m_pages.runBar->setPlan(compressCommand(first), m_pages.plan->problem(),
                                static_cast<int>(jobs.size()), totalsWords(m_pages.plan->totals()));
        m_runAction->setEnabled(m_pages.plan->problem().isEmpty());
        m_keptCalibration.ask(plan);
        m_pages.portrait->setMatrix(plan, m_pages.model->highlightedLayer());
        m_pages.explore->setPlan(plan);
        RunSpecification whole = plan;
        whole.model = m_modelWord.toStdString();
        m_pages.whole->setPlan(whole);
    });
    connect(m_pages.explore, &ExplorePage::keepRequested, this,
            [this](const RunSpecification& specification) {
                Job job;
                job.specification = specification;
                m_runLife->queue({job});
            });
    connect(m_pages.whole, &WholePage::runRequested, this,
            [this](const RunSpecification& specification) {
                Job job;
                job.specification = specification;
                m_runLife->queue({job});
            });
    connect(m_pages.explore, &ExplorePage::planRequested, this,
            [this](const RunSpecification& specification) {
                m_pages.plan->setSpecification(specification, m_pages.plan->sweep());
                m_pages.tabs->setCurrentWidget(m_pages.plan);
            });
    connect(m_pages.runs, &RunsPage::runsChanged, m_pages.pattern, &PatternPage::setRuns);
    connect(m_pages.runs, &RunsPage::runsChanged, m_pages.whole, &WholePage::setRuns);
    connect(m_pages.runs, &RunsPage::runsChanged, m_pages.plan, &PlanPanel::setHistory);
    connect(m_pages.runs, &RunsPage::runsChanged, m_runLife, &RunLife::offerWhatWasLeft);
    connect(m_pages.runs, &RunsPage::runsChanged, m_runMeasures, &RunMeasures::offerWhatWasLeft);
    connect(m_pages.runs, &RunsPage::runsChanged, m_pages.tables, &TablesPage::refresh);
    connect(m_pages.runs, &RunsPage::runsChanged, m_pages.evaluate, &EvaluatePage::setRuns);
    connect(m_services.tasks, &TaskQueue::recorded, m_pages.runs, &RunsPage::refresh);
    connect(m_pages.runs, &RunsPage::runsChanged, m_pages.monitor->earlier(),
            &EarlierRuns::setRuns);
    connect(m_pages.runs, &RunsPage::monitorRequested, this,
            [this](const QString& directory, const QString& name) {
                if (m_services.run->isActive() && m_services.run->directory() == directory) {
                    m_pages.monitor->earlier()->close();  // it stands there, live
                } else {
                    m_pages.monitor->earlier()->open(directory, name);
                }
                m_pages.tabs->setCurrentWidget(m_pages.monitor);
            });
    connect(m_pages.runs, &RunsPage::patternRequested, this, [this](const QString& directory) {
        m_pages.pattern->showRun(directory);
        m_pages.tabs->setCurrentWidget(m_pages.pattern);
    });
    const auto tell = [this](const QString& what, const QString& where, const QString& hint) {
        m_pages.messages->show(MessageBar::Kind::Problem, what, where, hint);
    };
    connect(m_pages.runs, &RunsPage::problem, this, tell);
    connect(m_pages.monitor->earlier(), &EarlierRuns::problem, this, tell);
    connect(m_pages.runs, &RunsPage::exportFailed, this, [this](const QString& problem) {
        m_pages.messages->show(MessageBar::Kind::Problem, tr("Nothing was saved: %1").arg(problem));
    });
    const auto announce = [this](auto* page) {
        using Page = std::remove_pointer_t<decltype(page)>;
        connect(page, &Page::exported, this, [this](const QString& path) {
            m_pages.messages->show(MessageBar::Kind::Success, tr("Saved %1").arg(path), {}, {},
                                   QStringLiteral("saved"));
        });
    };
    announce(m_pages.portrait);
    announce(m_pages.explore);
    announce(m_pages.whole);
    announce(m_pages.monitor);
    announce(m_pages.pattern);
    announce(m_pages.runs);
}

void MainWindow::loadModel(const QString& word) {
    m_pages.model->showLoading(word);
    m_loading.ask([word] { return inspectModel(locateModel(word.toStdString())); },
                  [this, word](const ModelInfo& model) {
                      m_modelWord = word;
                      m_modelParameters = static_cast<double>(model.parameters);
                      m_pages.model->showModel(model);
                      m_pages.explore->setLayers(model.layers);
                      m_pages.evaluate->setModel(word, modelTitle(model));
                      if (m_wanted) {  // of another model than the session's nothing is ticked
                          const bool isSame = m_wanted->model == word;
                          m_pages.model->selectByRegex(isSame ? m_wanted->regex : QString());
                          m_pages.model->highlight(isSame ? m_wanted->cursor : QString());
                      }
                      m_wanted.reset();
                      m_pages.messages->withdraw(kOpening);
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
        m_pages.model->showProblem(error);
        m_pages.tabs->setCurrentWidget(m_pages.modelPage);  // which says how to get one
        return;
    }
    m_pages.model->endLoading();
    m_pages.messages->show(
        MessageBar::Kind::Problem,
        tr("%1 was not opened: %2").arg(word, QString::fromStdString(error.problem())),
        QString::fromStdString(error.where()),
        tr("%1 The model that was open still is.").arg(QString::fromStdString(error.hint())),
        kOpening);
}

void MainWindow::takeWords(const StartWords& words) {
    if (const int page = indexOfPage(words.page); page >= 0) {
        m_pages.tabs->setCurrentIndex(page);
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
    RunSpecification plan = m_pages.plan->specification();
    plan.model = m_modelWord.isEmpty() ? "default" : m_modelWord.toStdString();
    plan.layers = m_pages.model->layersRegex().toStdString();
    return plan;
}

void MainWindow::updatePlan() {
    m_pages.plan->setSelection(m_pages.model->tree()->layers(), m_pages.model->tree()->checked(),
                               m_pages.model->tickedLayer(), m_modelParameters);
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
