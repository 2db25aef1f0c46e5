#include "ui/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QStatusBar>
#include <QTabWidget>
#include <QVBoxLayout>

#include "core/model/model_locator.h"
#include "core/pipeline/run_specification.h"
#include "cospadi_version.h"
#include "ui/base/background.h"
#include "ui/base/theme.h"
#include "ui/engine/command_line.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/model_panel.h"
#include "ui/pages/pattern_page.h"
#include "ui/pages/plan_panel.h"
#include "ui/pages/run_bar.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/sources/run_catalog.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_engine(new EngineClient(this)),
      m_run(new RunController(m_engine, this)) {
    setWindowTitle(tr("CoSpaDi Workbench"));
    setAcceptDrops(true);
    buildDock();
    buildCentre();
    buildMenus();
    m_engineState = new QLabel(tr("engine: starts with the first run"));
    statusBar()->addPermanentWidget(m_engineState);
    statusBar()->addWidget(
        new QLabel(tr("Runs: %1").arg(QString::fromStdString(currentRunsDirectory().string()))));
    connectRun();
    connectPages();
    const QSize room = QGuiApplication::primaryScreen()->availableSize();
    resize(QSize(1440, 900).boundedTo(room));
    updatePlan();
    m_runsPage->refresh();
}

MainWindow::~MainWindow() {
    // The engine's last words would reach pages that are being destroyed.
    m_engine->disconnect();
    m_run->disconnect();
}

void MainWindow::buildDock() {
    m_modelPanel = new ModelPanel;
    m_planPanel = new PlanPanel;
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(m_modelPanel);
    split->addWidget(m_planPanel);
    split->setStretchFactor(0, 1);
    split->setChildrenCollapsible(false);
    split->setMinimumWidth(370);
    auto* dock = new QDockWidget(tr("Model and plan"));
    dock->setObjectName(QStringLiteral("modelDock"));
    dock->setTitleBarWidget(new QWidget);
    dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
    dock->setWidget(split);
    addDockWidget(Qt::LeftDockWidgetArea, dock);
    resizeDocks({dock}, {400}, Qt::Horizontal);
}

void MainWindow::buildCentre() {
    m_runBar = new RunBar(m_run);
    m_messages = new MessageBar;
    m_runPage = new RunPage(m_run);
    m_patternPage = new PatternPage;
    m_runsPage = new RunsPage;
    m_pages = new QTabWidget;
    m_pages->setDocumentMode(true);
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
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < m_pages->count(); ++i) {
        view->addAction(m_pages->tabText(i), QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), this,
                        [this, i] { m_pages->setCurrentIndex(i); });
    }
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&About CoSpaDi Workbench"), this, &MainWindow::showAbout);
}

void MainWindow::connectRun() {
    connect(m_runBar, &RunBar::runRequested, this, &MainWindow::startRun);
    connect(m_run, &RunController::failed, this, &MainWindow::showEngineError);
    connect(m_run, &RunController::matrixFinished, this, [this](const QString& directory) {
        if (m_run->trace().hasPatterns()) {
            m_patternPage->addFinishedMatrix(directory);
        }
    });
    connect(m_run, &RunController::runFinished, this,
            [this](const QString& status, const QString& message) {
                m_runsPage->selectAfterRefresh(m_run->runId());
                m_runsPage->refresh();
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
    connect(
        m_engine, &EngineClient::ready, this,
        [this](const QString& version, const QString& device, int cores) {
            m_engineState->setText(tr("engine %1 · %2 · %3 cores").arg(version, device).arg(cores));
        });
    connect(m_engine, &EngineClient::died, this,
            [this] { m_engineState->setText(tr("engine: not running")); });
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
    connect(m_modelPanel, &ModelPanel::highlightChanged, this, &MainWindow::updatePlan);
    connect(m_modelPanel, &ModelPanel::openFileRequested, this, &MainWindow::openFile);
    connect(m_modelPanel, &ModelPanel::openFolderRequested, this, &MainWindow::openFolder);
    connect(m_planPanel, &PlanPanel::changed, this,
            [this] { m_runBar->setPlan(compressCommand(plannedRun()), m_planPanel->problem()); });
    connect(m_runsPage, &RunsPage::runsChanged, m_patternPage, &PatternPage::setRuns);
    connect(m_runsPage, &RunsPage::patternRequested, this, [this](const QString& directory) {
        m_patternPage->showRun(directory);
        m_pages->setCurrentWidget(m_patternPage);
    });
    connect(m_runsPage, &RunsPage::evaluationRequested, this, &MainWindow::evaluate);
    connect(m_runsPage, &RunsPage::resumeRequested, this, [this](const RunRow& run) {
        m_pages->setCurrentWidget(m_runPage);
        m_run->resumeStored(QString::fromStdString(run.specification),
                            QString::fromStdString(run.directory));
    });
    connect(m_runsPage, &RunsPage::problem, this,
            [this](const QString& what, const QString& where, const QString& hint) {
                showEngineError({what, where, hint});
            });
    const auto announce = [this](auto* page) {
        using Page = std::remove_pointer_t<decltype(page)>;
        connect(page, &Page::exported, this, [this](const QString& path) {
            m_messages->show(MessageBar::Kind::Success, tr("Saved %1").arg(path));
        });
        connect(page, &Page::exportFailed, this, [this](const QString& problem) {
            m_messages->show(MessageBar::Kind::Problem, tr("Nothing was saved: %1").arg(problem));
        });
    };
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
            m_modelPanel->showModel(model);
            setWindowTitle(
                tr("%1 – CoSpaDi Workbench").arg(QString::fromStdString(model.config.name)));
            emit modelLoaded(true);
        },
        [this, loading](const Error& error) {
            if (loading != m_loading) {
                return;
            }
            m_modelPanel->showProblem(error);
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
                              m_modelPanel->highlightedLayer());
}

void MainWindow::startRun() {
    const RunSpecification plan = plannedRun();
    try {
        validate(plan);
    } catch (const Error& error) {
        showEngineError({QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint())});
        return;
    }
    m_messages->hide();
    m_pages->setCurrentWidget(m_runPage);
    m_run->start(plan);
}

void MainWindow::evaluate(const RunRow& run) {
    try {
        m_evaluationId =
            m_engine->request(QStringLiteral("evaluate"),
                              {{QStringLiteral("model"), QString::fromStdString(run.directory)},
                               {QStringLiteral("text"), perplexityText()},
                               {QStringLiteral("context"), 512},
                               {QStringLiteral("max_tokens"), 8192},
                               {QStringLiteral("score"), QStringLiteral("all")}});
        m_messages->show(MessageBar::Kind::Information,
                         tr("Measuring the perplexity of %1 …").arg(QString::fromStdString(run.id)),
                         {},
                         tr("WikiText-2, 8192 tokens in windows of 512. It appears in the table."));
    } catch (const Error& error) {
        showEngineError({QString::fromStdString(error.problem()),
                         QString::fromStdString(error.where()),
                         QString::fromStdString(error.hint())});
    }
}

void MainWindow::showEngineError(const EngineError& error) {
    m_messages->show(MessageBar::Kind::Problem, error.message, error.where, error.hint);
    if (m_run->canResumeInterrupted()) {
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
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::NonModal);
    box->setIconPixmap(icon(QStringLiteral("cospadi-workbench")).pixmap(64, 64));
    box->setWindowTitle(tr("About CoSpaDi Workbench"));
    box->setText(tr("<b>CoSpaDi Workbench %1</b> (%2)").arg(COSPADI_VERSION, COSPADI_REVISION));
    box->setInformativeText(
        tr("Compresses language models by sparse dictionary learning, W ≈ D S, and "
           "measures what it costs.\n\nQt %1. The workbench is GPL-3 (it links Qt "
           "Charts); the engine is Apache-2.0.\n%3\nEngine program: %2")
            .arg(QString::fromLatin1(qVersion()), m_engine->program(), m_engineState->text()));
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

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_run->isActive()) {
        const auto answer = QMessageBox::question(
            this, tr("A run is going on"),
            tr("Stop it and close? Finished matrices are kept; the run can be resumed later."),
            QMessageBox::Yes | QMessageBox::No, QMessageBox::Yes);
        if (answer != QMessageBox::Yes) {
            event->ignore();
            return;
        }
    }
    m_run->disconnect();
    event->accept();
}

}  // namespace cospadi::ui
