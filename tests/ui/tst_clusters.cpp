// Sweeps that the window hands to a cluster, with the real engine: the runs as they come back,
// tasks, what is watched, cancelled and started again, what a next window still knows.
#include <QAbstractItemModelTester>
#include <QDir>
#include <QPointer>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QtTest>
#include <algorithm>

#include "tests/core/small_task_data.h"
#include "tests/registered_test.h"
#include "tests/ui/cluster_fixture.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/cluster/cluster_profile.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/dialogs/cluster_dialog.h"
#include "ui/engine/run_controller.h"
#include "ui/models/cluster_job_model.h"
#include "ui/pages/evaluate/evaluate_page.h"

namespace tst_clusters {

using namespace cospadi;
using namespace cospadi::ui;

class TestClusters : public QObject, ClusterFixture {
    Q_OBJECT

  private slots:
    void initTestCase() { makeCluster(); }
    void init() { openWithModel(); }
    void cleanup() { forgetCluster(); }

    void runsComeBack_data() {
        QTest::addColumn<QString>("host");
        QTest::newRow("this machine submits") << "";
        QTest::newRow("through ssh") << farHost();
    }

    // What would be done is shown first and does nothing; then it is done, and the runs of the
    // cluster stand in this window's store.
    void runsComeBack() {
        QFETCH(QString, host);
        ClusterProfile profile = profileOfHost(host);
        profile.folder = m_home.filePath("shared sweeps" + host);
        QVERIFY(stored().empty());
        auto* panel = m_window->findChild<PlanPanel*>();
        panel->setSpecification(planOf(2));
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profile);
        fill(*dialog, "clusterSweepName", "first");
        press(*dialog, "clusterAsk");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("#SBATCH --time=30"),
                                  qPrintable(said(*dialog)), kClusterPatience);
        QVERIFY2(said(*dialog).contains("compress: 1 task"), qPrintable(said(*dialog)));
        QVERIFY(!QFileInfo::exists(profile.folder));
        QCOMPARE(m_window->findChild<QTabWidget*>("monitorDetails")->tabText(2),
                 QString("Clusters"));
        if (const QString folder = qEnvironmentVariable("COSPADI_SCREENSHOTS"); !folder.isEmpty()) {
            QVERIFY(dialog->grab().save(folder + "/cluster-dialog" + host + ".png"));
        }
        dialog->close();
        QTRY_VERIFY(m_window->findChild<ClusterDialog*>() == nullptr);

        submitTwo(profile, "first", 2, true);
        const QAbstractItemModelTester tester(table()->model());
        QVERIFY(comes([&] { return states() == QStringList({"done", "done"}); }));
        QVERIFY(comes([&] { return stored().size() == 2; }));
        for (int row = 0; row < 2; ++row) {
            // The value that the table of the cluster shows is the one that was stored.
            const std::string id = sweeps()->sweeps()[0].jobs[row].run.toStdString();
            const auto rows = stored();
            const auto run = std::find_if(rows.begin(), rows.end(),
                                          [&](const RunRow& stored) { return stored.id == id; });
            QVERIFY(run != rows.end());
            QCOMPARE(run->status, std::string("finished"));
            QCOMPARE(static_cast<int>(run->evaluations.size()), 1);
            QCOMPARE(cell(row, ClusterJobModel::PerplexityColumn),
                     QLocale().toString(run->evaluations[0].perplexity, 'f', 2));
            QVERIFY(std::find(run->tags.begin(), run->tags.end(), "sweep:first") !=
                    run->tags.end());
        }
        QVERIFY(cell(0, ClusterJobModel::TitleColumn) != cell(1, ClusterJobModel::TitleColumn));
        QVERIFY(sweeps()->sweeps()[0].isOver());
        QVERIFY(!button("clusterCancel")->isEnabled());
        QVERIFY(!button("clusterStart")->isEnabled());
        QVERIFY2(namelessIn(*list()).isEmpty(), qPrintable(namelessIn(*list()).join(' ')));
        picture(*m_window, "clusters-done" + host);
        // A second submission of the same is nothing but the same sweep, with nothing to do.
        submitTwo(profile, "first", 2, true);
        QCOMPARE(sweeps()->sweeps().size(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(states(), QStringList({"done", "done"}), kClusterPatience);
    }

    // Compressed, then asked: the answers come into this window's store with the run. Data that is
    // not there, and a task that nobody knows, are told before anything starts.
    void tasksAreAskedThere() {
        const QString data = m_home.filePath("questions");
        QVERIFY(QDir().mkpath(data));
        small_task_data::writeLines(data.toStdString() + "/piqa.jsonl",
                                    small_task_data::kQuestions);
        auto* evaluate = m_window->findChild<EvaluatePage*>();
        evaluate->setData(data);
        evaluate->findChild<QSpinBox*>("evaluateLimit")->setValue(2);
        auto* panel = m_window->findChild<PlanPanel*>();
        panel->setSpecification(planOf(2), {{}, {}, {}, {}, {}, false, "piqa"});
        QTRY_VERIFY(panel->problem().isEmpty());
        ClusterProfile profile = profileOfHost(farHost());
        profile.folder = m_home.filePath("asked");
        const QPointer<ClusterDialog> dialog = offered();
        fillProfile(*dialog, profile);
        fill(*dialog, "clusterSweepName", "asked");
        fill(*dialog, "clusterTaskData", "/nowhere");
        press(*dialog, "clusterAsk");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("/nowhere"), qPrintable(said(*dialog)),
                                  kClusterPatience);
        fill(*dialog, "clusterTaskData", data);
        fill(*dialog, "clusterTasks", "piqua");
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("piqua"), qPrintable(said(*dialog)),
                                  kClusterPatience);
        fill(*dialog, "clusterTasks", "piqa");
        QTRY_VERIFY(dialog->findChild<QPushButton*>("primary")->isEnabled());
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->findChild<ClusterDialog*>() == nullptr,
                                  dialog ? qPrintable(said(*dialog)) : "closed", kClusterPatience);
        QVERIFY(comes([&] { return states() == QStringList{"done"}; }));
        QVERIFY(comes([&] { return stored().size() == 1; }));
        const RunRow run = stored().front();
        for (const EvaluationRow& evaluation : run.evaluations) {
            QCOMPARE(evaluation.kind, std::string("lm-eval"));
        }
        QVERIFY(!run.taskResults.empty());
        for (const TaskResultRow& answer : run.taskResults) {
            QCOMPARE(answer.task, std::string("piqa"));
            QCOMPARE(answer.samples, std::int64_t{2});
        }
    }

    // A job at work stands in the place of the live run, is cancelled from there, and goes on when
    // what is missing is started; a window that was opened meanwhile knows all of it.
    void watchedCancelledAndStartedAgain() {
        ClusterProfile profile = profileOfHost(farHost());
        profile.folder = m_home.filePath("slow");
        submitTwo(profile, "slow", 1500, false);
        QVERIFY(comes([&] { return states() == QStringList({"running", "running"}); }));
        table()->selectRow(0);
        QVERIFY(button("clusterWatch")->isEnabled());
        auto* run = m_window->findChild<RunController*>();
        button("clusterWatch")->click();
        QVERIFY(run->isFollowing());
        QTRY_VERIFY_WITH_TIMEOUT(run->trace().finished() >= 1, kClusterPatience);
        picture(*m_window, "clusters-watched");
        QSignalSpy ended(run, &RunController::runFinished);
        run->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, kClusterPatience);
        QVERIFY(ended[0][0].toString() != "finished");
        QVERIFY(!run->canResumeInterrupted());  // here it is nobody's to resume
        QVERIFY(comes([&] { return states()[0] == "waiting" || states()[0] == "lost"; }));
        const int kept = sweeps()->sweeps()[0].jobs[0].matrices;
        QVERIFY(kept >= 1);

        // Whatever became of the profile meanwhile.
        const ClusterProfile submitted = sweeps()->sweeps()[0].profile;
        QCOMPARE(submitted.host, farHost());
        storeClusterProfiles({profileOfHost("nowhere")});
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QCOMPARE(sweeps()->sweeps().size(), 1);
        QVERIFY(sweeps()->sweeps()[0].profile == submitted);
        QVERIFY(comes([&] { return states().size() == 2 && button("clusterStart")->isEnabled(); }));
        QVERIFY(sweeps()->sweeps()[0].jobs[0].matrices >= kept);
        button("clusterStart")->click();
        QVERIFY(comes([&] { return stored().size() == 2; }));
        QCOMPARE(states(), QStringList({"done", "done"}));
        button("clusterForget")->click();
        QCOMPARE(table()->model()->rowCount(), 0);
        QVERIFY(ClusterSweeps().sweeps().isEmpty());
    }

    // There is nothing to see of it yet, whether by the button or by a double click.
    void aJobThatWaitsIsNotWatched() {
        ClusterProfile profile = profileOfHost("");
        profile.program = m_home.filePath("one-waits");
        QFile script(profile.program);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(
            "#!/bin/sh\necho '{\"jobs\":[{\"index\":0,\"state\":\"waiting\"},"
            "{\"index\":1,\"state\":\"running\"}]}'\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        {
            QSettings settings;
            settings.beginWriteArray("clusterSweeps", 1);
            settings.setArrayIndex(0);
            settings.setValue("name", "slow");
            settings.setValue("file", "/sweeps/slow/sweep.json");
            settings.beginGroup("cluster");
            writeClusterProfile(settings, profile);
            settings.endGroup();
            settings.endArray();
        }
        ClusterSweeps submitted;
        const ClusterList page(&submitted);
        QSignalSpy wanted(&page, &ClusterList::watchWanted);
        auto* jobs = page.findChild<QTableView*>("clusterTable");
        auto* watch = page.findChild<QPushButton*>("clusterWatch");
        submitted.look();
        QTRY_COMPARE(jobs->model()->rowCount(), 2);
        for (const int row : {0, 1}) {
            jobs->selectRow(row);
            emit jobs->doubleClicked(jobs->model()->index(row, 0));
            QCOMPARE(watch->isEnabled(), row == 1);
            QCOMPARE(wanted.count(), row);
        }
    }

    // Earlier versions kept no more of a profile than its name.
    void anOlderListHasNamesOnly() {
        {
            QSettings settings;
            settings.beginWriteArray("clusterSweeps", 1);
            settings.setArrayIndex(0);
            settings.setValue("name", "old");
            settings.setValue("file", "/sweeps/old/sweep.json");
            settings.setValue("profile", "Tall & wide");
            settings.endArray();
        }
        storeClusterProfiles({});
        const auto profile = [] { return ClusterSweeps().sweeps()[0].profile; };
        ClusterSweeps list;
        const auto problem = [&] { return list.sweeps()[0].problem.message; };
        list.look();  // asks nobody: this machine may not be the one
        QVERIFY2(problem().contains("profile “Tall & wide” no longer exists"),
                 qPrintable(problem()));
        list.forget("/sweeps/another/sweep.json");
        QCOMPARE(profile().name, QString("Tall & wide"));

        storeClusterProfiles({profileOfHost("nowhere")});
        list.look();
        QTRY_VERIFY2_WITH_TIMEOUT(problem().contains("nowhere"), qPrintable(problem()),
                                  kClusterPatience);
        storeClusterProfiles({profileOfHost("elsewhere")});
        QCOMPARE(profile().host, QString("nowhere"));
    }

    void allAreCancelled() {
        ClusterProfile profile = profileOfHost("");
        profile.folder = m_home.filePath("all");
        submitTwo(profile, "all", 1500, false);
        QVERIFY(comes([&] { return states() == QStringList({"running", "running"}); }));
        QSignalSpy told(sweeps(), &ClusterSweeps::told);
        table()->clearSelection();
        button("clusterCancel")->click();
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, kClusterPatience);
        QVERIFY2(told[0][0].toString().startsWith("2 tasks"), qPrintable(told[0][0].toString()));
        QVERIFY(comes([&] { return !states().contains("running"); }));
        QVERIFY(!states().contains("done"));
    }
};

COSPADI_TEST(TestClusters)

}  // namespace tst_clusters

#include "tst_clusters.moc"
