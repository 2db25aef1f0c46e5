#include "ui/main_window.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QProcess>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>
#include <QUndoStack>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/model/model_locator.h"
#include "core/pipeline/run_specification.h"
#include "cospadi_version.h"
#include "ui/base/background.h"
#include "ui/base/theme.h"
#include "ui/engine/command_line.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/model_panel.h"
#include "ui/pages/pattern_page.h"
#include "ui/pages/plan_panel.h"
#include "ui/pages/portrait_panel.h"
#include "ui/pages/run_bar.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_engine(new EngineClient(this)),
      m_run(new RunController(m_engine, this)),
      m_queue(new RunQueue(m_run, this)),
      m_lab(new MatrixLab(m_engine, this)) {
    setWindowTitle(tr("CoSpaDi Workbench"));
    setAcceptDrops(true);
    qApp->installEventFilter(this);
    buildPages();
    buildMenus();
    m_engineState = new QLabel(tr("engine: starts when it is needed"));
    statusBar()->addPermanentWidget(m_engineState);
    auto* place =
        new QLabel(tr("Runs: %1").arg(QString::fromStdString(currentRunsDirectory().string())));
    place->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->addWidget(place, 1);
    connectRun();
    connectEngine();
    connectPages();
    const QSize room = QGuiApplication::primaryScreen()->availableSize();
    resize(QSize(1440, 900).boundedTo(room));
    restoreState();
    updatePlan();
    m_runsPage->refresh();
}

MainWindow::~MainWindow() {
    // The engine's last words would reach pages that are being destroyed.
    m_engine->disconnect();
    m_run->disconnect();
}

void MainWindow::buildPages() {
    m_runBar = new RunBar(m_run);
    m_messages = new MessageBar;
    m_modelPanel = new ModelPanel;
    m_portraitPanel = new PortraitPanel(m_lab);
    m_modelPage = new QSplitter(Qt::Horizontal);
    m_modelPage->setObjectName(QStringLiteral("modelSplitter"));
    m_modelPage->addWidget(m_modelPanel);
    m_modelPage->addWidget(m_portraitPanel);
    m_modelPage->setHandleWidth(8);
    m_modelPage->setChildrenCollapsible(false);
    m_modelPage->setStretchFactor(1, 1);
    m_modelPage->setSizes({430, 900});
    m_planPanel = new PlanPanel;
    m_explorePage = new ExplorePage(m_lab);
    m_runPage = new RunPage(m_run, m_queue);
    m_patternPage = new PatternPage;
    m_runsPage = new RunsPage;
    m_pages = new QTabWidget;
    m_pages->setObjectName(QStringLiteral("pages"));
    m_pages->setDocumentMode(true);
    m_pages->addTab(m_modelPage, tr("Model"));
    m_pages->addTab(m_planPanel, tr("Plan"));
    m_pages->addTab(m_explorePage, tr("Explore"));
    m_pages->addTab(m_runPage, tr("Run"));
    m_pages->addTab(m_patternPage, tr("Pattern"));
    m_pages->addTab(m_runsPage, tr("Runs"));
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_runBar);
    column->addWidget(m_messages);
    column->addWidget(m_pages, 1);
    setCentralWidget(centre);
}

void MainWindow::buildMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open model file…"), QKeySequence::Open, this, &MainWindow::openFile);
    file->addAction(tr("Open Hugging Face &folder…"), this, &MainWindow::openFolder);
    file->addAction(tr("Open the &default model"), this,
                    [this] { loadModel(QStringLiteral("default")); });
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    QAction* undo = m_planPanel->undoStack()->createUndoAction(this, tr("&Undo"));
    QAction* redo = m_planPanel->undoStack()->createRedoAction(this, tr("&Redo"));
    undo->setShortcuts(QKeySequence::Undo);
    redo->setShortcuts(QKeySequence::Redo);
    edit->addAction(undo);
    edit->addAction(redo);
    QMenu* run = menuBar()->addMenu(tr("&Run"));
    run->addAction(tr("&Run the plan"), this, &MainWindow::startRun);
    run->addAction(tr("&Pause or resume"), QKeySequence(Qt::CTRL | Qt::Key_P), m_run,
                   &RunController::togglePause);
    run->addAction(tr("&Cancel the run"), m_run, &RunController::cancel);
    run->addAction(tr("Forget &waiting runs"), m_queue, &RunQueue::clear);
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < m_pages->count(); ++i) {
        view->addAction(m_pages->tabText(i), QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), this,
                        [this, i] { m_pages->setCurrentIndex(i); });
    }
    view->addSeparator();
    view->addAction(tr("&Light or dark"), QKeySequence(Qt::CTRL | Qt::Key_D), this,
                    [this] { setDark(!theme().dark); });
    view->addAction(tr("Find a &command…"), QKeySequence(Qt::CTRL | Qt::Key_K), this,
                    &MainWindow::openPalette);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&About CoSpaDi Workbench"), this, &MainWindow::showAbout);
}

void MainWindow::connectRun() {
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::startRun);
    connect(m_run, &RunController::failed, this, &MainWindow::showEngineError);
    connect(m_queue, &RunQueue::changed, this,
            [this] { m_runBar->setWaiting(m_queue->waiting(), m_queue->secondsLeft()); });
    connect(m_run, &RunController::matrixFinished, this, [this](const QString& directory) {
        if (m_run->trace().hasPatterns()) {
            m_patternPage->addFinishedMatrix(directory);
        }
    });
    connect(m_run, &RunController::runFinished, this,
            [this](const QString& status, const QString& message) {
                m_runsPage->selectAfterRefresh(m_run->runId());
                m_runsPage->refresh();
                m_portraitPanel->lookAgain();
                if (m_queue->waiting() == 0) {
                    QApplication::alert(this);
                }
                if (status == QLatin1String("failed")) {
                    showEngineError({message, m_run->directory(), tr("earlier matrices are kept")});
                } else if (status == QLatin1String("cancelled")) {
                    m_messages->show(MessageBar::Kind::Information, tr("The run was cancelled."),
                                     {}, tr("Its finished matrices are kept."));
                    m_messages->offer(tr("Go on with it"), [this] { m_run->resumeInterrupted(); });
                } else {
                    m_messages->show(
                        MessageBar::Kind::Success, tr("The run is finished."), {},
                        m_run->trace().hasPatterns()
                            ? tr("It is listed under Runs, its patterns under Pattern.")
                            : tr("It is listed under Runs."));
                    m_messages->offer(tr("Show in Runs"),
                                      [this] { m_pages->setCurrentWidget(m_runsPage); });
                }
            });
}

void MainWindow::connectEngine() {
    connect(
        m_engine, &EngineClient::ready, this,
        [this](const QString& version, const QString& device, int cores) {
            m_engineState->setText(tr("engine %1 · %2 · %3 cores").arg(version, device).arg(cores));
        });
    connect(m_engine, &EngineClient::died, this,
            [this] { m_engineState->setText(tr("engine: not running")); });
    connect(m_engine, &EngineClient::refused, this, [this](int id, const EngineError& error) {
        if (id == m_evaluationId) {
            m_evaluationId = 0;
            showEngineError(error);
        }
    });
    connect(m_engine, &EngineClient::eventReceived, this, [this](const QJsonObject& event) {
        if (m_evaluationId != 0 && !m_run->isActive() &&
            event.value(QStringLiteral("stage")).toString() == QLatin1String("perplexity")) {
            m_messages->show(MessageBar::Kind::Information,
                             tr("Measuring perplexity: %1 of %2 tokens")
                                 .arg(event.value(QStringLiteral("done")).toInteger())
                                 .arg(event.value(QStringLiteral("total")).toInteger()));
        }
    });
    connect(m_engine, &EngineClient::replied, this, [this](int id, const QJsonObject& result) {
        if (id == m_evaluationId) {
            m_evaluationId = 0;
            m_messages->show(
                MessageBar::Kind::Success,
                tr("Perplexity %1 on WikiText-2")
                    .arg(result.value(QStringLiteral("perplexity")).toDouble(), 0, 'f', 3),
                {}, tr("Recorded with the run."));
            m_runsPage->refresh();
        }
    });
}

void MainWindow::connectPages() {
    connect(m_modelPanel, &ModelPanel::selectionChanged, this, &MainWindow::updatePlan);
    connect(m_modelPanel, &ModelPanel::highlightChanged, this, [this] {
        updatePlan();
        if (const LayerInfo* layer = m_modelPanel->highlightedLayer()) {
            m_explorePage->setLayer(QString::fromStdString(layer->name));
        }
    });
    connect(m_modelPanel, &ModelPanel::openFileRequested, this, &MainWindow::openFile);
    connect(m_modelPanel, &ModelPanel::openFolderRequested, this, &MainWindow::openFolder);
    connect(m_modelPanel, &ModelPanel::openRequested, this, &MainWindow::loadModel);
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
                          static_cast<int>(jobs.size()));
        m_portraitPanel->setMatrix(plan, m_modelPanel->highlightedLayer());
        m_explorePage->setPlan(plan);
    });
    connect(m_explorePage, &ExplorePage::keepRequested, this,
            [this](const RunSpecification& specification) {
                Job job;
                job.specification = specification;
                queueRuns({job});
            });
    connect(m_explorePage, &ExplorePage::planRequested, this,
            [this](const RunSpecification& specification) {
                m_planPanel->setSpecification(specification, m_planPanel->sweep());
                m_pages->setCurrentWidget(m_planPanel);
            });
    connect(m_runsPage, &RunsPage::runsChanged, m_patternPage, &PatternPage::setRuns);
    connect(m_runsPage, &RunsPage::runsChanged, m_planPanel, &PlanPanel::setHistory);
    connect(m_runsPage, &RunsPage::runsChanged, this, &MainWindow::offerInterrupted);
    connect(m_runsPage, &RunsPage::patternRequested, this, [this](const QString& directory) {
        m_patternPage->showRun(directory);
        m_pages->setCurrentWidget(m_patternPage);
    });
    connect(m_runsPage, &RunsPage::evaluationRequested, this, &MainWindow::evaluate);
    connect(m_runsPage, &RunsPage::resumeRequested, this, &MainWindow::resumeStored);
    connect(m_runsPage, &RunsPage::planRequested, this, &MainWindow::planFrom);
    connect(m_runsPage, &RunsPage::problem, this,
            [this](const QString& what, const QString& where, const QString& hint) {
                showEngineError({what, where, hint});
            });
    connect(m_runsPage, &RunsPage::exportFailed, this, [this](const QString& problem) {
        m_messages->show(MessageBar::Kind::Problem, tr("Nothing was saved: %1").arg(problem));
    });
    const auto announce = [this](auto* page) {
        using Page = std::remove_pointer_t<decltype(page)>;
        connect(page, &Page::exported, this, [this](const QString& path) {
            m_messages->show(MessageBar::Kind::Success, tr("Saved %1").arg(path));
        });
    };
    announce(m_portraitPanel);
    announce(m_explorePage);
    announce(m_runPage);
    announce(m_patternPage);
    announce(m_runsPage);
}

void MainWindow::loadModel(const QString& word) {
    const std::uint64_t loading = ++m_loading;
    m_modelPanel->showLoading(word);
    runInBackground(
        this, [word] { return inspectModel(locateModel(word.toStdString())); },
        [this, word, loading](const ModelInfo& model) {
            if (loading != m_loading) {
                return;
            }
            m_modelWord = word;
            m_modelParameters = static_cast<double>(model.parameters);
            m_modelPanel->showModel(model);
            m_explorePage->setLayers(model.layers);
            setWindowTitle(tr("%1 – CoSpaDi Workbench").arg(modelTitle(model)));
            emit modelLoaded(true);
        },
        [this, loading](const Error& error) {
            if (loading != m_loading) {
                return;
            }
            m_modelPanel->showProblem(error);
            m_explorePage->setLayers({});
            m_pages->setCurrentWidget(m_modelPage);  // which says how to get one
            updatePlan();
            emit modelLoaded(false);
        });
}

RunSpecification MainWindow::plannedRun() const {
    RunSpecification plan = m_planPanel->specification();
    plan.model = m_modelWord.isEmpty() ? "default" : m_modelWord.toStdString();
    plan.layers = m_modelPanel->layersRegex().toStdString();
    return plan;
}

void MainWindow::updatePlan() {
    m_planPanel->setSelection(m_modelPanel->tree()->layers(), m_modelPanel->tree()->checked(),
                              m_modelPanel->highlightedLayer(), m_modelParameters);
}

void MainWindow::startRun() {
    const RunSpecification plan = plannedRun();
    QList<Job> jobs = m_planPanel->jobs();
    for (Job& job : jobs) {
        job.specification.model = plan.model;
        job.specification.layers = plan.layers;
    }
    queueRuns(jobs);
}

void MainWindow::queueRuns(QList<Job> jobs) {
    for (const Job& job : jobs) {
        try {
            validate(job.specification);
        } catch (const Error& error) {
            showEngineError({QString::fromStdString(error.problem()),
                             QString::fromStdString(error.where()),
                             QString::fromStdString(error.hint())});
            return;
        }
    }
    m_messages->hide();
    m_pages->setCurrentWidget(m_runPage);
    m_queue->setHeld(false);
    m_queue->add(jobs);
}

void MainWindow::resumeStored(const RunRow& run) {
    if (m_run->isActive()) {
        m_messages->show(MessageBar::Kind::Information,
                         tr("Another run is going on; resume this one after it."));
        return;
    }
    m_messages->hide();
    m_pages->setCurrentWidget(m_runPage);
    m_run->resumeStored(QString::fromStdString(run.specification),
                        QString::fromStdString(run.directory));
}

void MainWindow::planFrom(const RunRow& run) {
    try {
        const RunSpecification specification =
            runSpecificationFromJson(nlohmann::json::parse(run.specification));
        m_planPanel->setSpecification(specification);
        m_modelPanel->selectByRegex(QString::fromStdString(specification.layers));
        m_pages->setCurrentWidget(m_planPanel);
    } catch (const std::exception& error) {
        showEngineError({QString::fromUtf8(error.what()), QString::fromStdString(run.id),
                         tr("the run was written by another version")});
    }
}

void MainWindow::offerInterrupted(const std::vector<RunRow>& runs) {
    if (m_lookedForInterrupted || m_run->isActive()) {
        return;
    }
    m_lookedForInterrupted = true;
    for (const RunRow& run : runs) {
        if (run.status == "interrupted") {
            m_messages->show(MessageBar::Kind::Information,
                             tr("%1 was interrupted after %2 matrices.")
                                 .arg(QString::fromStdString(run.id))
                                 .arg(run.matrices),
                             {}, tr("It can go on from there."));
            m_messages->offer(tr("Resume"), [this, run] { resumeStored(run); });
            return;
        }
    }
    if (m_queue->waiting() > 0) {
        m_messages->show(
            MessageBar::Kind::Information,
            tr("%1 runs were still waiting when the window was closed.").arg(m_queue->waiting()));
        m_messages->offer(tr("Start them"), [this] {
            m_pages->setCurrentWidget(m_runPage);
            m_queue->setHeld(false);
        });
        m_messages->offer(tr("Forget them"), [this] { m_queue->clear(); });
    }
}

void MainWindow::evaluate(const RunRow& run) {
    const int tokens = QSettings().value(QStringLiteral("evaluate/tokens"), 8192).toInt();
    try {
        m_evaluationId =
            m_engine->request(QStringLiteral("evaluate"),
                              {{QStringLiteral("model"), QString::fromStdString(run.directory)},
                               {QStringLiteral("text"), perplexityText()},
                               {QStringLiteral("context"), 512},
                               {QStringLiteral("max_tokens"), tokens},
                               {QStringLiteral("score"), QStringLiteral("all")}});
        m_messages->show(
            MessageBar::Kind::Information,
            tr("Measuring the perplexity of %1 …").arg(QString::fromStdString(run.id)), {},
            tr("WikiText-2, %1 tokens in windows of 512. It appears in the table.").arg(tokens));
    } catch (const Error& error) {
        showEngineError({QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint())});
    }
}

void MainWindow::showEngineError(const EngineError& error) {
    m_messages->show(MessageBar::Kind::Problem, error.message, error.where, error.hint);
    if (m_run->canResumeInterrupted() && !m_run->isActive()) {
        m_messages->offer(tr("Restart and resume the run"), [this] { m_run->resumeInterrupted(); });
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
    auto* box = new QMessageBox(this);
    box->setObjectName(QStringLiteral("about"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::NonModal);
    box->setIconPixmap(icon(QStringLiteral("cospadi-workbench")).pixmap(64, 64));
    box->setWindowTitle(tr("About CoSpaDi Workbench"));
    box->setText(tr("<b>CoSpaDi Workbench %1</b> (%2)").arg(COSPADI_VERSION, COSPADI_REVISION));
    box->setInformativeText(
        tr("Compresses language models by sparse dictionary learning, W ≈ D S, and "
           "measures what it costs.\n\nQt %1. The workbench is GPL-3 (it links Qt "
           "Charts); the engine is Apache-2.0.\n%3\nEngine program: %2\nSettings: %4")
            .arg(QString::fromLatin1(qVersion()), m_engine->program(), m_engineState->text(),
                 QSettings().fileName()));
    box->show();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && event->mimeData()->urls().first().isLocalFile()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    loadModel(event->mimeData()->urls().first().toLocalFile());
}

void MainWindow::openPalette() {
    QList<QAction*> actions;
    for (QAction* menu : menuBar()->actions()) {
        for (QAction* action : menu->menu()->actions()) {
            if (!action->isSeparator()) {
                actions.append(action);
            }
        }
    }
    auto* palette = new CommandPalette(actions, this);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, height() / 6)));
    palette->show();
}

void MainWindow::setDark(bool dark) {
    applyTheme(*qApp, dark);
    QSettings().setValue(QStringLiteral("window/dark"), dark);
}

// Text fields would take Ctrl+K for themselves (it cuts to the end of the line there).
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_K && key->modifiers() == Qt::ControlModifier) {
            event->ignore();
            return true;
        }
    }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::saveState() {
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings.setValue(QStringLiteral("window/page"), m_pages->currentIndex());
    settings.setValue(QStringLiteral("plan/specification"),
                      QString::fromStdString(toJson(m_planPanel->specification()).dump()));
    settings.setValue(QStringLiteral("queue/waiting"), m_queue->waitingAsText());
    for (const QSplitter* splitter : findChildren<QSplitter*>()) {
        if (!splitter->objectName().isEmpty()) {
            settings.setValue(QStringLiteral("splitters/") + splitter->objectName(),
                              splitter->saveState());
        }
    }
}

void MainWindow::restoreState() {
    QSettings settings;
    const QByteArray geometry = settings.value(QStringLiteral("window/geometry")).toByteArray();
    if (!geometry.isEmpty()) {
        restoreGeometry(geometry);
    }
    m_pages->setCurrentIndex(settings.value(QStringLiteral("window/page"), 0).toInt());
    const QString plan = settings.value(QStringLiteral("plan/specification")).toString();
    if (!plan.isEmpty()) {
        try {
            m_planPanel->setSpecification(
                runSpecificationFromJson(nlohmann::json::parse(plan.toStdString())));
            m_planPanel->undoStack()->clear();
        } catch (const std::exception&) {
            // of another version: the defaults stand
        }
    }
    m_queue->restore(settings.value(QStringLiteral("queue/waiting")).toString());
    for (QSplitter* splitter : findChildren<QSplitter*>()) {
        const QByteArray state =
            settings.value(QStringLiteral("splitters/") + splitter->objectName()).toByteArray();
        if (!splitter->objectName().isEmpty() && !state.isEmpty()) {
            splitter->restoreState(state);
        }
    }
}

void MainWindow::leaveRunning() {
    const QStringList words = m_run->commandToGoOn();
    m_run->disconnect();
    m_engine->stop(20000);  // ends at its next iteration; finished matrices are in their files
    if (!words.isEmpty()) {
        QProcess::startDetached(m_engine->program(), words);
    }
    m_askedBeforeClosing = true;
    close();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_run->isActive() && !m_askedBeforeClosing) {
        event->ignore();
        m_messages->show(MessageBar::Kind::Information, tr("A run is going on."), {},
                         tr("Finished matrices are kept either way; what waits is kept for the "
                            "next start."));
        m_messages->offer(tr("Stop it and close"), [this] {
            m_askedBeforeClosing = true;
            close();
        });
        m_messages->offer(tr("Close, and let it run on"), [this] { leaveRunning(); });
        m_messages->offer(tr("Stay"), [] {});
        return;
    }
    saveState();
    m_run->disconnect();
    event->accept();
}

}  // namespace cospadi::ui
