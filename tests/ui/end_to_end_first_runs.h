// The first stations of tst_workbench_end_to_end: a new user's first run, a layer of one's own,
// planned, paused and resumed, its pattern, a matrix explored, a rival.
#pragma once

#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QSettings>
#include <QToolButton>

#include "core/base/error.h"
#include "core/model/model_locator.h"
#include "tests/ui/window_fixture.h"
#include "tests/ui/window_hands.h"
#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/pattern_view.h"
#include "ui/charts/usage_chart.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/engine/matrix_lab.h"
#include "ui/main_window.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/explore/matrix_picker.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/model/portrait_panel.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/plan/plan_panel.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/window_dialogs.h"
#include "ui/window_session.h"

namespace cospadi::ui {

class EndToEndFirstRuns : public QObject, protected WindowHands {
    Q_OBJECT

  protected:
    bool paused() const {
        return m_window->services().run->state() == RunController::State::Paused;
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
};

}  // namespace cospadi::ui
