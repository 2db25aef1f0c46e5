// What pressing Run will take stands beside it on every page: sizes, time, a calibration that is
// kept.
#include <QLabel>
#include <QTabWidget>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/format.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/plan_cost.h"
#include "ui/pages/model/model_panel.h"
#include "ui/pages/monitor/run_bar.h"

namespace tst_run_cost {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kPatience = 180'000;  // milliseconds, for a loaded machine and for sanitizers

}  // namespace

class TestRunCost : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void costStandsBesideRunOnEveryPage() {
        const int layers = static_cast<int>(m_window->pages().model->tree()->layers().size());
        m_window->pages().plan->setSpecification(planOf(0));
        for (int page = 0; page < m_window->pages().tabs->count(); ++page) {
            m_window->pages().tabs->setCurrentIndex(page);
            QTest::qWait(1);
            bool isSeen = false;
            for (const QLabel* label : m_window->pages().runBar->findChildren<QLabel*>()) {
                isSeen = isSeen ||
                         (label->isVisible() && label->text() == m_window->pages().runBar->cost());
            }
            QVERIFY2(isSeen, qPrintable(pageNames()[page]));
        }
        // By hand: two bytes a weight.
        double dense = 0;
        for (const LayerInfo& layer : m_window->pages().model->tree()->layers()) {
            dense += 2.0 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
        }
        const QString all = m_window->pages().runBar->cost();
        QVERIFY2(all.startsWith(QString("%1 layers: %2 →").arg(layers).arg(formatBytes(dense))),
                 qPrintable(all));
        QVERIFY2(all.contains("about ") && !all.contains("calibration"), qPrintable(all));

        m_window->pages().model->selectByRegex("attn_k");
        const QString fewer = m_window->pages().runBar->cost();
        QVERIFY(fewer != all && !fewer.isEmpty());
        // Three runs take as long as each of them together.
        const double one = m_window->pages().plan->totals().seconds;
        m_window->pages().plan->setSpecification(planOf(0), {{}, {}, {}, "1 2 3"});
        QVERIFY2(m_window->pages().runBar->cost().startsWith("3 runs of "),
                 qPrintable(m_window->pages().runBar->cost()));
        QVERIFY(qAbs(m_window->pages().plan->totals().seconds - 3 * one) <= 1e-9 * one);
        m_window->pages().model->selectByRegex("");
        QVERIFY(m_window->pages().runBar->cost().isEmpty());
        // A method that reads a text says what that takes.
        m_window->pages().model->selectByRegex(".*");
        m_window->pages().plan->setSpecification(RunSpecification());
        QVERIFY2(m_window->pages().runBar->cost().contains("calibration"),
                 qPrintable(m_window->pages().runBar->cost()));
        // What is refined is so in every run, what the text is read for once.
        RunSpecification refined;
        refined.refine = 8;
        m_window->pages().plan->setSpecification(refined);
        const PlanTotals first = m_window->pages().plan->totals();
        m_window->pages().plan->setSpecification(refined, {"0.2 0.2001", {}, {}, {}});
        const PlanTotals both = m_window->pages().plan->totals();
        QCOMPARE(both.runs, 2);
        QCOMPARE(both.calibrationSeconds, first.calibrationSeconds);
        QVERIFY(qAbs(both.seconds / first.seconds - 2) < 0.01);
    }

    // Sums that are on disk take no time again.
    void aKeptCalibrationCostsNothing() {
        load(modelThatReads());
        m_window->pages().model->selectByRegex("blk\\.0\\.attn_k");
        RunSpecification plan;
        plan.calibration.sequences = 8;
        plan.calibration.length = 64;
        m_window->pages().plan->setSpecification(plan);
        QTest::qWait(100);  // for the answer to what is on disk, which is none
        QVERIFY(m_window->pages().plan->totals().calibrationSeconds > 0);
        QVERIFY(m_window->pages().runBar->cost().contains("calibration"));
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        m_window->plannedRuns()->start();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY2(finished[0][0] == "finished", qPrintable(finished[0][1].toString()));
        QTRY_COMPARE(m_window->pages().plan->totals().calibrationSeconds, 0.0);
        QVERIFY(!m_window->pages().runBar->cost().contains("calibration"));
        plan.calibration.seed = 7;  // other sequences
        m_window->pages().plan->setSpecification(plan);
        QTRY_VERIFY(m_window->pages().plan->totals().calibrationSeconds > 0);
    }
};

COSPADI_TEST(TestRunCost)

}  // namespace tst_run_cost

#include "tst_run_cost.moc"
