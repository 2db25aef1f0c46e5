// The window, driven as a user drives it, by mouse and keys, with the real engine and the default
// model: a new user's first run, a layer of one's own, paused and resumed, patterns, an ablation
// with seeds, tasks, a table, figures, and the next start, which has lost nothing. After every
// station nothing stands in the message bar that was not expected. Runs in a real X server
// (with_xvfb.sh). With COSPADI_SCREENSHOTS=DIR it leaves pictures there.
//
// Its stations are those of end_to_end_first_runs.h and end_to_end_stored_runs.h, then the ones
// here: each goes on where the one before has ended.
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QListWidget>
#include <QMimeData>
#include <QTableView>

#include "core/lm_eval/task_data.h"
#include "core/model/model_locator.h"
#include "tests/registered_test.h"
#include "tests/ui/end_to_end_stored_runs.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/pattern_view.h"
#include "ui/main_window.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_maps.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/window_session.h"

namespace tst_workbench_end_to_end {

using namespace cospadi;
using namespace cospadi::ui;

class TestWorkbenchEndToEnd : public EndToEndStoredRuns {
    Q_OBJECT

  private slots:
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
        readMessages(isSample ? QStringList{"results on a sample, not on the whole task: piqa"}
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

#include "moc_end_to_end_first_runs.cpp"
#include "moc_end_to_end_stored_runs.cpp"
#include "tst_workbench_end_to_end.moc"
