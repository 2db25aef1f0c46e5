// The perplexity of runs, asked for from the window: closing asks before it is stopped, its message
// stops it, settings leave the engine to it, and a run of ratios is held against its prediction by
// it.
#include <QAction>
#include <QProcess>
#include <QSpinBox>
#include <csignal>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/dialogs/settings_dialog.h"
#include "ui/engine/activity.h"
#include "ui/engine/perplexity_measurement.h"
#include "ui/live_preferences.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/whole/whole_page.h"

namespace tst_window_perplexity {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kPatience = 60'000;  // milliseconds, for a loaded machine

}  // namespace

class TestWindowPerplexity : public QObject, WindowFixture {
    Q_OBJECT

    // The engine answers every request so. result: JSON without single quotation marks.
    void answerWith(const QString& result) {
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c",
                   "while read -r line; do "
                   "id=$(echo \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/'); "
                   "echo '{\"id\":'$id',\"result\":" +
                       result + "}'; done"});
    }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void closingDuringAnEvaluationAsks() {
        // An engine that greets and then says nothing: the evaluation goes on for ever.
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        QVERIFY(m_window->services().activity->isIdle());
        QCOMPARE(m_window->services().activity->words(), QString());
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere";
        QSignalSpy activity(m_window->services().activity, &Activity::changed);
        emit m_window->pages().runs->evaluationRequested({run});
        QVERIFY(m_window->services().activity->words().contains("Perplexity"));
        QVERIFY(activity.count() > 0);
        QVERIFY(!m_window->close());
        QVERIFY2(m_window->pages().messages->text().contains("perplexity"),
                 qPrintable(m_window->pages().messages->text()));
        QTRY_VERIFY(offered("Keep open") != nullptr);
        QVERIFY(offered("Close and keep running") == nullptr);  // no run that could
        QTest::mouseClick(offered("Keep open"), Qt::LeftButton);
        QVERIFY(m_window->isVisible());

        // Settings leave the engine to it, and count afterwards.
        const qint64 engine = m_window->services().engine->processId();
        action("Settings")->trigger();
        auto* dialog = m_window->findChild<SettingsDialog*>();
        QVERIFY(dialog != nullptr);
        QVERIFY(!dialog->findChild<QSpinBox*>("settingsThreads")->isEnabled());
        Preferences other = Preferences::load();
        other.threads = 1;
        other.runsDirectory = m_home.filePath("else/runs");
        m_window->preferences()->apply(other);
        QVERIFY(m_window->services().engine->isRunning());
        QCOMPARE(m_window->services().engine->processId(), engine);
        QCOMPARE(::kill(static_cast<pid_t>(engine), SIGKILL), 0);
        QTRY_VERIFY(m_window->services().activity->words().isEmpty());
        QTRY_VERIFY(dialog->findChild<QSpinBox*>("settingsThreads")->isEnabled());
        QVERIFY(m_window->close());  // nothing is left to ask about
    }

    // What the page Whole makes stands beside what it predicted; a run of the plan does not.
    void aRunOfRatiosIsHeldAgainstItsPrediction() {
        // The small model has no tokenizer: that it is asked for is seen by its failure.
        QSignalSpy asked(m_window->findChild<PerplexityMeasurement*>(),
                         &PerplexityMeasurement::failed);
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        RunSpecification made = planOf(1);
        made.model = QDir(kSmallModel).absolutePath().toStdString();
        made.layers = "^blk\\.0\\.attn_(q|k)";
        startRun(made);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, kPatience);
        QVERIFY(!m_window->services().activity->words().contains("Perplexity") && asked.isEmpty());
        made.ratios = {{"blk.0.attn_q", 0.3}};
        emit m_window->findChild<WholePage*>()->runRequested(made);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, kPatience);
        QCOMPARE(finished.back().front().toString(), QString("finished"));
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, kPatience);
        QCOMPARE(asked.front().front().toString(), m_window->services().run->directory());
        // Closing the window over it would let it run on: the command finds the same settings.
        const QStringList words = m_window->services().run->commandToGoOn();
        QVERIFY2(words.contains("--ratios"), qPrintable(words.join(' ')));
        QCOMPARE(QProcess::execute(m_window->services().engine->program(), words), 0);
    }

    // Nor is it said to be recorded.
    void whatIsNotRecordedIsSaid() {
        answerWith(R"({"perplexity":7.5,"warning":"no room on the disk"})");
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere/r";
        emit m_window->pages().runs->evaluationRequested({run});
        const auto told = [&] { return m_window->pages().messages->text(); };
        QTRY_VERIFY2(told().contains("Perplexity 7.5"), qPrintable(told()));
        QVERIFY2(told().contains("no room on the disk"), qPrintable(told()));
        QVERIFY2(!told().contains("Recorded"), qPrintable(told()));
    }

    // It is no perplexity of 0.
    void onePerplexityBeyondAllNumbersIsNone() {
        answerWith(R"({"perplexity":null})");
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere/r";
        emit m_window->pages().runs->evaluationRequested({run});
        const auto told = [&] { return m_window->pages().messages->text(); };
        QTRY_VERIFY2(told().contains(QStringLiteral("Perplexity –")), qPrintable(told()));
    }

    void aPerplexityIsStoppedFromItsMessage() {
        m_window->services().engine->stop();
        m_window->services().engine->setProgram(
            "sh", {"-c", "read -r line; echo '{\"id\":1,\"result\":{}}'; cat > /dev/null"});
        RunRow run;
        run.id = "r";
        run.directory = "/nowhere/r";
        RunRow other = run;
        other.directory = "/nowhere/s";
        emit m_window->pages().runs->evaluationRequested({run, other});
        QVERIFY2(m_window->pages().messages->text().contains("2 runs"),
                 qPrintable(m_window->pages().messages->text()));
        QVERIFY(!m_window->close());
        // The question and what it is about stand side by side.
        QVERIFY(offered("Stop and close") != nullptr && offered("Stop") != nullptr);
        QTest::mouseClick(offered("Keep open"), Qt::LeftButton);
        QTest::mouseClick(offered("Stop"), Qt::LeftButton);
        m_window->services().engine->stop(100);  // which would not have answered
        QTRY_VERIFY(m_window->services().activity->isIdle());
        QVERIFY(offered("Stop") == nullptr);
    }
};

COSPADI_TEST(TestWindowPerplexity)

}  // namespace tst_window_perplexity

#include "tst_window_perplexity.moc"
