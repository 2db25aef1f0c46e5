// The first minute with the window: a small first run whose result is explained, and what empty
// pages offer.
#include <QComboBox>
#include <QTabWidget>
#include <QTableView>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/format.h"
#include "ui/charts/curve_chart.h"
#include "ui/engine/matrix_lab.h"
#include "ui/engine/task_queue.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/empty_state.h"

namespace tst_first_minute {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kPatience = 180'000;  // milliseconds, for a loaded machine and for sanitizers

}  // namespace

class TestFirstMinute : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // ---- the first run

    void aSmallFirstRunIsOfferedAndExplained() {
        load(modelThatReads());
        QVERIFY(m_window->pages().model->tree()->checkedCount() > 7);
        m_window->pages().tabs->setCurrentWidget(m_window->pages().monitor);
        auto* offer = m_window->pages().monitor->findChild<QPushButton*>("tryOneBlock");
        QVERIFY(offer != nullptr && offer->isVisible());
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(offer, Qt::LeftButton);
        const LayerTreeModel* tree = m_window->pages().model->tree();
        for (qsizetype i = 0; i < tree->checked().size(); ++i) {
            QCOMPARE(tree->checked()[i], tree->layers()[static_cast<std::size_t>(i)].block == 0);
        }
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY2(finished[0][0] == "finished", qPrintable(finished[0][1].toString()));
        QVERIFY(!offer->isVisible());
        // What the message says is what lies on the disk.
        double bytes = 0;
        for (const MatrixTrace& matrix : m_window->services().run->trace().matrices()) {
            bytes += matrix.bytes;
        }
        const QString told = m_window->pages().messages->text();
        QVERIFY2(told.contains(QString("7 matrices take %1 instead of").arg(formatBytes(bytes))) &&
                     told.contains("whitened"),
                 qPrintable(told));
        // Explained once: the next run ends in a line.
        m_window->pages().messages->hide();
        m_window->plannedRuns()->start();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY2(!m_window->pages().messages->text().contains("whitened"),
                 qPrintable(m_window->pages().messages->text()));
    }

    // One that came to nothing explains nothing, and the next that finishes is none of it.
    void aCancelledFirstRunIsNotExplainedLater() {
        load(modelThatReads());
        m_window->plannedRuns()->tryOneBlock();
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->isActive(), kPatience);
        m_window->services().run->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        if (finished[0][0] == "finished") {
            QSKIP("the run was over before it could be cancelled");
        }
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QVERIFY2(m_window->pages().messages->text().contains("finished") &&
                     !m_window->pages().messages->text().contains("whitened"),
                 qPrintable(m_window->pages().messages->text()));
    }

    // ---- empty pages

    void withoutAModelPagesLeadToOne() {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        for (QWidget* page :
             std::initializer_list<QWidget*>{m_window->pages().explore, m_window->pages().whole}) {
            m_window->pages().tabs->setCurrentWidget(page);
            auto* choose = page->findChild<QPushButton*>("chooseModel");
            QTRY_VERIFY(choose->isVisible());
            QTest::mouseClick(choose, Qt::LeftButton);
            QCOMPARE(m_window->pages().tabs->currentIndex(), 0);
            QCOMPARE(pageNames()[0], "model");
        }
        QVERIFY(!m_window->services().lab->isExploring());
        load(kSmallModel);
        m_window->pages().tabs->setCurrentWidget(m_window->pages().explore);
        QTRY_VERIFY(m_window->pages().explore->iterationChart()->isVisible());
        QVERIFY(!m_window->pages().explore->findChild<QPushButton*>("chooseModel")->isVisible());
    }

    void aPlanOfNothingLeadsToItsLayers() {
        m_window->pages().tabs->setCurrentWidget(m_window->pages().plan);
        auto* choose = m_window->pages().plan->findChild<QPushButton*>("chooseLayers");
        QVERIFY(!choose->isVisible());
        m_window->pages().model->selectByRegex("");
        QTRY_VERIFY(choose->isVisible());
        QTest::mouseClick(choose, Qt::LeftButton);
        QCOMPARE(m_window->pages().tabs->currentIndex(), 0);
    }

    void runsWithoutARunOfferOne() {
        RunsPage* runs = m_window->pages().runs;
        m_window->pages().tabs->setCurrentWidget(runs);
        auto* offer = runs->findChild<QPushButton*>("tryOneBlock");
        auto* sweep = runs->findChild<QPushButton*>("planSweep");
        auto* comparison = runs->findChild<QComboBox*>("comparison");
        for (int i = 0; i < comparison->count(); ++i) {
            comparison->setCurrentIndex(i);
            QTRY_VERIFY2(offer->isVisible() != sweep->isVisible(),
                         qPrintable(comparison->currentText()));
        }
        comparison->setCurrentIndex(comparison->count() - 1);  // a sweep
        QTRY_VERIFY(sweep->isVisible());
        QTest::mouseClick(sweep, Qt::LeftButton);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        startRun(planOf(0));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        m_window->pages().tabs->setCurrentWidget(runs);
        comparison->setCurrentIndex(0);
        QTRY_VERIFY(runs->comparisonChart()->isVisible());
        QVERIFY(!offer->isVisible());
    }

    void emptyPagesOfferWhatFillsThem() {
        m_window->pages().tabs->setCurrentWidget(m_window->pages().pattern);
        QTRY_VERIFY(m_window->pages().pattern->findChild<QPushButton*>("tryOneBlock")->isVisible());
        m_window->pages().tabs->setCurrentWidget(m_window->pages().tables);
        QTRY_VERIFY(m_window->pages().tables->findChild<QPushButton*>("tryOneBlock")->isVisible());
        m_window->pages().tabs->setCurrentWidget(m_window->pages().evaluate);
        const auto* empty = m_window->pages().evaluate->findChild<EmptyState*>("evaluateEmpty");
        QVERIFY(empty->isVisible());
        QVERIFY(!m_window->pages().evaluate->findChild<QTableView*>("taskBoard")->isVisible());
        QVERIFY2(empty->text().contains("95 %"), qPrintable(empty->text()));
        QVERIFY(empty->findChild<QPushButton*>("evaluateFetchFirst")->isEnabled());
        auto* start = empty->findChild<QPushButton*>("evaluateAtHand");
        QVERIFY(start->isEnabled());
        // A click asks for what ships, whatever else was checked.
        m_window->pages().evaluate->chooseTasks({"sciq"});
        m_window->pages().evaluate->setData("/nowhere");
        QTest::mouseClick(start, Qt::LeftButton);
        QVERIFY(!m_window->pages().evaluate->queue()->jobs().isEmpty());
        const TaskJob job = m_window->pages().evaluate->queue()->jobs().first();
        QCOMPARE(job.tasks, QStringList({"piqa", "arc_easy"}));
        QCOMPARE(job.data, QString());
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->pages().evaluate->queue()->isActive(), kPatience);
    }
};

COSPADI_TEST(TestFirstMinute)

}  // namespace tst_first_minute

#include "tst_first_minute.moc"
