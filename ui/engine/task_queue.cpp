#include "ui/engine/task_queue.h"

#include <QJsonDocument>
#include <algorithm>
#include <limits>

#include "ui/engine/command_line.h"

namespace cospadi::ui {

namespace {

double numberOrNan(const QJsonValue& value) {
    return value.toDouble(std::numeric_limits<double>::quiet_NaN());
}

QList<TaskMetricValue> metricsOf(const QJsonArray& entries) {
    QList<TaskMetricValue> metrics;
    for (const QJsonValue entry : entries) {
        metrics.append({entry["metric"].toString(), numberOrNan(entry["value"]),
                        numberOrNan(entry["stderr"])});
    }
    return metrics;
}

TaskLine& lineOf(TaskJob& job, const QString& task) {
    const auto found = std::find_if(job.lines.begin(), job.lines.end(),
                                    [&](const TaskLine& line) { return line.task == task; });
    if (found != job.lines.end()) {
        return *found;
    }
    job.lines.append({task, 0, {}, false, false});
    return job.lines.last();
}

QString asTaskLine(const TaskJob& job) {
    const QJsonObject line{{QStringLiteral("model"), job.model},
                           {QStringLiteral("label"), job.label},
                           {QStringLiteral("tasks"), QJsonArray::fromStringList(job.tasks)},
                           {QStringLiteral("data"), job.data},
                           {QStringLiteral("limit"), job.limit},
                           {QStringLiteral("again"), job.again}};
    return QString::fromUtf8(QJsonDocument(line).toJson(QJsonDocument::Compact));
}

TaskJob heldJobFrom(const QString& line) {
    const QJsonObject saved = QJsonDocument::fromJson(line.toUtf8()).object();
    TaskJob job;
    job.model = saved["model"].toString();
    job.label = saved["label"].toString();
    for (const QJsonValue task : saved["tasks"].toArray()) {
        job.tasks << task.toString();
    }
    job.data = saved["data"].toString();
    job.limit = saved["limit"].toDouble();
    job.again = saved["again"].toBool();
    job.isHeld = true;
    return job;
}

}  // namespace

QString taskCommand(const TaskJob& job) {
    QStringList words{QStringLiteral("cospadi"), QStringLiteral("evaluate"), job.model,
                      QStringLiteral("--tasks"), job.tasks.join(',')};
    if (!job.data.isEmpty()) {
        words << QStringLiteral("--data") << job.data;
    }
    if (job.limit > 0) {
        words << QStringLiteral("--limit") << QString::number(job.limit);
    }
    if (job.again) {
        words << QStringLiteral("--again");
    }
    std::transform(words.begin(), words.end(), words.begin(), shellQuoted);
    return words.join(' ');
}

TaskQueue::TaskQueue(EngineClient* engine, QObject* parent) : QObject(parent), m_engine(engine) {}

void TaskQueue::add(const QList<TaskJob>& jobs) {
    for (const TaskJob& job : jobs) {
        append(job);
    }
    emit changed();
    startNext();
}

void TaskQueue::append(TaskJob job) {
    job.name = QStringLiteral("tasks-%1").arg(m_nextName++);
    job.state = TaskJob::State::Waiting;
    m_jobs.append(job);
}

void TaskQueue::cancel(const QString& name) {
    const TaskJob* current = running();
    if (current != nullptr && current->name == name) {
        m_cancelling = true;
        m_engine->request(QStringLiteral("cancel"), {{QStringLiteral("run"), name}});
        return;
    }
    m_jobs.removeIf([&](const TaskJob& job) {
        return job.name == name && job.state == TaskJob::State::Waiting;
    });
    emit changed();
}

void TaskQueue::cancelAll() {
    m_jobs.removeIf([](const TaskJob& job) { return job.state == TaskJob::State::Waiting; });
    if (const TaskJob* job = running()) {
        cancel(job->name);
    }
    emit changed();
}

void TaskQueue::forgetEnded() {
    m_jobs.removeIf([](const TaskJob& job) { return job.isOver(); });
    emit changed();
}

void TaskQueue::putOff() {
    for (TaskJob& job : m_jobs) {
        job.isHeld = job.state == TaskJob::State::Waiting;
    }
    if (const TaskJob* job = running()) {
        TaskJob again = *job;
        again.lines.clear();
        again.isHeld = true;
        cancel(job->name);
        append(again);
    }
    emit changed();
}

int TaskQueue::held() const {
    return static_cast<int>(
        std::count_if(m_jobs.begin(), m_jobs.end(), [](const TaskJob& job) { return job.isHeld; }));
}

void TaskQueue::startHeld() {
    for (TaskJob& job : m_jobs) {
        job.isHeld = false;
    }
    emit changed();
    startNext();
}

void TaskQueue::forgetHeld() {
    m_jobs.removeIf([](const TaskJob& job) { return job.isHeld; });
    emit changed();
}

QString TaskQueue::waitingAsText() const {
    QStringList lines;
    for (const TaskJob& job : m_jobs) {
        if (!job.isOver() && !job.followsRun) {
            lines << asTaskLine(job);
        }
    }
    return lines.join(QLatin1Char('\n'));
}

void TaskQueue::restore(const QString& text) {
    for (const QString& line : text.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const TaskJob job = heldJobFrom(line);
        if (!job.model.isEmpty() && !job.tasks.isEmpty()) {  // else of another version
            append(job);
        }
    }
    emit changed();
}

TaskJob* TaskQueue::running() {
    const auto found = std::find_if(m_jobs.begin(), m_jobs.end(), [](const TaskJob& job) {
        return job.state == TaskJob::State::Running;
    });
    return found == m_jobs.end() ? nullptr : &*found;
}

void TaskQueue::startNext() {
    const auto next = std::find_if(m_jobs.begin(), m_jobs.end(), [](const TaskJob& job) {
        return job.state == TaskJob::State::Waiting && !job.isHeld;
    });
    if (isActive() || next == m_jobs.end()) {
        return;
    }
    next->state = TaskJob::State::Running;
    QJsonObject params{{QStringLiteral("job"), next->name},
                       {QStringLiteral("model"), next->model},
                       {QStringLiteral("tasks"), QJsonArray::fromStringList(next->tasks)},
                       {QStringLiteral("data"), next->data},
                       {QStringLiteral("limit"), next->limit},
                       {QStringLiteral("again"), next->again}};
    m_cancelling = false;
    m_reply = m_engine->request(QStringLiteral("evaluate_tasks"), params);
    connect(m_reply, &EngineReply::progressed, this, &TaskQueue::takeEvent);
    connect(m_reply, &EngineReply::finished, this, &TaskQueue::takeResult);
    connect(m_reply, &EngineReply::failed, this, &TaskQueue::takeFailure);
    emit changed();
}

void TaskQueue::takeResult(const QJsonObject& result) {
    const QString label = running() != nullptr ? running()->label : QString();
    QStringList samples;
    const QJsonArray tasks = result["sampled"].toArray();
    for (const QJsonValue task : tasks) {
        samples << task.toString();
    }
    const QString warning = result["warning"].toString();
    end(TaskJob::State::Finished, warning);
    if (!warning.isEmpty()) {
        emit unrecorded(label, warning);
    }
    if (!samples.isEmpty()) {
        emit sampled(label, samples);
    }
    emit recorded(result["directory"].toString());
}

void TaskQueue::takeFailure(const EngineError& error) {
    if (error.engineIsGone) {
        end(TaskJob::State::Failed,
            tr("The engine ended. Start again: finished tasks are not repeated."));
        return;
    }
    const QString label = running() != nullptr ? running()->label : QString();
    const bool isWanted = m_cancelling;
    end(isWanted ? TaskJob::State::Cancelled : TaskJob::State::Failed, error.message);
    if (!isWanted) {
        emit failed(label, error);
    }
}

void TaskQueue::takeEvent(const QJsonObject& event) {
    TaskJob* job = running();
    if (job == nullptr) {
        return;
    }
    const QString kind = event["event"].toString();
    TaskLine& line = lineOf(*job, event["task"].toString());
    if (kind == QLatin1String("task_progress")) {
        job->done = event["done"].toInteger();
        job->total = event["total"].toInteger();
        job->etaSeconds = event["eta_seconds"].toDouble(-1);
        line.items = event["items"].toInteger();
        line.metrics = metricsOf(event["metrics"].toArray());
    } else if (kind == QLatin1String("task_finished")) {
        const QJsonArray results = event["results"].toArray();
        line.isFinished = true;
        line.wasThere = event["was_there"].toBool();
        line.items = results.isEmpty() ? line.items : results[0]["samples"].toInteger();
        line.metrics = metricsOf(results);
    }
    emit changed();
}

void TaskQueue::end(TaskJob::State state, const QString& problem) {
    if (TaskJob* job = running()) {
        job->state = state;
        job->problem = problem;
    }
    m_cancelling = false;
    emit changed();
    // After everybody has heard of the end of this one.
    QMetaObject::invokeMethod(this, &TaskQueue::startNext, Qt::QueuedConnection);
}

}  // namespace cospadi::ui
