// The window, driven as a user drives it, with the real engine and the default model: choose a
// layer, run, pause, resume, look at the pattern, find the run in the list, leave with a figure and
// a table. Runs in a real X server (with_xvfb.sh). With COSPADI_SCREENSHOTS=DIR it leaves pictures
// there.
#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTreeView>
#include <QXmlStreamReader>
#include <QtTest>

#include "core/base/error.h"
#include "core/model/model_locator.h"
#include "ui/base/theme.h"
#include "ui/main_window.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/model_panel.h"
#include "ui/pages/pattern_page.h"
#include "ui/pages/plan_panel.h"
#include "ui/pages/run_bar.h"
#include "ui/pages/run_page.h"
#include "ui/pages/runs_page.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/curve_chart.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/pattern_view.h"

using namespace cospadi;
using namespace cospadi::ui;

class TestWorkbenchEndToEnd : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;

    void picture(const QString& name) {
        const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QTest::qWait(200);
            QVERIFY(m_window->grab().save(folder + '/' + name + ".png"));
        }
    }

    template <typename Widget>
    Widget* find(const char* name) {
        Widget* widget = m_window->findChild<Widget*>(QString::fromLatin1(name));
        if (widget == nullptr) {
            qFatal("the window has no %s", name);
        }
        return widget;
    }

    QPushButton* button(const QString& accessibleName) {
        for (QPushButton* candidate : m_window->findChildren<QPushButton*>()) {
            if (candidate->accessibleName() == accessibleName) {
                return candidate;
            }
        }
        qFatal("the window has no button %s", qPrintable(accessibleName));
    }

    void type(QSpinBox* box, const QString& text) {
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    }

    bool paused() const { return m_window->run()->state() == RunController::State::Paused; }

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
        applyTheme(*qApp);
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    void cleanupTestCase() { m_window.reset(); }

    void opensTheDefaultModel() {
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        QElapsedTimer clock;
        clock.start();
        m_window->loadModel("default");
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(loaded[0][0].toBool());
        QVERIFY2(clock.elapsed() < 1000, qPrintable(QString("%1 ms").arg(clock.elapsed())));
        QVERIFY(m_window->modelPanel()->tree()->checkedCount() > 0);
        QVERIFY(button("Run")->isEnabled());  // one click away
        picture("1-first-minute");
    }

    void selectsOneLayer() {
        auto* tree = find<QTreeView>("layerTree");
        LayerTreeModel* model = m_window->modelPanel()->tree();
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
        QCOMPARE(m_window->modelPanel()->layersRegex(), R"(^(blk\.0\.attn_k)$)");
        QVERIFY(button("Run")->isEnabled());
    }

    void plansLive() {
        auto* figures = find<QLabel>("layerFigures");
        const QString before = figures->text();
        QVERIFY(before.contains("k = "));
        auto* cr = find<QWidget>("cr")->findChild<QDoubleSpinBox*>();
        cr->setFocus();
        QTest::keyClick(cr, Qt::Key_Up);
        QVERIFY(figures->text() != before);
        QVERIFY(m_window->runBar()->command().contains("--cr 0.21"));
        type(find<QSpinBox>("sequences"), "4");
        type(find<QSpinBox>("length"), "64");
        type(find<QSpinBox>("iterations"), "1000");  // long enough to be paused
        QVERIFY(m_window->runBar()->command().contains("--sequences 4 --length 64"));
    }

    void runsPausesAndResumes() {
        RunController* run = m_window->run();
        QSignalSpy finished(run, &RunController::runFinished);
        QTest::mouseClick(button("Run"), Qt::LeftButton);
        QVERIFY(run->isActive());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->runPage()->errorChart()->drawnPoints() >= 2, 60000);
        QTest::mouseClick(button("Pause or resume"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(paused() || finished.count() == 1, 20000);
        QVERIFY2(paused(), "the run was over before it could be paused");
        QVERIFY(m_window->runPage()->usageChart()->drawnPoints() >= 2);
        picture("2-paused");
        QTest::mouseClick(button("Pause or resume"), Qt::LeftButton);
        QTRY_VERIFY(!paused());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
        QCOMPARE(run->trace().finished(), 1);
        QVERIFY(run->trace().matrices().first().finalError > 0);
        picture("3-finished");
    }

    void showsThePattern() {
        m_window->pages()->setCurrentWidget(m_window->patternPage());
        PatternView* view = m_window->patternPage()->view();
        QTRY_VERIFY(!view->isEmpty());
        const MatrixTrace& matrix = m_window->run()->trace().matrices().first();
        QCOMPARE(view->image().size(), QSize(int(matrix.d2), int(matrix.k)));
        QVERIFY(m_window->patternPage()->facts().contains("non-zeros"));
        picture("4-pattern");
        const double before = view->transform().m11();
        view->zoom(4);
        QVERIFY(view->transform().m11() > before);
        view->fit();
    }

    void runsARival() {
        auto* method = find<QComboBox>("method");
        method->setFocus();
        QTest::keyClick(method, Qt::Key_Down);
        QTest::keyClick(method, Qt::Key_Down);
        QCOMPARE(method->currentData().toString(), "svd-llm");
        QVERIFY(find<QLabel>("layerFigures")->text().contains("rank r = "));
        QSignalSpy finished(m_window->run(), &RunController::runFinished);
        QTest::mouseClick(button("Run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(finished[0][0].toString(), "finished");
    }

    void listsAndComparesTheRuns() {
        m_window->pages()->setCurrentWidget(m_window->runsPage());
        RunsPage* page = m_window->runsPage();
        QTRY_COMPARE(page->model()->rowCount(), 2);
        QCOMPARE(QString::fromStdString(page->model()->run(0).id), m_window->run()->runId());
        auto* table = find<QTableView>("runsTable");
        table->clearSelection();
        for (int row = 0; row < 2; ++row) {
            QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::ControlModifier,
                              table->visualRect(table->model()->index(row, 0)).center());
        }
        QCOMPARE(page->selectedRuns().size(), std::size_t{2});
        QTRY_COMPARE(page->comparisonChart()->curves().size(), 2);
        picture("5-runs");
        auto* filter = find<QLineEdit>("runsFilter");
        QTest::keyClicks(filter, "no such run");
        QTRY_COMPARE(table->model()->rowCount(), 0);
        filter->clear();
        QTest::keyClicks(filter, "svd-llm");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        filter->clear();
        QTRY_COMPARE(table->model()->rowCount(), 2);
    }

    void exportsFigureAndTable() {
        QString problem;
        const QString path = m_folder.filePath("error.svg");
        m_window->pages()->setCurrentWidget(m_window->runPage());
        QVERIFY2(writeSvg(*m_window->runPage()->errorChart(), path, "error", &problem),
                 qPrintable(problem));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        int curves = 0;
        while (!xml.atEnd()) {
            curves +=
                xml.readNext() == QXmlStreamReader::StartElement &&
                (xml.name() == QLatin1String("path") || xml.name() == QLatin1String("polyline"));
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(curves > 0);
        QVERIFY(m_window->runsPage()->tableText("latex").contains("\\toprule"));
    }

    void saysWhatIsWrongWithAModel() {
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->loadModel("/nowhere/model.gguf");
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(!loaded[0][0].toBool());
        QVERIFY(find<QLabel>("missingModel")->text().contains("/nowhere/model.gguf"));
        QVERIFY(find<QLabel>("missingModel")->text().contains("./run"));
        QVERIFY(!button("Run")->isEnabled());
        picture("6-no-model");
    }
};

QTEST_MAIN(TestWorkbenchEndToEnd)
#include "tst_workbench_end_to_end.moc"
