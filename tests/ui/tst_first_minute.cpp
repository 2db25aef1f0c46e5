// The first minute with the window: what pressing Run will take, a small first run whose result is
// explained, what empty pages offer, what a restart brings back, a second start, and the theme.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/desktop_theme.h"
#include "ui/base/first_window.h"
#include "ui/base/format.h"
#include "ui/base/recent_models.h"
#include "ui/charts/curve_chart.h"
#include "ui/engine/matrix_lab.h"
#include "ui/live_preferences.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/plan_cost.h"
#include "ui/models/runs_table_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/explore/explore_page.h"
#include "ui/pages/monitor/monitor_page.h"
#include "ui/pages/monitor/run_bar.h"
#include "ui/pages/pattern/pattern_page.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/tables/tables_page.h"
#include "ui/pages/whole/whole_page.h"
#include "ui/widgets/empty_state.h"
#include "ui/window_session.h"

namespace tst_first_minute {

using namespace cospadi;
using namespace cospadi::ui;
namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 180'000;  // milliseconds, for a loaded machine and for sanitizers

// Asks from another thread, as another process would, while this one's events go on.
bool handOver(const QString& runs, const StartWords& words) {
    bool taken = false;
    std::atomic<bool> done = false;
    std::thread other([&] {
        taken = FirstWindow::handOver(runs, words);
        done = true;
    });
    while (!done) {
        QTest::qWait(1);
    }
    other.join();
    return taken;
}

}  // namespace

class TestFirstMinute : public QObject, WindowFixture {
    Q_OBJECT

    QProgressBar* bar() const { return m_window->pages().runBar->findChild<QProgressBar*>(); }
    QString runs() const { return m_home.filePath("data/cospadi/runs"); }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    // ---- what Run will take

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

    // ---- a restart

    void cursorPageAndSelectedRunsReturn() {
        m_window->pages().model->selectByRegex("attn_k");
        m_window->pages().plan->setSpecification(planOf(0), {"0.2 0.3 0.4", {}, {}, {}});
        QSignalSpy finished(m_window->services().run, &RunController::runFinished);
        m_window->plannedRuns()->start();
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 3, kPatience);
        RunsPage* runs = m_window->pages().runs;
        QTRY_COMPARE_WITH_TIMEOUT(runs->model()->rowCount(), 3, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(runs->selectedRuns().size(), 1u, kPatience);
        const QStringList chosen{QString::fromStdString(runs->model()->run(0).id),
                                 QString::fromStdString(runs->model()->run(2).id)};
        runs->list()->select(chosen);
        const auto& layers = m_window->pages().model->tree()->layers();
        const QString cursor = QString::fromStdString(layers.back().name);
        m_window->pages().model->highlight(cursor);
        m_window->pages().tabs->setCurrentWidget(runs);
        QVERIFY(m_window->close());
        m_window = openWindow();
        QVERIFY(m_window != nullptr);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().runs);
        QCOMPARE(QString::fromStdString(m_window->pages().model->highlightedLayer()->name), cursor);
        const auto selected = [this] {
            QStringList ids;
            for (const RunRow& run : m_window->pages().runs->selectedRuns()) {
                ids << QString::fromStdString(run.id);
            }
            ids.sort();
            return ids;
        };
        QStringList wanted = chosen;
        wanted.sort();
        QTRY_COMPARE_WITH_TIMEOUT(selected(), wanted, kPatience);
    }

    void recentModelsAreInTheFileMenu() {
        const QString other = modelThatReads();
        load(other);
        auto* menu = m_window->findChild<QMenu*>("recentModels");
        QVERIFY(menu != nullptr);
        emit menu->aboutToShow();
        QVERIFY(menu->actions().size() >= 2);
        QCOMPARE(menu->actions()[0]->text(), other);
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        menu->actions()[1]->trigger();
        QTRY_COMPARE(loaded.count(), 1);
        QVERIFY(loaded[0][0].toBool());
        QVERIFY(m_window->pages().runBar->command().contains("a_llama_gqa"));
        // What is gone is not offered.
        fs::remove_all(other.toStdString());
        QVERIFY(!recentModels().contains(other));
    }

    // ---- a second start

    void aSecondStartFindsTheFirstWindow() {
        const StartWords words{modelThatReads(), "plan", {}};
        QVERIFY(!handOver(runs(), words));  // nobody is there
        FirstWindow first(runs());
        QVERIFY(first.listen());
        connect(&first, &FirstWindow::handed, m_window.get(), &MainWindow::takeWords);
        m_window->showMinimized();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        QVERIFY(handOver(runs(), words));
        QTRY_COMPARE(loaded.count(), 1);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QVERIFY(!m_window->isMinimized());
        QVERIFY(m_window->pages().runBar->command().contains(words.model));
        // Without words nothing changes but that it comes to the front.
        QVERIFY(handOver(runs(), {}));
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QCOMPARE(loaded.count(), 1);
    }

    void otherSettingsOrRunsHaveAWindowOfTheirOwn() {
        FirstWindow first(runs());
        QVERIFY(first.listen());
        QVERIFY(!handOver(m_home.filePath("other/runs"), {}));
        FirstWindow other(m_home.filePath("other/runs"));
        QVERIFY(other.listen());
        const QString here = FirstWindow::serverName(runs());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                           m_home.filePath("other-settings"));
        const QString there = FirstWindow::serverName(runs());
        const bool found = handOver(runs(), {});
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
        QVERIFY(here != there);
        QVERIFY(!found);
        // The same settings and runs have one.
        FirstWindow third(runs());
        QVERIFY(!third.listen());
    }

    void aKilledWindowLeavesNobodyOut() {
        // As a process that is killed leaves it: the file of the socket without a listener.
        const QByteArray path = QDir::temp().filePath(FirstWindow::serverName(runs())).toUtf8();
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        QVERIFY(path.size() < qsizetype(sizeof(address.sun_path)));
        std::copy(path.begin(), path.end(), address.sun_path);
        const int killed = ::socket(AF_UNIX, SOCK_STREAM, 0);
        QCOMPARE(::bind(killed, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        ::close(killed);
        QVERIFY(QFile::exists(path));
        QVERIFY(!handOver(runs(), {}));
        FirstWindow next(runs());
        QVERIFY(next.listen());
        QVERIFY(handOver(runs(), {}));
    }

    // ---- the theme

    void theWindowFollowsTheDesktopWhileItStands() {
        DesktopTheme desktop(false);
        m_window = std::make_unique<MainWindow>(&desktop);
        for (const bool dark : {true, false, true}) {
            emit desktop.changed(dark);
            QCOMPARE(theme().dark, dark);
        }
        Preferences preferences;
        preferences.look = Preferences::Look::Light;
        m_window->preferences()->apply(preferences);
        QVERIFY(!theme().dark);
        emit desktop.changed(true);
        QVERIFY(!theme().dark);  // it was told otherwise
    }

    void theThemeFollowsTheDesktopUnlessToldOtherwise() {
        QCOMPARE(Preferences().look, Preferences::Look::Desktop);
        Preferences preferences;
        QVERIFY(preferences.isDark(true) && !preferences.isDark(false));
        preferences.look = Preferences::Look::Light;
        QVERIFY(!preferences.isDark(true));
        preferences.look = Preferences::Look::Dark;
        QVERIFY(preferences.isDark(false));
        preferences.save();
        QCOMPARE(Preferences::load().look, Preferences::Look::Dark);
        // What an earlier version kept.
        QSettings().clear();
        QSettings().setValue("window/dark", true);
        QCOMPARE(Preferences::load().look, Preferences::Look::Dark);
        QSettings().setValue("window/dark", false);
        QCOMPARE(Preferences::load().look, Preferences::Look::Desktop);
        m_window->preferences()->setDark(true);
        QCOMPARE(Preferences::load().look, Preferences::Look::Dark);
        QVERIFY(theme().dark);
    }
};

COSPADI_TEST(TestFirstMinute)

}  // namespace tst_first_minute

#include "tst_first_minute.moc"
