// The window, driven as a user drives it, by mouse and keys, with the real engine and the default
// model: a new user's first run, a layer of one's own, paused and resumed, patterns, an ablation
// with seeds, tasks, a table, figures, and the next start, which has lost nothing. After every
// station nothing stands in the message bar that was not expected. Runs in a real X server
// (with_xvfb.sh). With COSPADI_SCREENSHOTS=DIR it leaves pictures there.
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <QXmlStreamReader>

#include "core/base/error.h"
#include "core/lm_eval/task_data.h"
#include "core/model/model_locator.h"
#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "tests/ui/window_hands.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_map.h"
#include "ui/charts/pattern_view.h"
#include "ui/charts/usage_chart.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/engine/matrix_lab.h"
#include "ui/main_window.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/window_dialogs.h"
#include "ui/window_session.h"

namespace tst_workbench_end_to_end {

using namespace cospadi;
using namespace cospadi::ui;

class TestWorkbenchEndToEnd : public QObject, WindowHands {
    Q_OBJECT

    bool paused() const {
        return m_window->services().run->state() == RunController::State::Paused;
    }

    // Of a picture as SVG; −1 where it is none.
    static int linesIn(const QString& path) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly)) {
            return -1;
        }
        QXmlStreamReader xml(&file);
        int lines = 0;
        while (!xml.atEnd()) {
            lines +=
                xml.readNext() == QXmlStreamReader::StartElement &&
                (xml.name() == QLatin1String("path") || xml.name() == QLatin1String("polyline"));
        }
        return xml.hasError() ? -1 : lines;
    }

  private slots:
    void initTestCase() {
        try {
            locateModel("default");
        } catch (const Error& error) {
            QSKIP(qPrintable(QString("the default model is not there (./run fetches it): %1")
                                 .arg(QString::fromUtf8(error.what()))));
        }
        if (!QFileInfo(EngineClient::defaultProgram()).isExecutable()) {
            QSKIP("the engine `cospadi` is not built");
        }
        QVERIFY(m_folder.isValid());
        qputenv("COSPADI_RUNS", m_folder.filePath("runs").toUtf8());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QCoreApplication::setOrganizationName("cospadi-test");
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QSettings().setValue("evaluate/tokens", 512);  // seconds, not a minute
        applyTheme(*qApp);
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        bringToFront();
    }

    void cleanup() { QVERIFY2(messages().isEmpty(), qPrintable(messages().join(" | "))); }

    void cleanupTestCase() { m_window.reset(); }

    // As the program begins where nothing was ever done.
    void welcomesANewUser() {
        QVERIFY(WelcomeGuide::isDue());
        m_window->dialogs()->showGuide();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(WindowSession::model());
        auto* guide = find<WelcomeGuide>("welcomeGuide");
        QVERIFY(QTest::qWaitForWindowExposed(guide));
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(loaded[0][0].toBool());
        QVERIFY(m_window->pages().model->tree()->checkedCount() > 0);
        QVERIFY(button("Run")->isEnabled());  // one click away
        // What a user knows the model by, not what the file calls itself.
        QVERIFY(m_window->windowTitle().contains("SmolLM2-135M-Instruct"));
        QVERIFY(guide->isVisible());
        picture("1-first-minute");
    }

    void triesOneBlockFirst() {
        QSignalSpy gone(find<WelcomeGuide>("welcomeGuide"), &QObject::destroyed);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(button("Try one block: Try it"), Qt::LeftButton);
        QTRY_COMPARE(gone.count(), 1);
        QVERIFY(!WelcomeGuide::isDue());  // it does not come again by itself
        bringToFront();
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().monitor);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 180000);
        QCOMPARE(finished[0][0].toString(), "finished");
        QCOMPARE(m_window->services().run->trace().finished(), 7);
        readMessages({"The run is finished[^|]*7 matrices take .* instead of"});
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 1);
    }

    void showsTheMatrixUnderTheCursor() {
        goTo(m_window->pages().tabs->widget(0));
        PortraitPanel* portrait = m_window->pages().portrait;
        QTRY_VERIFY_WITH_TIMEOUT(portrait->spectrumChart()->drawnPoints() > 500, 30000);
        QVERIFY(portrait->histogramChart()->drawnPoints() > 20);
        QVERIFY(portrait->facts().contains("blk.0.attn_q"));
    }

    void selectsOneLayer() {
        auto* tree = find<QTreeView>("layerTree");
        LayerTreeModel* model = m_window->pages().model->tree();
        for (QPushButton* chip : m_window->findChildren<QPushButton*>("kind")) {
            if (chip->text() == "None") {
                QTest::mouseClick(chip, Qt::LeftButton);
            }
        }
        QCOMPARE(model->checkedCount(), 0);
        QVERIFY(!button("Run")->isEnabled());
        const QModelIndex layer = model->indexOf("blk.0.attn_k");
        QVERIFY(layer.isValid());
        tree->scrollTo(layer);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualRect(layer).center());
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Space);
        QCOMPARE(model->checkedCount(), 1);
        QCOMPARE(m_window->pages().model->layersRegex(), R"(^(blk\.0\.attn_k)$)");
        QVERIFY(button("Run")->isEnabled());
    }

    void plansLive() {
        goTo(m_window->pages().plan);
        auto* figures = find<QLabel>("layerFigures");
        const QString before = figures->text();
        QVERIFY(before.contains("k = "));
        auto* cr = find<QWidget>("cr")->findChild<QDoubleSpinBox*>();
        cr->setFocus();
        QTest::keyClick(cr, Qt::Key_Up);
        QVERIFY(figures->text() != before);
        QVERIFY(m_window->pages().runBar->command().contains("--cr 0.21"));
        QVERIFY(find<QLabel>("planHelp")->text().contains("eq. 9"));
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(m_window->pages().runBar->command().contains("--cr 0.2 "));
        QTest::keyClick(m_window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(m_window->pages().runBar->command().contains("--cr 0.21"));
        type(find<QSpinBox>("sequences"), "4");
        type(find<QSpinBox>("length"), "64");
        type(find<QSpinBox>("iterations"), "1000");  // long enough to be paused
        QVERIFY(m_window->pages().runBar->command().contains("--sequences 4 --length 64"));
    }

    void runsPausesAndResumes() {
        RunController* run = m_window->services().run;
        QSignalSpy finished(run, &RunController::runFinished);
        QTest::mouseClick(button("Run"), Qt::LeftButton);
        QVERIFY(run->isActive());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().monitor->errorChart()->drawnPoints() >= 2,
                                 60000);
        QTest::mouseClick(button("Pause or resume"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(paused() || finished.count() == 1, 20000);
        QVERIFY2(paused(), "the run was over before it could be paused");
        QVERIFY(m_window->pages().monitor->usageChart()->drawnPoints() >= 2);
        picture("2-paused");
        QTest::mouseClick(button("Pause or resume"), Qt::LeftButton);
        QTRY_VERIFY(!paused());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
        QCOMPARE(run->trace().finished(), 1);
        QVERIFY(run->trace().matrices().first().finalError > 0);
        picture("3-finished");
        readMessages({"The run is finished"});
    }

    void showsThePattern() {
        goTo(m_window->pages().pattern);
        PatternView* view = m_window->pages().pattern->view();
        const MatrixTrace& matrix = m_window->services().run->trace().matrices().first();
        // Fewer outputs than inputs: the dictionary is over the outputs, a column of S an input.
        QVERIFY(matrix.d2 < matrix.d1);
        // It may still show the run before, for a moment.
        QTRY_COMPARE(view->image().size(), QSize(int(matrix.d1), int(matrix.k)));
        QVERIFY(m_window->pages().pattern->facts().contains("non-zeros"));
        QVERIFY(m_window->pages().pattern->facts().contains("mutual coherence"));
        QTRY_VERIFY(!m_window->pages().pattern->coherenceChart()->curves().isEmpty());
        QVERIFY(!m_window->pages().pattern->coefficientChart()->curves().isEmpty());
        picture("4-pattern");
        const double before = view->transform().m11();
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Plus);
        const double nearer = view->transform().m11();
        QVERIFY(nearer > before);
        QTest::keyClick(view, Qt::Key_0);
        QVERIFY(view->transform().m11() < nearer);
    }

    void exploresAMatrix() {
        goTo(m_window->pages().explore);
        auto* front = find<QComboBox>("exploreLayer");
        choose(front, front->findText("blk.0.attn_k"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().explore->iterationChart()->drawnPoints() >= 3,
                                 30000);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().explore->facts().contains("SVD-LLM"), 30000);
        const auto explored = [this] { return m_window->services().lab->trace().matrices(); };
        QTRY_VERIFY_WITH_TIMEOUT(explored().first().byRho.size() == 9, 60000);
        const int before = m_window->services().lab->trace().number();
        auto* rho = find<QWidget>("exploreRhoValue")->findChild<QDoubleSpinBox*>();
        rho->setFocus();
        QTest::keyClick(rho, Qt::Key_Up);  // another value: the solve before is given up
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().lab->trace().number() > before, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(!explored().isEmpty(), 30000);
        QTRY_COMPARE_WITH_TIMEOUT(explored().first().here.rho, 2.05, 30000);
        for (const char* layer : {"blk.0.attn_v", "blk.0.attn_q"}) {
            chooseFrom(find<QToolButton>("exploreBeside"), {"Block 0", layer});
        }
        QCOMPARE(m_window->pages().explore->picker()->layers(),
                 (QStringList{"blk.0.attn_k", "blk.0.attn_v", "blk.0.attn_q"}));
        QTRY_COMPARE_WITH_TIMEOUT(explored().size(), 3, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().explore->facts().contains("blk.0.attn_q"),
                                 30000);
        QCOMPARE(explored()[1].layer, "blk.0.attn_v");
        picture("4-explore");
        QTest::mouseClick(find<QPushButton>("exploreStop"), Qt::LeftButton);
        QTRY_VERIFY(!m_window->services().lab->isExploring());
    }

    void runsARival() {
        goTo(m_window->pages().plan);
        auto* method = find<QComboBox>("method");
        choose(method, method->findData("svd-llm"));
        QVERIFY(find<QLabel>("layerFigures")->text().contains("rank r = "));
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(button("Run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(finished[0][0].toString(), "finished");
        readMessages({"The run is finished"});
    }

    void listsAndComparesTheRuns() {
        goTo(m_window->pages().runs);
        RunsPage* page = m_window->pages().runs;
        QTRY_COMPARE(page->model()->rowCount(), 3);
        QCOMPARE(QString::fromStdString(page->model()->run(0).id),
                 m_window->services().run->runId());
        auto* table = find<QTreeView>("runsTable");
        table->clearSelection();
        for (int row = 0; row < 2; ++row) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier,
                              table->visualRect(table->model()->index(row, 0)).center());
        }
        QCOMPARE(page->selectedRuns().size(), std::size_t{2});
        QTRY_COMPARE_WITH_TIMEOUT(page->comparisonChart()->curves().size(), 2, 60000);
        picture("5-runs");
        auto* comparison = find<QComboBox>("comparison");
        choose(comparison, 1);
        QTRY_VERIFY(page->errorMapView()->isVisible());
        QCOMPARE(page->errorMapView()->data().values.size(), 1);
        choose(comparison, 0);
        auto* filter = find<QLineEdit>("runsFilter");
        type(filter, "no such run");
        QTRY_COMPARE(table->model()->rowCount(), 0);
        type(filter, "svd-llm");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        type(filter, "");
        QTRY_COMPARE(table->model()->rowCount(), 3);
    }

    void fitsASmallScreen() {
        // With a model open and runs listed, when every page has its contents.
        QStringList tooLarge;
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            const QSize least = m_window->pages().tabs->widget(page)->minimumSizeHint();
            if (least.width() > 1020 || least.height() > 420) {
                tooLarge << QString("%1 needs %2 x %3")
                                .arg(m_window->pages().tabs->tabText(page))
                                .arg(least.width())
                                .arg(least.height());
            }
        }
        QVERIFY2(tooLarge.isEmpty(), qPrintable(tooLarge.join("; ")));
        // What the window really does when it is made so small.
        m_window->resize(1024, 600);
        QTRY_COMPARE(m_window->size(), QSize(1024, 600));
        picture("small");
        m_window->resize(1440, 900);
    }

    void exportsFigures() {
        QVERIFY(linesIn(exportFrom(m_window->pages().monitor, "error.svg", 0)) > 0);
        QFile pdf(exportFrom(m_window->pages().runs, "comparison.pdf", 1));
        QVERIFY(pdf.open(QIODevice::ReadOnly));
        QVERIFY(pdf.readAll().startsWith("%PDF-"));
        QImage pattern(exportFrom(m_window->pages().pattern, "pattern.png", 2));
        QVERIFY(pattern.width() > 1000);
        QFile csv(exportFrom(m_window->pages().monitor, "error.csv", 3));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        QVERIFY(csv.readAll().contains("blk.0.attn_k"));
        readMessages({"^Saved .*error\\.csv"});  // each in the place of the one before
    }

    void exportsATable() {
        goTo(m_window->pages().runs);
        // The menu keeps the button's click until it is closed: chosen from a timer.
        QTimer chooser;
        connect(&chooser, &QTimer::timeout, this, [&chooser] {
            if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                chooser.stop();
                QTest::keyClick(menu, Qt::Key_Down);
                QTest::keyClick(menu, Qt::Key_Return);
            }
        });
        chooser.start(20);
        QTest::mouseClick(find<QPushButton>("exportTable"), Qt::LeftButton);
        const QString path = m_folder.filePath("runs.tex");
        saveTableAs(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("\\toprule") && text.contains("svd-llm"));
        readMessages({"^Saved .*runs\\.tex"});
    }

    void measuresPerplexity() {
        goTo(m_window->pages().runs);
        selectRun("finished");
        QTest::mouseClick(find<QPushButton>("measurePerplexity"), Qt::LeftButton);
        const auto measured = [this] {
            for (const RunRow& run : m_window->pages().runs->model()->runs()) {
                if (perplexityOf(run) > 1) {
                    return true;
                }
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(measured(), 120000);
        readMessages({"^Perplexity [0-9.,]+ on WikiText-2"});
    }

    void asksBeforeClosingAndResumesACancelledRun() {
        goTo(m_window->pages().plan);
        choose(find<QComboBox>("method"), 0);
        RunController* run = m_window->services().run;
        QSignalSpy finished(run, &RunController::runFinished);
        QTest::mouseClick(button("Run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunController::State::Running, 30000);
        QTRY_VERIFY_WITH_TIMEOUT(!run->trace().matrices().isEmpty(), 60000);
        QVERIFY(!m_window->close());  // nothing modal: the question stands in the window
        QVERIFY2(isTold({"A run is going on"}), qPrintable(messages().join(" | ")));
        QTest::mouseClick(button("Cancel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(finished[0][0].toString(), "cancelled");
        QTRY_VERIFY2(isTold({"The run was cancelled", "Nothing goes on any more"}),
                     qPrintable(messages().join(" | ")));
        QPushButton* stay = buttonOf(*m_window->pages().messages, "Stay");
        QVERIFY(stay != nullptr);
        QTest::mouseClick(stay, Qt::LeftButton);
        goTo(m_window->pages().runs);
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 4);
        selectRun("cancelled");
        QTRY_VERIFY(find<QPushButton>("resumeRun")->isEnabled());
        QTest::mouseClick(find<QPushButton>("resumeRun"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 120000);
        QCOMPARE(finished[1][0].toString(), "finished");
        readMessages({"The run is finished"});
    }

    void queuesASweep() {
        goTo(m_window->pages().plan);
        auto* method = find<QComboBox>("method");
        choose(method, method->findData("svd-llm"));  // quick
        type(find<QLineEdit>("sweepCr"), "0.3 0.5");
        QCOMPARE(m_window->pages().plan->jobs().size(), 2);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(button("Run 2 jobs"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 60000);
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 6);
        readMessages({"All 2 runs are finished"});
        type(find<QLineEdit>("sweepCr"), "");
    }

    // ρ and iterations with two seeds each: a curve for each ρ, mean ± std along the iterations,
    // without anything being chosen.
    void ablatesWithSeeds() {
        goTo(m_window->pages().plan);
        auto* method = find<QComboBox>("method");
        choose(method, method->findData("cospadi"));
        auto* solver = find<QComboBox>("solver");
        choose(solver, solver->findData("ksvd"));
        type(find<QLineEdit>("sweepRho"), "1.5 2");
        type(find<QLineEdit>("sweepIterations"), "2 4");
        type(find<QLineEdit>("sweepSeed"), "1 2");
        QCOMPARE(m_window->pages().plan->jobs().size(), 8);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(button("Run 8 jobs"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 8, 120000);
        readMessages({"All 8 runs are finished"});
        RunsPage* page = m_window->pages().runs;
        goTo(page);
        QTRY_COMPARE(page->model()->rowCount(), 14);
        type(find<QLineEdit>("runsFilter"), "method:ksvd");
        auto* table = find<QTreeView>("runsTable");
        QTRY_COMPARE(table->model()->rowCount(), 8);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(page->selectedRuns().size(), std::size_t{8});
        auto* comparison = find<QComboBox>("comparison");
        choose(comparison, comparison->findText("ablation: a value over a setting"));
        QTRY_COMPARE(page->comparisonChart()->curves().size(), 2);
        for (const Curve& curve : page->comparisonChart()->curves()) {
            QCOMPARE(curve.points.size(), 2);
            QCOMPARE(curve.deviations.size(), 2);
            QVERIFY(curve.name.contains("ρ"));
        }
        picture("7-ablation");
        QVERIFY(linesIn(exportFrom(page, "ablation.svg", 0)) >= 2);  // a curve for each ρ at least
        readMessages({"^Saved .*ablation\\.svg"});
        type(find<QLineEdit>("runsFilter"), "");
        choose(comparison, 0);
    }

    // The last run of the ablation beside the one that differs in its seed alone.
    void comparesPatternsOfTwoSeeds() {
        PatternPage* page = m_window->pages().pattern;
        goTo(page);
        QTRY_VERIFY(!page->view()->isEmpty());
        QString other;
        for (const RunRow& run : m_window->pages().runs->model()->runs()) {
            const bool isSibling = run.solver == "ksvd" && run.rho == 2 && run.iterations == 4;
            other = isSibling && run.seed == 1 ? QString::fromStdString(run.directory) : other;
        }
        QVERIFY(!other.isEmpty() && other != m_window->services().run->directory());
        auto* second = find<QComboBox>("patternBeside");
        QTRY_VERIFY(second->findData(other) > 0);
        choose(second, second->findData(other));
        QTRY_VERIFY_WITH_TIMEOUT(!page->maps()->difference()->isEmpty(), 30000);
        QVERIFY(page->secondView()->isVisible() && page->maps()->difference()->isVisible());
        QTRY_VERIFY2(page->facts().contains("entries in both"), qPrintable(page->facts()));
        picture("8-patterns-compared");
        choose(second, 0);
        QTRY_VERIFY(!page->secondView()->isVisible());
    }

    void evaluatesATask() {
        goTo(m_window->pages().evaluate);
        tick(find<QListWidget>("evaluateTasks"), {"piqa"});
        type(find<QSpinBox>("evaluateLimit"), "4");
        QTest::mouseClick(m_window->pages().evaluate->findChild<QPushButton*>("primary"),
                          Qt::LeftButton);
        QVERIFY(m_window->pages().evaluate->queue()->isActive());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->pages().evaluate->queue()->isActive(), 120000);
        QTRY_VERIFY(m_window->findChild<QTableView*>("taskBoard")->model()->rowCount() >= 1);
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 15);  // the dense model's
        const bool isSample = fetchedDataFor({"piqa"}).empty();
        readMessages(isSample ? QStringList{"figures of a sample, not of the task: piqa"}
                              : QStringList());
    }

    void keepsATable() {
        TablesPage* page = m_window->pages().tables;
        goTo(page);
        QTRY_VERIFY_WITH_TIMEOUT(!page->isBusy(), 30000);
        type(find<QLineEdit>("tableName"), "first");
        QTest::mouseClick(find<QPushButton>("saveTable"), Qt::LeftButton);
        auto* save = find<QPushButton>("tableExport");
        QVERIFY(save->isEnabled());
        QVERIFY2(save->text().remove('&').startsWith("Save .tex"), qPrintable(save->text()));
        QTest::mouseClick(save, Qt::LeftButton);
        const QString path = m_folder.filePath("table.tex");
        saveTableAs(path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("\\toprule"));
        picture("9-table");
        readMessages({"The table is saved as first", "^Saved .*table\\.tex"});
    }

    // Everything is there again, and nothing is said. The model is opened as the program does it.
    void startsAgainWithNothingLost() {
        const QString title = m_window->windowTitle();
        const QString command = m_window->pages().runBar->command();
        goTo(m_window->pages().runs);
        QVERIFY(m_window->close());
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        bringToFront();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(WindowSession::model());
        QTRY_COMPARE(loaded.count(), 1);
        QTRY_COMPARE(m_window->pages().runs->model()->rowCount(), 15);
        QCOMPARE(m_window->windowTitle(), title);
        QCOMPARE(m_window->pages().runBar->command(), command);
        QCOMPARE(m_window->pages().plan->jobs().size(), 8);
        QCOMPARE(m_window->pages().model->tree()->checkedCount(), 1);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().runs);
        QVERIFY2(!m_window->pages().messages->isVisible(),
                 qPrintable(m_window->pages().messages->text()));
        for (const QDialog* dialog : m_window->findChildren<QDialog*>()) {
            QVERIFY(!dialog->isVisible());
        }
        goTo(m_window->pages().tables);
        auto* tables = find<QComboBox>("savedTables");
        QTRY_VERIFY(tables->findData("first") > 0);
        choose(tables, tables->findData("first"));
        QTRY_COMPARE(find<QLineEdit>("tableName")->text(), "first");
    }

    void isOpenedByDroppingAFile() {
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        QMimeData data;
        data.setUrls(
            {QUrl::fromLocalFile(QString::fromStdString(locateModel("default").string()))});
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(loaded[0][0].toBool());
        QVERIFY(m_window->pages().runBar->command().contains(".gguf"));
    }

    void findsCommandsByName() {
        bringToFront();
        QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(m_window->findChild<QDialog*>("commandPalette") != nullptr);
        auto* search = m_window->findChild<QDialog*>("commandPalette")->findChild<QLineEdit*>();
        QTest::keyClicks(search, "pattern");
        QTest::keyClick(search, Qt::Key_Return);
        QTRY_COMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().pattern);
    }

    // As the program begins with a word that leads nowhere.
    void saysWhatIsWrongWithAModel() {
        m_window = std::make_unique<MainWindow>();  // with a model open it would stay open
        m_window->show();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load("/nowhere/model.gguf");
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(!loaded[0][0].toBool());
        QVERIFY(find<QLabel>("missingModel")->text().contains("/nowhere/model.gguf"));
        QVERIFY(find<QLabel>("missingModel")->text().contains("./run"));
        QVERIFY(!button("Run 8 jobs")->isEnabled());  // what the session brought back
        picture("6-no-model");
    }
};

COSPADI_TEST(TestWorkbenchEndToEnd)

}  // namespace tst_workbench_end_to_end

#include "tst_workbench_end_to_end.moc"
