#include "ui/cluster_life.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/engine/run_controller.h"
#include "ui/widgets/message_bar.h"

namespace cospadi::ui {

namespace {

const QString kCluster = QStringLiteral("cluster");  // topic of messages

// The record of a run where its folder is seen from here, else nothing.
QString specificationIn(const QString& directory) {
    QFile record(directory + QStringLiteral("/run.json"));
    if (!record.open(QIODevice::ReadOnly)) {
        return {};
    }
    const QJsonObject run = QJsonDocument::fromJson(record.readAll()).object();
    return QString::fromUtf8(
        QJsonDocument(run.value(QStringLiteral("specification")).toObject()).toJson());
}

}  // namespace

ClusterLife::ClusterLife(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
    const ClusterSweeps* sweeps = parts.sweeps;
    MessageBar* messages = parts.messages;
    connect(sweeps, &ClusterSweeps::failed, this,
            [messages](const EngineError& error) { messages->showProblem(error, kCluster); });
    connect(sweeps, &ClusterSweeps::told, this, [messages](const QString& words) {
        messages->show(MessageBar::Kind::Information, words, {}, {}, kCluster);
    });
    connect(sweeps, &ClusterSweeps::submitted, this, [this](const QString& file, int jobs) {
        const ClusterSweep* sweep = m_parts.sweeps->find(file);
        m_parts.messages->show(
            MessageBar::Kind::Success,
            tr("%n run(s) (was|were) submitted to %1.", nullptr, jobs)
                .arg(sweep != nullptr ? sweep->profile.name : QString()),
            file, tr("They continue without this window; finished ones appear under Runs."),
            kCluster);
        emit monitorWanted();
        emit submitted(file);
    });
    connect(sweeps, &ClusterSweeps::recorded, this, &ClusterLife::storedChanged);
}

void ClusterLife::offer(const ClusterPlan& plan, QWidget* window) {
    if (auto* open = window->findChild<ClusterDialog*>()) {
        open->takePlan(plan);
        open->raise();
        open->activateWindow();
        return;
    }
    (new ClusterDialog(m_parts.sweeps, plan, window))->show();
}

void ClusterLife::watch(const QString& file, const ClusterJob& job) {
    if (m_parts.run->isActive()) {
        m_parts.messages->show(
            MessageBar::Kind::Information,
            tr("A run is in progress on this machine; watch this one when it has ended."), {}, {},
            kCluster);
        return;
    }
    emit monitorWanted();
    ClusterSweeps* sweeps = m_parts.sweeps;
    m_parts.run->followElsewhere(
        {specificationIn(job.directory), job.directory, job.run.isEmpty() ? job.id : job.run,
         sweeps->followCommand(file, job.index),
         [sweeps, file, index = job.index] { sweeps->cancel(file, {index}); }});
}

}  // namespace cospadi::ui
