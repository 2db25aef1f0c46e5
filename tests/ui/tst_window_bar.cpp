// The bar and the queue of the Run page tell what is true now: after a dead engine, a refused or
// resumed run, between runs and at the end of a sweep; the bar goes when nothing goes on.
#include <QLabel>
#include <QProgressBar>
#include <QRegularExpression>
#include <QTabWidget>
#include <csignal>

#include "core/methods/method.h"
#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/charts/curve_chart.h"
#include "ui/models/matrix_table_model.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/runs/runs_page.h"

namespace tst_window_bar {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kPatience = 180'000;  // milliseconds, for a loaded machine and for sanitizers

}  // namespace

class TestWindowBar : public QObject, WindowFixture {
    Q_OBJECT

    QProgressBar* bar() const { return m_window->pages().runBar->findChild<QProgressBar*>(); }
    QString barText() const {
        QStringList words;
        for (const QLabel* label : m_window->pages().runBar->findChildren<QLabel*>()) {
            words << label->text();
        }
        return words.join('|');
    }
    QPushButton* barButton(const char* text) const {
        return buttonOf(*m_window->pages().runBar, text);
    }
    QString statusOf(const QString& id) const {
        const RunsTableModel* model = m_window->pages().runs->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            if (QString::fromStdString(model->run(row).id) == id) {
                return QString::fromStdString(model->run(row).status);
            }
        }
        return {};
    }
    void killEngine() const {
        QCOMPARE(::kill(static_cast<pid_t>(m_window->services().engine->processId()), SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->isActive(), kPatience);
    }
    // Neither of these may look alive once the run is over.
    void verifyBarIsAtRest() const {
        QVERIFY(!barButton("Pause")->isEnabled());
        QVERIFY(!barButton("Cancel")->isEnabled());
        QVERIFY2(!barText().contains("left") && !barText().contains("Starting"),
                 qPrintable(barText()));
        const auto* progress = m_window->pages().runBar->findChild<QProgressBar*>();
        QVERIFY(progress->maximum() > 0);  // does not run to and fro
    }
    int rowsInWork() const {
        const auto* model = m_window->pages().monitor->findChild<MatrixTableModel*>();
        int count = 0;
        for (int row = 0; row < model->rowCount(); ++row) {
            count += model->index(row, MatrixTableModel::SizeColumn).data() == "running" ? 1 : 0;
        }
        return count;
    }
    // The first one works on its matrices then; the other is over at once.
    void queueOneThatLastsAndAnother() const {
        Job first;
        first.specification = planOf(2000);
        first.specification.model = kSmallModel.toStdString();
        Job second;
        second.specification = planOf(0);
        second.specification.model = first.specification.model;
        m_window->services().queue->add({first, second});
        QTRY_VERIFY_WITH_TIMEOUT(rowsInWork() > 0, kPatience);
    }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void theBarGoesWhenNothingGoesOn() {
        QVERIFY(!bar()->isVisible());
        const int y = m_window->pages().tabs->y();
        m_window->pages().plan->setSpecification(planOf(2000));
        m_window->plannedRuns()->start();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->isActive(), kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(bar()->isVisible(), kPatience);
        QCOMPARE(m_window->pages().tabs->y(), y);  // nothing moved
        m_window->services().run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->isActive(), kPatience);
        QVERIFY(!bar()->isVisible());
        // Nor is one left of a run that came to its end.
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        m_window->pages().plan->setSpecification(planOf(0));
        m_window->plannedRuns()->start();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(finished[0][0].toString(), "finished");
        QTRY_VERIFY(!bar()->isVisible());
    }

    void aDeadEngineLeavesTheBarAtRest() {
        startRun(planOf(2000));
        QTRY_VERIFY_WITH_TIMEOUT(barText().contains("Compressing") && rowsInWork() > 0, kPatience);
        QVERIFY(barButton("Cancel")->isEnabled());
        const QString id = m_window->services().run->runId();
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "running", kPatience);
        killEngine();
        verifyBarIsAtRest();
        QVERIFY2(barText().contains("Interrupted"), qPrintable(barText()));
        QCOMPARE(rowsInWork(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "interrupted", kPatience);
        picture(*m_window, "engine-died");

        // Taken up again: the message goes, the list says that it is at work.
        QTRY_VERIFY(offered("Resume the run") != nullptr);
        // The engine is back by another request: that it crashed is past, the run still waits.
        m_window->services().engine->start();
        QTRY_VERIFY2(m_window->pages().messages->text().contains("The run was interrupted"),
                     qPrintable(m_window->pages().messages->text()));
        QVERIFY(m_window->pages().messages->isVisible());
        QTRY_VERIFY(offered("Resume the run") != nullptr);
        m_window->services().run->resumeInterrupted();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->state() == RunController::State::Running,
                                 kPatience);
        QVERIFY(!m_window->pages().messages->isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "running", kPatience);
        m_window->services().run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->isActive(), kPatience);
        verifyBarIsAtRest();
        QVERIFY2(barText().contains("Cancelled"), qPrintable(barText()));
        QCOMPARE(rowsInWork(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "cancelled", kPatience);
    }

    void aDeadEngineIsPastOnceItWorksAgain() {
        EngineClient* engine = m_window->services().engine;
        QSignalSpy ready(engine, &EngineClient::ready);
        engine->start();  // if a look at a matrix has not done so
        QTRY_VERIFY_WITH_TIMEOUT(!engine->device().isEmpty(), kPatience);
        QString told;
        connect(engine, &EngineClient::died, m_window.get(), [&] {
            told = m_window->pages().messages->isVisible() ? m_window->pages().messages->text()
                                                           : QString();
        });
        const auto greetings = ready.count();
        QCOMPARE(::kill(static_cast<pid_t>(engine->processId()), SIGKILL), 0);
        QTRY_VERIFY2(told.contains("crashed or was killed"), qPrintable(told));
        engine->start();
        QTRY_VERIFY_WITH_TIMEOUT(ready.count() > greetings, kPatience);
        QVERIFY(!m_window->pages().messages->isVisible());
    }

    void aResumedRunShowsWhatItHas() {
        startRun(planOf(1000));
        const RunTrace& trace = m_window->services().run->trace();
        QTRY_VERIFY_WITH_TIMEOUT(trace.finished() >= 1, kPatience);
        const QString id = m_window->services().run->runId();
        m_window->services().run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->isActive(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(statusOf(id), "cancelled", kPatience);
        const qint64 kept = trace.finished();
        const RunsTableModel* runs = m_window->pages().runs->model();
        QCOMPARE(runs->rowCount(), 1);
        emit m_window->pages().runs->resumeRequested(runs->run(0));
        QTRY_VERIFY_WITH_TIMEOUT(rowsInWork() > 0, kPatience);
        QVERIFY(trace.finished() >= kept);
        QVERIFY2(barText().contains(
                     QString("Compressing  %1 of %2").arg(trace.finished()).arg(trace.expected())),
                 qPrintable(barText()));
        const auto* table = m_window->pages().monitor->findChild<MatrixTableModel*>();
        QCOMPARE(table->rowCount() - rowsInWork(), int(trace.finished()));
        const MatrixTrace& first = trace.matrices().first();
        QVERIFY(first.finished && first.finalError > 0 && !first.error.isEmpty());
        m_window->services().run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->isActive(), kPatience);
    }

    void aRefusedResumeLeavesTheBarAtRest() {
        QSignalSpy failed(m_window->services().run, &RunController::failed);
        m_window->services().run->resumeStored("{\"method\": \"no such method\"}", "/nowhere");
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        verifyBarIsAtRest();
    }

    void anEmptyChartSaysWhy() {
        const auto words = [this] {
            QStringList all;
            for (const QLabel* label :
                 m_window->pages().monitor->errorChart()->findChildren<QLabel*>()) {
                all << label->text();
            }
            return all.join('|');
        };
        QVERIFY2(words().contains("Nothing has run yet"), qPrintable(words()));
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c",
                   "read -r line; echo '{\"id\":1,\"result\":{}}'; read -r line; "
                   "echo '{\"event\":\"progress\",\"stage\":\"calibration\",\"done\":1,"
                   "\"total\":9}'; cat > /dev/null"});
        m_window->plannedRuns()->start();
        QTRY_VERIFY(m_window->services().run->isActive());
        QVERIFY2(!words().contains("Nothing has run yet"), qPrintable(words()));
    }

    // Cancelling means the run, not what waits behind it; what nobody knows is not told as a time.
    void cancellingARunGoesOnWithTheNext() {
        queueOneThatLastsAndAnother();
        QVERIFY2(barText().contains("1 more waiting"), qPrintable(barText()));
        static const QRegularExpression noTime("unknown|about –|–\\s*left");
        QVERIFY2(!barText().contains(noTime), qPrintable(barText()));
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(barButton("Cancel"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(finished[0][0].toString(), "cancelled");
        QCOMPARE(finished[1][0].toString(), "finished");
        QVERIFY(!m_window->services().queue->isHeld());
    }

    // What a dead engine leaves waiting is held, which is said with the way on.
    void aHeldQueueIsTold() {
        queueOneThatLastsAndAnother();
        killEngine();
        QVERIFY(m_window->services().queue->isHeld());
        QTRY_VERIFY(offered("Start 1 waiting run") != nullptr);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(offered("Start 1 waiting run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QCOMPARE(finished[0][0].toString(), "finished");
    }

    void onlyTheLastOfASweepIsTheEnd() {
        m_window->pages().plan->setSpecification(planOf(0), {"0.2 0.3 0.4", {}, {}, {}});
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QStringList told;
        connect(m_window->services().run, &RunController::runFinished, m_window.get(), [&] {
            told << (m_window->pages().messages->isVisible() ? m_window->pages().messages->text()
                                                             : QString());
        });
        m_window->plannedRuns()->start();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
        QCOMPARE(told.size(), 3);
        QCOMPARE(told[0], QString());
        QCOMPARE(told[1], QString());
        QVERIFY2(told[2].contains("All 3 runs are finished"), qPrintable(told[2]));
    }
};

COSPADI_TEST(TestWindowBar)

}  // namespace tst_window_bar

#include "tst_window_bar.moc"
