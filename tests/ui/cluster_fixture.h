// What the tests of sweeps on a cluster share: a stand-in for ssh and Slurm (tests/slurm/stand-in),
// a window with a model that reads, its list of clusters, and the dialog that submits.
// COSPADI_TEST_CLUSTER=HOST takes a real Slurm, and a real ssh that leads to it, in the place of
// the stand-in; cospadi has to be on the PATH there, and the temporary folder visible.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QtTest>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "tests/ui/window_fixture.h"
#include "ui/cluster/cluster_profile.h"
#include "ui/cluster/cluster_sweeps.h"
#include "ui/dialogs/cluster_dialog.h"
#include "ui/engine/engine_client.h"
#include "ui/models/cluster_job_model.h"
#include "ui/pages/monitor/cluster_list.h"

namespace cospadi::ui {

inline constexpr int kClusterPatience = 180'000;  // milliseconds

// A host that ssh leads to.
inline QString farHost() {
    static const QString real = qEnvironmentVariable("COSPADI_TEST_CLUSTER");
    return real.isEmpty() ? QStringLiteral("tall") : real;
}

inline ClusterProfile profileOfHost(const QString& host) {
    ClusterProfile profile;
    profile.name = "Tall & wide";
    profile.host = host;
    return profile;
}

class ClusterFixture : protected WindowFixture {
  protected:
    void makeCluster() {
        makeHome();
        if (qEnvironmentVariableIsSet("COSPADI_TEST_CLUSTER")) {
            return;
        }
        QProcess maker;
        maker.start(COSPADI_SOURCE_DIR "/tests/slurm/stand-in", {"make", cluster()});
        QVERIFY(maker.waitForFinished() && maker.exitCode() == 0);
        QVERIFY(QFile::link(QFileInfo(EngineClient::defaultProgram()).absoluteFilePath(),
                            cluster() + "/bin/cospadi"));
        qputenv("STAND_IN_CLUSTER", cluster().toUtf8());
        qputenv("PATH", (cluster() + "/bin:").toUtf8() + qgetenv("PATH"));
    }

    void openWithModel() {
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        m_window->openModel()->load(model());
        QVERIFY(loaded.count() == 1 || loaded.wait());
    }

    void forgetCluster() {
        forgetEverything();
        if (!qEnvironmentVariableIsSet("COSPADI_TEST_CLUSTER")) {
            QProcess::execute("scancel", {"--name", "all"});
        }
        QDir(cluster() + "/there").removeRecursively();
        QDir().mkpath(cluster() + "/there");
    }

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
            kClusterPatience);
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
                                  dialog ? qPrintable(said(*dialog)) : "closed", kClusterPatience);
        QCOMPARE(submitted[0][1].toInt(), 2);
        QTRY_VERIFY(m_window->findChild<ClusterDialog*>() == nullptr);
    }

    std::vector<RunRow> stored() const {
        return std::filesystem::exists(storePath()) ? RunStore::openForReading(storePath()).list()
                                                    : std::vector<RunRow>();
    }
};

}  // namespace cospadi::ui
