// What a window leaves behind, and finds: a dead engine, a run that was stopped, broken or goes on
// outside it.
#include <QFile>
#include <QLabel>
#include <csignal>

#include "core/store/locations.h"
#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/format.h"
#include "ui/pages/monitor/run_bar.h"

namespace tst_window_left_behind {

using namespace cospadi;
using namespace cospadi::ui;

class TestWindowLeftBehind : public QObject, WindowFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void aDeadEngineIsToldAndTheRunResumed() {
        RunController* run = m_window->services().run;
        startRun(planOf(400));
        QTRY_VERIFY_WITH_TIMEOUT(!run->trace().matrices().isEmpty(), 30000);
        QSignalSpy finished(run, &RunController::runFinished);
        QCOMPARE(::kill(static_cast<pid_t>(m_window->services().engine->processId()), SIGKILL), 0);
        QTRY_VERIFY(!run->isActive());
        QVERIFY(m_window->pages().messages->isVisible());
        const QString told = m_window->pages().messages->text();  // the second once it works again
        QVERIFY2(told.contains("crashed or was killed") || told.contains("The run was interrupted"),
                 qPrintable(told));
        QTRY_VERIFY(offered("Resume the run") != nullptr);
        QTest::mouseClick(offered("Resume the run"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
    }

    void closingStopsTheRunAndTheNextStartFindsIt() {
        Preferences stops;
        stops.closing = Preferences::Closing::Stop;
        stops.save();
        startRun(planOf(400));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->trace().finished() >= 1, 60000);
        const QString id = m_window->services().run->runId();
        QVERIFY(m_window->close());
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(offered("Resume") != nullptr, 20000);
        QVERIFY(m_window->pages().messages->text().contains(id.right(6)));
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(offered("Resume"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
        QCOMPARE(m_window->services().run->runId(), id);
    }

    // Neither hides the other.
    void aBrokenRunBesideTheOfferToResume() {
        Preferences stops;
        stops.closing = Preferences::Closing::Stop;
        stops.save();
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->trace().finished() >= 1, 60000);
        QVERIFY(m_window->close());
        m_window.reset();
        const QDir runs(QString::fromStdString(cospadi::runsDirectory().string()));
        QVERIFY(runs.mkpath("broken"));
        QFile file(runs.filePath("broken/run.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": 1, \"id\": ");
        file.close();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().messages->text().contains("broken"), 20000);
        QTRY_VERIFY_WITH_TIMEOUT(offered("Resume") != nullptr, 20000);
        QVERIFY(offered("Resume")->isVisible());
        QVERIFY(m_window->pages().messages->text().contains("broken"));
        // The directory is no run to be resumed.
        QVERIFY(offered("Resume the run") == nullptr);
    }

    // Whoever wanted to close need not be there when the run ends.
    void theWindowClosesWithTheRunItAskedAbout() {
        startRun(planOf(400));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->trace().matrices().isEmpty(), 60000);
        QVERIFY(!m_window->close());
        QVERIFY(offered("Stop and close") != nullptr);
        m_window->pages().messages->show(MessageBar::Kind::Success, "Saved a figure");
        QVERIFY(offered("Stop and close") != nullptr);  // the question stands beside it
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->isVisible(), 120000);
        QCOMPARE(m_window->services().run->ending(), "finished");
    }

    void theQuestionStandsWhereTheRunWasCancelled() {
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->trace().matrices().isEmpty(), 60000);
        QVERIFY(!m_window->close());
        m_window->services().run->cancel();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->services().run->isActive(), 60000);
        QTRY_VERIFY(offered("Close") != nullptr);
        QVERIFY(offered("Stop and close") == nullptr);
        QVERIFY(m_window->pages().messages->text().contains("Nothing is running"));
        QVERIFY(offered("Resume") != nullptr);  // what became of the run stands, too
        QVERIFY(m_window->isVisible());
        QTest::mouseClick(offered("Close"), Qt::LeftButton);
        QVERIFY(!m_window->isVisible());
    }

    void closingLeavesTheRunAndTheNextStartWatchesIt() {
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->trace().finished() >= 1, 60000);
        const QString id = m_window->services().run->runId();
        QVERIFY(!m_window->close());  // asks first
        QTRY_VERIFY(offered("Close and keep running") != nullptr);
        QTest::mouseClick(offered("Close and keep running"), Qt::LeftButton);
        QVERIFY(!m_window->isVisible());
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY2_WITH_TIMEOUT(offered("Watch it") != nullptr,
                                  qPrintable(m_window->pages().messages->text()), 20000);
        QVERIFY(m_window->pages().messages->text().contains(id.right(6)));
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(offered("Watch it"), Qt::LeftButton);
        QTRY_VERIFY(!m_window->services().run->trace().matrices().isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
        QCOMPARE(finished[0][0].toString(), "finished");
        const RunTrace& trace = m_window->services().run->trace();
        QCOMPARE(trace.finished(), trace.expected());
    }

    // By the setting nothing is asked: the window closes as ever, and keeps what it keeps.
    void closingLeavesTheRunUnasked() {
        const Preferences usual = Preferences::load();
        Preferences leaves = usual;
        leaves.closing = Preferences::Closing::LeaveRunning;
        leaves.save();
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->trace().finished() >= 1, 60000);
        const QString id = m_window->services().run->runId();
        QVERIFY(m_window->close());
        QVERIFY(!m_window->isVisible());
        usual.save();
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY2_WITH_TIMEOUT(offered("Watch it") != nullptr,
                                  qPrintable(m_window->pages().messages->text()), 20000);
        QVERIFY(m_window->pages().messages->text().contains(id.right(6)));
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(offered("Watch it"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120000);
    }

    void aRunOutsideThisWindowIsToldOfAndCancelled() {
        startRun(planOf(1000));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->services().run->trace().finished() >= 1, 60000);
        QVERIFY(!m_window->close());
        QTRY_VERIFY(offered("Close and keep running") != nullptr);
        QTest::mouseClick(offered("Close and keep running"), Qt::LeftButton);
        m_window.reset();
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(offered("Watch it") != nullptr, 20000);
        QStringList saidNothing;  // "Outside this window:" with nothing behind it
        connect(m_window->services().run, &RunController::traceChanged, this, [this, &saidNothing] {
            for (const QLabel* label : m_window->pages().runBar->findChildren<QLabel*>()) {
                if (label->text().trimmed().endsWith("window:")) {
                    saidNothing << label->text();
                }
            }
        });
        QTest::mouseClick(offered("Watch it"), Qt::LeftButton);
        const auto tells = [this](const QString& words) {
            const auto labels = m_window->pages().runBar->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel* label) { return label->text().contains(words); });
        };
        QTRY_VERIFY_WITH_TIMEOUT(tells("Outside this window: Compressing"), 60000);
        QVERIFY(saidNothing.isEmpty());
        QVERIFY(!buttonOf(*m_window->pages().runBar, "Pause")->isEnabled());
        QPushButton* cancel = buttonOf(*m_window->pages().runBar, "Cancel");
        QVERIFY(cancel->isEnabled());
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY2(tells("ending after its current iteration"),
                 qPrintable(m_window->pages().messages->text()));
        QVERIFY(!cancel->isEnabled());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
        QCOMPARE(finished[0][0].toString(), "cancelled");
        QVERIFY(!m_window->services().run->isFollowing());
        QVERIFY(tells("Cancelled"));
        QVERIFY(!cancel->isEnabled());
        // From here on it can be this window's.
        QTRY_VERIFY(offered("Resume") != nullptr);
    }
};

COSPADI_TEST(TestWindowLeftBehind)

}  // namespace tst_window_left_behind

#include "tst_window_left_behind.moc"
