// Sweeps that the window hands to a cluster, with the real engine and a stand-in for ssh and Slurm
// (tests/slurm/stand-in): the profile, the plan, the runs as they come back, tasks, what is
// watched, cancelled and started again, what a next window still knows; bad hosts, programs and
// names. COSPADI_TEST_CLUSTER=HOST takes a real Slurm, and a real ssh that leads to it, in the
// place of the stand-in; cospadi has to be on the PATH there, and the temporary folder visible.
#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QtTest>
#include <filesystem>
#include <functional>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/core/small_task_data.h"
#include "tests/registered_test.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/cluster/cluster_profile.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/dialogs/cluster_dialog.h"
#include "ui/engine/engine_client.h"
#include "ui/engine/run_controller.h"
#include "ui/models/cluster_job_model.h"
#include "ui/pages/evaluate/evaluate_page.h"
#include "ui/pages/monitor/cluster_list.h"
#include "ui/pages/monitor/monitor_page.h"

namespace tst_clusters {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

constexpr int kPatience = 180'000;
const QString kStandIn = COSPADI_SOURCE_DIR "/tests/slurm/stand-in";

// A host that ssh leads to.
QString far() {
    static const QString real = qEnvironmentVariable("COSPADI_TEST_CLUSTER");
    return real.isEmpty() ? QStringLiteral("tall") : real;
}

ClusterProfile profileOf(const QString& host) {
    ClusterProfile profile;
    profile.name = "Tall & wide";
    profile.host = host;
    return profile;
}

// What a program that prints its words, one a line, is given.
QStringList received(QStringList command) {
    QProcess process;
    process.start("sh", {"-c", command.last()});
    process.waitForFinished(kPatience);
    return QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
}

}  // namespace

class TestClusters : public QObject, WindowFixture {
    Q_OBJECT

    QString cluster() const { return m_home.filePath("cluster"); }

    // A model that knows bytes, so that perplexity can be measured.
    QString model() const {
        const QString folder = m_home.filePath("model");
        if (!QFileInfo::exists(folder)) {
            QDir().mkpath(folder);
            for (const char* file : {"config.json", "model.safetensors"}) {
                QFile::copy(kSmallModel + '/' + file, folder + '/' + file);
            }
            QFile::copy(COSPADI_TEST_DATA "/fuzz/byte_level.json", folder + "/tokenizer.json");
        }
        return folder;
    }

    ClusterSweeps* sweeps() const { return m_window->services().clusters; }
    ClusterList* list() const { return m_window->findChild<ClusterList*>(); }
    QTableView* table() const { return list()->findChild<QTableView*>("clusterTable"); }
    QPushButton* button(const char* name) const { return list()->findChild<QPushButton*>(name); }

    QString cell(int row, int column) const {
        return table()->model()->index(row, column).data().toString();
    }

    QStringList states() const {
        QStringList words;
        for (int row = 0; row < table()->model()->rowCount(); ++row) {
            words << cell(row, ClusterJobModel::StateColumn);
        }
        return words;
    }

    bool comes(const std::function<bool()>& condition) const {
        return QTest::qWaitFor(
            [&] {
                sweeps()->look();
                QTest::qWait(100);
                return condition();
            },
            kPatience);
    }

    ClusterDialog* offered() const {
        m_window->plannedRuns()->offerCluster();
        return m_window->findChild<ClusterDialog*>();
    }

    static void fill(const ClusterDialog& dialog, const char* name, const QString& text) {
        auto* line = dialog.findChild<QLineEdit*>(name);
        line->clear();
        QTest::keyClicks(line, text);
    }

    static QString said(const ClusterDialog& dialog) {
        return dialog.findChild<QPlainTextEdit*>("clusterPreview")->toPlainText();
    }

    static void press(const ClusterDialog& dialog, const char* name) {
        QTest::mouseClick(dialog.findChild<QPushButton*>(name), Qt::LeftButton);
    }

    static QJsonObject evaluationOf(const ClusterDialog& dialog) {
        return QJsonDocument::fromJson(dialog.grid())["evaluate"].toObject();
    }

    void fillProfile(const ClusterDialog& dialog, const ClusterProfile& profile) const {
        dialog.findChild<QComboBox*>("clusterProfile")->setCurrentText(profile.name);
        fill(dialog, "clusterHost", profile.host);
        fill(dialog, "clusterProgram", profile.program);
        fill(dialog, "clusterFolder", profile.folder);
        fill(dialog, "clusterTime", "30");
    }

    // Two runs of the plan, submitted through the dialog.
    void submitTwo(const ClusterProfile& profile, const QString& name, int iterations,
                   bool perplexity) {
        auto* panel = m_window->findChild<PlanPanel*>();
        RunSpecification plan = planOf(iterations);
        plan.tolerance = 0;
        panel->setSpecification(plan, {"0.2 0.3", {}, {}, {}});
        QTRY_VERIFY(panel->problem().isEmpty());
        const QPointer<ClusterDialog> dialog = offered();  // gone once it has submitted
        QVERIFY(dialog != nullptr);
        fillProfile(*dialog, profile);
        fill(*dialog, "clusterSweepName", name);
        dialog->findChild<QCheckBox*>("clusterPerplexity")->setChecked(perplexity);
        QSignalSpy submitted(sweeps(), &ClusterSweeps::submitted);
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(submitted.count() == 1,
                                  dialog ? qPrintable(said(*dialog)) : "closed", kPatience);
        QCOMPARE(submitted[0][1].toInt(), 2);
        QTRY_VERIFY(m_window->findChild<ClusterDialog*>() == nullptr);
    }

    std::vector<RunRow> stored() const {
        return std::filesystem::exists(storePath()) ? RunStore::openForReading(storePath()).list()
                                                    : std::vector<RunRow>();
    }

  private slots:
    void initTestCase() {
        makeHome();
        if (qEnvironmentVariableIsSet("COSPADI_TEST_CLUSTER")) {
            return;
        }
        QProcess maker;
        maker.start(kStandIn, {"make", cluster()});
        QVERIFY(maker.waitForFinished() && maker.exitCode() == 0);
        QVERIFY(QFile::link(QFileInfo(EngineClient::defaultProgram()).absoluteFilePath(),
                            cluster() + "/bin/cospadi"));
        qputenv("STAND_IN_CLUSTER", cluster().toUtf8());
        qputenv("PATH", (cluster() + "/bin:").toUtf8() + qgetenv("PATH"));
    }

    void init() {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(model());
        QVERIFY(loaded.count() == 1 || loaded.wait());
    }

    void cleanup() {
        forgetEverything();
        if (!qEnvironmentVariableIsSet("COSPADI_TEST_CLUSTER")) {
            QProcess::execute("scancel", {"--name", "all"});
        }
        QDir(cluster() + "/there").removeRecursively();
        QDir().mkpath(cluster() + "/there");
    }

    void wordsReachTheOtherSideWhole() {
        ClusterProfile profile = profileOf(far());
        profile.program = "printf";
        const QStringList words{"%s\\n",      "plain",   "two words", "it's",
                                "$HOME `id`", "a;b|c>d", "*"};
        QCOMPARE(received(clusterCommand(profile, words)), words.mid(1));
        QCOMPARE(clusterCommand(profile, words).mid(0, 4),
                 QStringList({"ssh", "-o", "BatchMode=yes", far()}));
        profile.host.clear();
        QCOMPARE(clusterCommand(profile, words), QStringList{"printf"} + words);
    }

    void profilesAreKept() {
        ClusterProfile one = profileOf("me@tall");
        one.program = "/opt/cospadi/bin/cospadi";
        one.folder = "/scratch/me";
        one.partition = "long,short";
        one.time = "2-12";
        one.memory = "16G";
        one.gpus = "a100:2";
        one.setup = "/home/me/setup.sh";
        one.cpus = 8;
        one.bundle = 3;
        one.arrayLimit = 40;
        ClusterProfile two;
        two.name = "here";
        storeClusterProfiles({one, two});
        QCOMPARE(storedClusterProfiles().size(), 2);
        QVERIFY(storedClusterProfiles() == (QList<ClusterProfile>{one, two}));
        // The dialog starts with the latest, and tells all of it as it stands.
        ClusterDialog* dialog = offered();
        QVERIFY(dialog->profile() == one);
        QVERIFY2(namelessIn(*dialog).isEmpty(), qPrintable(namelessIn(*dialog).join(' ')));
        dialog->findChild<QComboBox*>("clusterProfile")->setCurrentIndex(1);
        emit dialog->findChild<QComboBox*>("clusterProfile")->activated(1);
        QVERIFY(dialog->profile() == two);
        press(*dialog, "clusterRemove");
        QVERIFY(storedClusterProfiles() == QList<ClusterProfile>{one});
    }

    void runsComeBack_data() {
        QTest::addColumn<QString>("host");
        QTest::newRow("this machine submits") << "";
        QTest::newRow("through ssh") << far();
    }

    // What would be done is shown first and does nothing; then it is done, and the runs of the
    // cluster stand in this window's store.
    void runsComeBack() {
        QFETCH(QString, host);
        ClusterProfile profile = profileOf(host);
        profile.folder = m_home.filePath("shared sweeps" + host);
        QVERIFY(stored().empty());
        auto* panel = m_window->findChild<PlanPanel*>();
        panel->setSpecification(planOf(2));
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profile);
        fill(*dialog, "clusterSweepName", "first");
        press(*dialog, "clusterAsk");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("#SBATCH --time=30"),
                                  qPrintable(said(*dialog)), kPatience);
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
        QTRY_COMPARE_WITH_TIMEOUT(states(), QStringList({"done", "done"}), kPatience);
    }

    // What the plan says is measured, on the data and as many items as the page Evaluate says;
    // where it says nothing, the perplexity.
    void whatIsMeasuredBeginsAsPlanned() {
        auto* panel = m_window->findChild<PlanPanel*>();
        panel->setSpecification(planOf(2));
        ClusterDialog* dialog = offered();
        QCOMPARE(evaluationOf(*dialog)["text"].toString(), QString("wikitext2"));
        QVERIFY(!evaluationOf(*dialog).contains("tasks"));
        dialog->findChild<QCheckBox*>("clusterPerplexity")->setChecked(false);
        QVERIFY(evaluationOf(*dialog).isEmpty());
        delete dialog;

        auto* evaluate = m_window->findChild<EvaluatePage*>();
        evaluate->setData("/data/questions");
        evaluate->findChild<QSpinBox*>("evaluateLimit")->setValue(2);
        panel->setSpecification(planOf(2), {{}, {}, {}, {}, {}, false, "piqa, arc_easy"});
        QTRY_VERIFY(panel->problem().isEmpty());
        dialog = offered();
        QVERIFY2(namelessIn(*dialog).isEmpty(), qPrintable(namelessIn(*dialog).join(' ')));
        const QJsonObject planned{{"tasks", QJsonObject{{"names", QJsonArray{"piqa", "arc_easy"}},
                                                        {"limit", 2},
                                                        {"data", "/data/questions"}}}};
        QCOMPARE(evaluationOf(*dialog), planned);
        fill(*dialog, "clusterTasks", "sciq sciq");
        fill(*dialog, "clusterTaskData", "");
        dialog->findChild<QCheckBox*>("clusterPerplexity")->setChecked(true);
        const QJsonObject changed = evaluationOf(*dialog);
        QVERIFY(changed["max_tokens"].toInt() > 0);
        QCOMPARE(changed["tasks"]["names"], QJsonValue(QJsonArray{"sciq"}));
        QCOMPARE(changed["tasks"]["data"].toString(), QString());
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
        ClusterProfile profile = profileOf(far());
        profile.folder = m_home.filePath("asked");
        const QPointer<ClusterDialog> dialog = offered();
        fillProfile(*dialog, profile);
        fill(*dialog, "clusterSweepName", "asked");
        fill(*dialog, "clusterTaskData", "/nowhere");
        press(*dialog, "clusterAsk");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("/nowhere"), qPrintable(said(*dialog)),
                                  kPatience);
        fill(*dialog, "clusterTaskData", data);
        fill(*dialog, "clusterTasks", "piqua");
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("piqua"), qPrintable(said(*dialog)),
                                  kPatience);
        fill(*dialog, "clusterTasks", "piqa");
        QTRY_VERIFY(dialog->findChild<QPushButton*>("primary")->isEnabled());
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->findChild<ClusterDialog*>() == nullptr,
                                  dialog ? qPrintable(said(*dialog)) : "closed", kPatience);
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
        ClusterProfile profile = profileOf(far());
        profile.folder = m_home.filePath("slow");
        submitTwo(profile, "slow", 1500, false);
        QVERIFY(comes([&] { return states() == QStringList({"running", "running"}); }));
        table()->selectRow(0);
        QVERIFY(button("clusterWatch")->isEnabled());
        auto* run = m_window->findChild<RunController*>();
        button("clusterWatch")->click();
        QVERIFY(run->isFollowing());
        QTRY_VERIFY_WITH_TIMEOUT(run->trace().finished() >= 1, kPatience);
        picture(*m_window, "clusters-watched");
        QSignalSpy ended(run, &RunController::runFinished);
        run->cancel();
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, kPatience);
        QVERIFY(ended[0][0].toString() != "finished");
        QVERIFY(!run->canResumeInterrupted());  // here it is nobody's to resume
        QVERIFY(comes([&] { return states()[0] == "waiting" || states()[0] == "lost"; }));
        const int kept = sweeps()->sweeps()[0].jobs[0].matrices;
        QVERIFY(kept >= 1);

        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QCOMPARE(sweeps()->sweeps().size(), 1);
        QVERIFY(sweeps()->sweeps()[0].profile == storedClusterProfiles().first());
        QVERIFY(comes([&] { return states().size() == 2 && button("clusterStart")->isEnabled(); }));
        QVERIFY(sweeps()->sweeps()[0].jobs[0].matrices >= kept);
        button("clusterStart")->click();
        QVERIFY(comes([&] { return stored().size() == 2; }));
        QCOMPARE(states(), QStringList({"done", "done"}));
        button("clusterForget")->click();
        QCOMPARE(table()->model()->rowCount(), 0);
        QVERIFY(ClusterSweeps().sweeps().isEmpty());
    }

    void allAreCancelled() {
        ClusterProfile profile = profileOf("");
        profile.folder = m_home.filePath("all");
        submitTwo(profile, "all", 1500, false);
        QVERIFY(comes([&] { return states() == QStringList({"running", "running"}); }));
        QSignalSpy told(sweeps(), &ClusterSweeps::told);
        table()->clearSelection();
        button("clusterCancel")->click();
        QTRY_COMPARE_WITH_TIMEOUT(told.count(), 1, kPatience);
        QVERIFY2(told[0][0].toString().startsWith("2 tasks"), qPrintable(told[0][0].toString()));
        QVERIFY(comes([&] { return !states().contains("running"); }));
        QVERIFY(!states().contains("done"));
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("words");
        QTest::newRow("no such host") << "nowhere"
                                      << ""
                                      << "Could not resolve hostname nowhere";
        QTest::newRow("no such program there") << far() << "cospadi-of-old"
                                               << "not found";
        QTest::newRow("no such program here") << ""
                                              << "/nowhere/cospadi"
                                              << "/nowhere/cospadi";
        QTest::newRow("another program") << far() << "true"
                                         << "of this version";
    }

    void whatIsWrongIsSaid() {
        QFETCH(QString, host);
        QFETCH(QString, program);
        QFETCH(QString, words);
        ClusterProfile profile = profileOf(host);
        profile.program = program;
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profile);
        for (const char* name : {"clusterAsk", "primary"}) {
            press(*dialog, name);
            QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains(words), qPrintable(said(*dialog)),
                                      kPatience);
            QVERIFY(dialog->isVisible());
            QVERIFY(dialog->findChild<QPushButton*>("primary")->isEnabled());
            dialog->findChild<QPlainTextEdit*>("clusterPreview")->clear();
        }
        QVERIFY(sweeps()->sweeps().isEmpty());
    }

    // A value that Slurm would not take, or a name that is missing, is told before anything starts.
    void fieldsAreChecked() {
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profileOf(far()));
        fill(*dialog, "clusterMemory", "a lot");
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("--mem"), qPrintable(said(*dialog)),
                                  kPatience);
        dialog->findChild<QComboBox*>("clusterProfile")->setCurrentText("");
        press(*dialog, "primary");
        QVERIFY(said(*dialog).contains("no name"));
        fill(*dialog, "clusterSweepName", "");
        QVERIFY(!dialog->findChild<QPushButton*>("primary")->isEnabled());
        // A model of another name there is put into every run.
        fill(*dialog, "clusterModel", "/models/there");
        QVERIFY(dialog->grid().contains("\"model\":\"/models/there\""));
        QVERIFY(!dialog->grid().contains(model().toUtf8()));
        QVERIFY(sweeps()->sweeps().isEmpty());
    }
};

COSPADI_TEST(TestClusters)

}  // namespace tst_clusters

#include "tst_clusters.moc"
