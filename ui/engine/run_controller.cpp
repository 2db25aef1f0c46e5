#include "ui/engine/run_controller.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <nlohmann/json.hpp>

#include "core/store/run_specification.h"
#include "ui/engine/command_line.h"
#include "ui/engine/run_history.h"

namespace cospadi::ui {

RunController::RunController(EngineClient* engine, QObject* parent)
    : QObject(parent), m_engine(engine) {
    connect(&m_coalescer, &EventCoalescer::batchReady, this, &RunController::takeBatch);
    connect(&m_follower, &RunFollower::eventRead, &m_coalescer, &EventCoalescer::add);
    connect(&m_follower, &RunFollower::abandoned, this, [this] {
        m_coalescer.flush();
        finish({{QStringLiteral("status"), QStringLiteral("interrupted")},
                {QStringLiteral("message"), tr("its process is gone")}});
    });
    connect(engine, &EngineClient::textReceived, this,
            [this](const QString& line) { emit logged({tr("engine: %1").arg(line)}); });
    connect(engine, &EngineClient::malformedLine, this,
            [this](const QString& line, const QString& reason) {
                emit logged({tr("skipped a line from the engine (%1): %2").arg(reason, line)});
            });
}

void RunController::start(const RunSpecification& specification) {
    const std::string text = toJson(specification).dump();
    send(QJsonDocument::fromJson(QByteArray::fromStdString(text)).object(), {});
}

bool RunController::canResumeInterrupted() const {
    return m_state == State::Idle && m_interrupted && !m_directory.isEmpty();
}

void RunController::resumeInterrupted() {
    if (canResumeInterrupted()) {
        send(m_specification, m_directory);
    }
}

void RunController::resumeStored(const QString& specification, const QString& directory) {
    send(QJsonDocument::fromJson(specification.toUtf8()).object(), directory);
}

void RunController::showFollowed(const QString& specification, const QString& directory,
                                 const QString& id) {
    m_follower.stop();
    m_history.forget();
    m_coalescer.flush();
    m_trace.clear();
    m_specification = QJsonDocument::fromJson(specification.toUtf8()).object();
    m_directory = directory;
    m_runId = id;
    m_interrupted = false;
    m_ending.clear();
    m_cancelElsewhere = {};
}

void RunController::follow(const QString& specification, const QString& directory,
                           const QString& id) {
    if (isActive()) {
        return;
    }
    showFollowed(specification, directory, id);
    m_follower.follow(directory);
    emit followingBegun();
    emit traceChanged();
}

void RunController::followElsewhere(const FollowedElsewhere& job) {
    if (isActive()) {
        return;
    }
    showFollowed(job.specification, job.directory, job.id);
    m_cancelElsewhere = job.cancel;
    m_follower.followThrough(job.command);
    emit followingBegun();
    emit traceChanged();
}

void RunController::send(const QJsonObject& specification, const QString& directory) {
    if (isActive()) {
        return;
    }
    m_follower.stop();
    m_cancelElsewhere = {};
    m_history.forget();
    m_coalescer.flush();
    m_trace.clear();
    m_specification = specification;
    m_directory = directory;
    m_isResumed = !directory.isEmpty();
    m_runId.clear();
    m_interrupted = false;
    m_ending.clear();
    setState(State::Starting);
    QJsonObject params{{QStringLiteral("specification"), specification}};
    if (!directory.isEmpty()) {
        params.insert(QStringLiteral("directory"), directory);
    }
    const EngineReply* reply =
        m_engine->request(QStringLiteral("compress"), params, QStringLiteral("run_finished"));
    connect(reply, &EngineReply::begun, this, &RunController::takeBeginning);
    connect(reply, &EngineReply::progressed, &m_coalescer, &EventCoalescer::add);
    connect(reply, &EngineReply::finished, &m_coalescer, &EventCoalescer::add);  // in its turn
    connect(reply, &EngineReply::failed, this, &RunController::takeFailure);
    emit traceChanged();
}

void RunController::control(const QString& method) {
    const EngineReply* reply = m_engine->request(method, {{QStringLiteral("run"), m_runId}});
    connect(reply, &EngineReply::failed, this, [this](const EngineError& error) {
        if (!error.engineIsGone) {  // else the run itself is told
            emit failed(error);
        }
    });
}

QStringList RunController::commandToGoOn() const {
    if (m_directory.isEmpty() || m_specification.isEmpty()) {
        return {};
    }
    QStringList words = compressArguments(
        runSpecificationFromJson(nlohmann::json::parse(
            QJsonDocument(m_specification).toJson(QJsonDocument::Compact).toStdString())),
        m_directory + QStringLiteral("/run.json"));
    return words << QStringLiteral("--out") << m_directory << QStringLiteral("--no-model");
}

void RunController::togglePause() {
    if (m_state == State::Running) {
        control(QStringLiteral("pause"));
    } else if (m_state == State::Paused) {
        control(QStringLiteral("resume"));
    }
}

bool RunController::canCancel() const {
    return m_state == State::Running || m_state == State::Paused ||
           (isFollowing() && !m_follower.wasAskedToEnd());
}

void RunController::cancel() {
    if (!canCancel()) {
        return;
    }
    if (isActive()) {
        control(QStringLiteral("cancel"));
        setState(State::Cancelling);
    } else if (m_cancelElsewhere) {
        m_cancelElsewhere();
    } else if (m_follower.askToEnd()) {
        emit traceChanged();
    } else {
        emit failed({tr("The run cannot be cancelled from here"), m_directory,
                     tr("its process belongs to another machine or user; end it there")});
    }
}

void RunController::setState(State state) {
    if (m_state != state) {
        m_state = state;
        emit stateChanged(state);
    }
}

void RunController::takeBatch(const QList<QJsonObject>& events) {
    QStringList lines;
    bool matrixDone = false;
    bool began = false;
    QJsonObject end;
    for (const QJsonObject& event : events) {
        const QString kind = event.value(QStringLiteral("event")).toString();
        m_trace.apply(event);
        const QString line = RunTrace::logLine(event);
        if (!line.isEmpty()) {
            lines << line;
        }
        if (kind == QLatin1String("run_started")) {
            m_directory = m_trace.directory().isEmpty() ? m_directory : m_trace.directory();
            began = true;
        } else if (kind == QLatin1String("run_paused") && m_state == State::Running) {
            setState(State::Paused);
        } else if (kind == QLatin1String("run_resumed") && m_state == State::Paused) {
            setState(State::Running);
        } else if (kind == QLatin1String("matrix_finished")) {
            matrixDone = true;
        } else if (kind == QLatin1String("run_finished")) {
            end = event;
        }
    }
    if (!lines.isEmpty()) {
        emit logged(lines);
    }
    emit traceChanged();
    if (began) {
        emit begun(m_directory);
    }
    if (matrixDone && QFileInfo::exists(m_directory)) {  // one that is followed may be far away
        emit matrixFinished(m_directory);
    }
    if (!end.isEmpty()) {
        finish(end);
    }
}

void RunController::finish(const QJsonObject& event) {
    const QString status = event.value(QStringLiteral("status")).toString();
    // What others distribute they start again.
    m_interrupted = status != QLatin1String("finished") && !m_cancelElsewhere;
    endAs(status);
    emit runFinished(status, event.value(QStringLiteral("message")).toString());
}

void RunController::endAs(const QString& ending) {
    m_ending = ending;
    m_trace.end();
    setState(State::Idle);
    emit traceChanged();  // what was in work no longer is
}

void RunController::takeBeginning(const QJsonObject& result) {
    m_runId = result.value(QStringLiteral("run")).toString();
    const QString directory = result.value(QStringLiteral("directory")).toString();
    m_directory = directory.isEmpty() ? m_directory : directory;
    recallEarlierStarts();
    setState(State::Running);
}

// Before the first event of this one is taken: matrices stay in the order of their work.
void RunController::recallEarlierStarts() {
    m_coalescer.hold();
    m_history.ask([directory = m_directory] { return readRunHistory(directory).trace; },
                  [this](const RunTrace& earlier) {
                      m_trace.recall(earlier);
                      emit traceChanged();
                      m_coalescer.flush();
                  },
                  [this](const Error&) { m_coalescer.flush(); });
}

void RunController::takeFailure(const EngineError& error) {
    m_coalescer.flush();
    // A resume that was refused leaves the run as interrupted as it was.
    m_interrupted = !m_directory.isEmpty() && (error.engineIsGone || m_isResumed);
    endAs(error.engineIsGone ? QStringLiteral("interrupted") : QStringLiteral("refused"));
    emit failed(error);
    if (error.engineIsGone) {
        emit logged({tr("the engine is gone; the run can be resumed from its last matrix")});
    }
}

}  // namespace cospadi::ui
