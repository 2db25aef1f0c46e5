// The window as a whole, without a screen: it explains itself, its pages are known by name, plans
// and patterns of runs show what is there.
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStatusBar>
#include <QTabWidget>
#include <algorithm>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/format.h"
#include "ui/charts/pattern_view.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/welcome_guide.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/window_dialogs.h"

namespace tst_window {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindow : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // As --page has them.
    void pagesAreKnownByNameAndNumber() {
        const QStringList& names = pageNames();
        QCOMPARE(names.size(), m_window->pages().tabs->count());
        for (int page = 0; page < names.size(); ++page) {
            QCOMPARE(m_window->pages().tabs->tabText(page).toLower(), names[page]);
            QCOMPARE(indexOfPage(names[page]), page);
            QCOMPARE(indexOfPage(m_window->pages().tabs->tabText(page)), page);
            QCOMPARE(indexOfPage(QString::number(page + 1)), page);
        }
        for (const char* none : {"", "0", "10", "-1", "nowhere", "2.0"}) {
            QCOMPARE(indexOfPage(none), -1);
        }
    }

    void everyParameterIsExplained() {
        QStringList silent;
        int fields = 0;
        const auto explains = [](const QWidget* field) {
            return field->property("help").toString().contains("<b>") &&
                   !field->accessibleDescription().isEmpty() && !field->toolTip().isEmpty();
        };
        for (const QWidget* field : m_window->pages().plan->findChildren<QWidget*>()) {
            if (!takesTab(*field) ||
                !(field->inherits("QComboBox") || field->inherits("QAbstractSpinBox") ||
                  field->inherits("QLineEdit"))) {
                continue;
            }
            ++fields;
            if (!explains(field) && !explains(field->parentWidget())) {
                silent << described(*field);
            }
        }
        QVERIFY(fields > 15);
        QVERIFY2(silent.isEmpty(), qPrintable(silent.join("\n")));
    }

    void guideIsDueOnce() {
        QVERIFY(WelcomeGuide::isDue());
        QVERIFY(!WelcomeGuide::isDue());
        m_window->dialogs()->showGuide();
        auto* guide = m_window->findChild<WelcomeGuide*>();
        QVERIFY(guide != nullptr && guide->isVisible());
        QTest::mouseClick(buttonOf(*guide, "Plan"), Qt::LeftButton);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QVERIFY(!guide->isVisible());
    }

    void aboutTellsOfTheGpu() {
        for (QAction* action : m_window->findChildren<QAction*>()) {
            if (action->text().contains("About")) {
                action->trigger();
            }
        }
        auto* about = m_window->findChild<AboutDialog*>("about");
        QVERIFY(about != nullptr);
        QVERIFY(about->text().contains("GPU: "));
        QVERIFY2(about->text().contains("not used: ") || about->text().contains("used (cuda)"),
                 qPrintable(about->text()));
        QVERIFY(about->text().contains(QString("Qt: ") + qVersion()));
    }

    // Memory and load of a device stand beside its name while a run goes on.
    void aDeviceSaysHowBusyItIs() {
        const auto shown = [this] {
            QStringList words;
            for (const QLabel* label : m_window->statusBar()->findChildren<QLabel*>()) {
                words << label->text();
            }
            return words.join('|');
        };
        QTRY_VERIFY(shown().contains("cores"));
        const QString before = shown();
        emit m_window->services().engine->eventReceived(
            {{"event", "device"}, {"used_bytes", 30e9}, {"total_bytes", 141e9}, {"load", 0.87}});
        QVERIFY2(shown().contains(formatBytes(30e9)) && shown().contains(formatBytes(141e9)) &&
                     shown().contains(formatPercent(0.87)),
                 qPrintable(shown()));
        emit m_window->services().engine->eventReceived({{"event", "device"},
                                                         {"used_bytes", 30e9},
                                                         {"total_bytes", 141e9},
                                                         {"load", QJsonValue()}});
        QVERIFY(shown().contains(formatBytes(30e9)) && !shown().contains(formatPercent(0.87)));
        emit m_window->services().engine->eventReceived(
            {{"event", "run_finished"}, {"run", "another"}});
        QCOMPARE(shown(), before);
    }

    void aPlanFromARunIsThatRun() {
        RunRow run;
        run.id = "some-run";
        RunSpecification specification;
        specification.model = QDir(kSmallModel).absolutePath().toStdString();
        specification.layers = "ffn_up";
        specification.cr = 0.35;
        specification.calibration.text = "/another/place/texts/c4_calib.jsonl";
        specification.calibration.sequences = 16;
        specification.calibration.seed = 7;
        specification.method = &methodFromName("svd-llm");
        specification.ridge = 0.01;
        run.specification = toJson(specification).dump();
        // Another model is open meanwhile.
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf");
        QTRY_COMPARE(loaded.count(), 1);
        emit m_window->pages().runs->planRequested(run);
        QTRY_COMPARE(loaded.count(), 2);
        QVERIFY(loaded[1][0].toBool());
        const QString command = m_window->pages().runBar->command();
        QVERIFY2(command.contains(kSmallModel) && command.contains("ffn_up") &&
                     command.contains("0.35") && command.contains("--sequences 16"),
                 qPrintable(command));
        // The text that ships needs no name, least of all that of another place.
        QVERIFY2(!command.contains("c4_calib"), qPrintable(command));
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QVERIFY2(command.contains("--calibration-seed 7") && command.contains("--ridge 0.01"),
                 qPrintable(command));
        QVERIFY(!m_window->pages().messages->isVisible());
        // What a field is too coarse for is told.
        specification.cr = 0.125;
        run.specification = toJson(specification).dump();
        emit m_window->pages().runs->planRequested(run);
        QTRY_VERIFY(m_window->pages().messages->isVisible());
        QVERIFY2(m_window->pages().messages->text().contains("cr 0.125"),
                 qPrintable(m_window->pages().messages->text()));
        // A run without calibration leaves no zeros in its fields.
        specification.method = &methodFromName("svd");
        specification.calibration.text.clear();
        specification.calibration.sequences = specification.calibration.length = 0;
        run.specification = toJson(specification).dump();
        emit m_window->pages().runs->planRequested(run);
        QCOMPARE(m_window->pages().plan->specification().calibration.sequences,
                 CalibrationSpecification().sequences);
    }

    // Of the model that is opened next every layer is ticked, as of any.
    void layersOfAModelThatIsGoneAreForgotten() {
        RunRow run;
        run.id = "some-run";
        RunSpecification specification;
        specification.model = "/nowhere/gone.gguf";
        specification.layers = "ffn_up";
        run.specification = toJson(specification).dump();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        emit m_window->pages().runs->planRequested(run);
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(!loaded[0][0].toBool());
        load(COSPADI_TEST_DATA "/arch/llama_biases/model.gguf");
        QVERIFY(!m_window->pages().model->tree()->checked().contains(false));
    }

    void aPatternIsOrderedAndComparedWithItself() {
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        PatternPage* page = m_window->pages().pattern;
        m_window->pages().tabs->setCurrentWidget(page);
        QTRY_VERIFY(!page->view()->isEmpty());
        const QImage before = page->view()->image();
        page->findChild<QComboBox*>("patternColumns")->setCurrentIndex(1);
        QTRY_VERIFY(page->view()->image() != before);
        // The same columns in another order: every row keeps its number of non-zeros.
        const QImage after = page->view()->image();
        QCOMPARE(after.size(), before.size());
        const auto count = [](const QImage& image, int y) {
            return std::count(image.constScanLine(y), image.constScanLine(y) + image.width(), 255);
        };
        for (int y = 0; y < before.height(); ++y) {
            QCOMPARE(count(after, y), count(before, y));
        }
        QVERIFY(!page->secondView()->isVisible());
        auto* beside = page->findChild<QComboBox*>("patternBeside");
        QTRY_VERIFY(beside->count() > 1);
        beside->setCurrentIndex(beside->findData(m_window->services().run->directory()));
        QTRY_VERIFY(page->secondView()->isVisible());
        QTRY_COMPARE(page->secondView()->image(), page->view()->image());
        QVERIFY2(page->facts().contains(formatPercent(1)), qPrintable(page->facts()));
        picture(*m_window, "patterns-compared");
        beside->setCurrentIndex(0);
        QVERIFY(!page->secondView()->isVisible());
    }
};

COSPADI_TEST(TestWindow)

}  // namespace tst_window

#include "tst_window.moc"
