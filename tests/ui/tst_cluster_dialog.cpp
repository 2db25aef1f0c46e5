// The dialog that hands a sweep to a cluster: profiles that are kept, what is measured as planned,
// words that reach the other side whole; bad hosts, programs and fields.
#include <QCheckBox>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QtTest>
#include <algorithm>

#include "tests/registered_test.h"
#include "tests/ui/cluster_fixture.h"
#include "tests/ui/nameless_widgets.h"
#include "tests/ui/window_fixture.h"
#include "ui/cluster/cluster_call.h"
#include "ui/cluster/cluster_profile.h"
#include "ui/dialogs/cluster_dialog.h"
#include "ui/pages/evaluate/evaluate_page.h"

namespace tst_cluster_dialog {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// What a program that prints its words, one a line, is given.
QStringList received(QStringList command) {
    QProcess process;
    process.start("sh", {"-c", command.last()});
    process.waitForFinished(kClusterPatience);
    return QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
}

}  // namespace

class TestClusterDialog : public QObject, ClusterFixture {
    Q_OBJECT

    static QJsonObject evaluationOf(const ClusterDialog& dialog) {
        return QJsonDocument::fromJson(dialog.grid())["evaluate"].toObject();
    }

  private slots:
    void initTestCase() { makeCluster(); }
    void init() { openWithModel(); }
    void cleanup() { forgetCluster(); }

    void wordsReachTheOtherSideWhole() {
        ClusterProfile profile = profileOfHost(farHost());
        profile.program = "printf";
        const QStringList words{"%s\\n",      "plain",   "two words", "it's",
                                "$HOME `id`", "a;b|c>d", "*"};
        QCOMPARE(received(clusterCommand(profile, words)), words.mid(1));
        QCOMPARE(clusterCommand(profile, words).mid(0, 4),
                 QStringList({"ssh", "-o", "BatchMode=yes", farHost()}));
        profile.host.clear();
        QCOMPARE(clusterCommand(profile, words), QStringList{"printf"} + words);
    }

    void profilesAreKept() {
        ClusterProfile one = profileOfHost("me@tall");
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

    // Asked for again it shows and submits the plan as it is now; what was entered stays.
    void anOpenDialogTakesTheNextPlan() {
        auto* panel = m_window->findChild<PlanPanel*>();
        panel->setSpecification(planOf(2));
        ClusterDialog* dialog = offered();
        const auto runs = [&] {
            return QJsonDocument::fromJson(dialog->grid())["grids"].toArray();
        };
        const auto saysOf = [&](const QString& words) {
            const QList<QLabel*> labels = dialog->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->text().startsWith(words);
            });
        };
        const auto tasks = [&] { return evaluationOf(*dialog).value("tasks")["names"]; };
        QCOMPARE(runs().size(), 1);
        fill(*dialog, "clusterSweepName", "mine");
        fill(*dialog, "clusterTasks", "sciq");
        fill(*dialog, "clusterModel", "/models/there");
        m_window->findChild<EvaluatePage*>()->findChild<QSpinBox*>("evaluateLimit")->setValue(7);
        panel->setSpecification(planOf(3), {"0.2 0.3", {}, {}, {}});
        QTRY_VERIFY(panel->problem().isEmpty());
        QCOMPARE(offered(), dialog);
        QCOMPARE(runs().size(), 2);
        QCOMPARE(runs().at(0)["iterations"].toInt(), 3);
        QVERIFY(saysOf("2 runs from the Plan page"));
        QCOMPARE(dialog->sweepName(), QString("mine"));
        QCOMPARE(tasks(), QJsonValue(QJsonArray{"sciq"}));
        QCOMPARE(runs().at(0)["model"].toString(), QString("/models/there"));

        // Measures that are planned otherwise are taken, and so is a plan that is none.
        panel->setSpecification(planOf(3), {{}, {}, {}, {}, {}, false, "piqa"});
        offered();
        QCOMPARE(tasks(), QJsonValue(QJsonArray{"piqa"}));
        panel->setSpecification(planOf(3), {"many", {}, {}, {}});
        offered();
        QVERIFY(saysOf("Nothing to submit"));
        QVERIFY(!dialog->findChild<QPushButton*>("primary")->isEnabled());
        QCOMPARE(dialog->findChild<QLineEdit*>("clusterModel")->text(), QString());
    }

    // What was asked of a plan is not shown once the dialog has another.
    void aLateAnswerIsNotShown() {
        m_window->findChild<PlanPanel*>()->setSpecification(planOf(2));
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profileOfHost(""));
        fill(*dialog, "clusterSweepName", "late");
        const auto isAsked = [&] { return !sweeps()->findChildren<ClusterCall*>().isEmpty(); };
        press(*dialog, "clusterAsk");
        QVERIFY(isAsked());
        dialog->takePlan({});
        QTRY_VERIFY_WITH_TIMEOUT(!isAsked(), kClusterPatience);
        QCOMPARE(said(*dialog), QString());
    }

    void whatIsWrongIsSaid_data() {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("words");
        QTest::newRow("no such host") << "nowhere"
                                      << ""
                                      << "Could not resolve hostname nowhere";
        QTest::newRow("no such program there") << farHost() << "cospadi-of-old"
                                               << "not found";
        QTest::newRow("no such program here") << ""
                                              << "/nowhere/cospadi"
                                              << "/nowhere/cospadi";
        QTest::newRow("another program") << farHost() << "true"
                                         << "in this version";
    }

    void whatIsWrongIsSaid() {
        QFETCH(QString, host);
        QFETCH(QString, program);
        QFETCH(QString, words);
        ClusterProfile profile = profileOfHost(host);
        profile.program = program;
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profile);
        for (const char* name : {"clusterAsk", "primary"}) {
            press(*dialog, name);
            QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains(words), qPrintable(said(*dialog)),
                                      kClusterPatience);
            QVERIFY(dialog->isVisible());
            QVERIFY(dialog->findChild<QPushButton*>("primary")->isEnabled());
            dialog->findChild<QPlainTextEdit*>("clusterPreview")->clear();
        }
        QVERIFY(sweeps()->sweeps().isEmpty());
    }

    // A value that Slurm would not take, or a name that is missing, is told before anything starts.
    void fieldsAreChecked() {
        ClusterDialog* dialog = offered();
        fillProfile(*dialog, profileOfHost(farHost()));
        fill(*dialog, "clusterMemory", "a lot");
        press(*dialog, "primary");
        QTRY_VERIFY2_WITH_TIMEOUT(said(*dialog).contains("--mem"), qPrintable(said(*dialog)),
                                  kClusterPatience);
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

COSPADI_TEST(TestClusterDialog)

}  // namespace tst_cluster_dialog

#include "tst_cluster_dialog.moc"
