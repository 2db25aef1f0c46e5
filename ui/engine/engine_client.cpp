#include "ui/engine/engine_client.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QStandardPaths>
#include <utility>

namespace cospadi::ui {

namespace {

constexpr qsizetype kLongestLine = 16 << 20;  // bytes; longer ones are no message of ours

QString excerpt(const QByteArray& line) {
    const QString text = QString::fromUtf8(line.left(160));
    return line.size() > 160 ? text + QStringLiteral("…") : text;
}

}  // namespace

EngineClient::EngineClient(QObject* parent)
    : QObject(parent), m_program(defaultProgram()), m_arguments{QStringLiteral("engine")} {
    qRegisterMetaType<EngineError>();
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &EngineClient::readMessages);
    connect(&m_process, &QProcess::readyReadStandardError, this, &EngineClient::readText);
    connect(&m_process, &QProcess::finished, this, &EngineClient::handleEnd);
    connect(&m_process, &QProcess::errorOccurred, this, &EngineClient::handleProcessError);
}

EngineClient::~EngineClient() {
    m_process.disconnect(this);
    stop();
}

QString EngineClient::defaultProgram() {
    QString chosen = qEnvironmentVariable("COSPADI_ENGINE");
    if (!chosen.isEmpty()) {
        return chosen;
    }
    const QString folder = QCoreApplication::applicationDirPath();
    for (const QString& place :
         {QStringLiteral("/cospadi"), QStringLiteral("/../cli/cospadi"),
          QStringLiteral("/../../app/cli/cospadi"), QStringLiteral("/../../bin/cospadi")}) {
        const QFileInfo file(folder + place);
        if (file.isFile() && file.isExecutable()) {
            return file.canonicalFilePath();
        }
    }
    const QString onPath = QStandardPaths::findExecutable(QStringLiteral("cospadi"));
    return onPath.isEmpty() ? folder + QStringLiteral("/cospadi") : onPath;
}

void EngineClient::setProgram(const QString& program, const QStringList& arguments) {
    m_program = program;
    m_arguments = arguments;
}

bool EngineClient::isRunning() const { return m_process.state() != QProcess::NotRunning; }

void EngineClient::start() {
    if (isRunning()) {
        return;
    }
    m_stopping = false;
    m_partialLine.clear();
    m_skippingLine = false;
    m_process.start(m_program, m_arguments);
    const EngineReply* hello = send(QStringLiteral("hello"), {}, {});
    connect(hello, &EngineReply::finished, this, &EngineClient::greet);
}

void EngineClient::greet(const QJsonObject& greeting) {
    m_device = greeting.value(QStringLiteral("device")).toString();
    m_deviceReason = greeting.value(QStringLiteral("device_reason")).toString();
    emit ready(greeting.value(QStringLiteral("version")).toString(), m_device,
               greeting.value(QStringLiteral("cores")).toInt());
}

void EngineClient::stop(int milliseconds) {
    if (!isRunning()) {
        return;
    }
    m_stopping = true;
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(milliseconds)) {
        m_process.terminate();
        if (!m_process.waitForFinished(1000)) {
            m_process.kill();
            m_process.waitForFinished(1000);
        }
    }
}

EngineReply* EngineClient::request(const QString& method, const QJsonObject& params,
                                   const QString& lastEvent) {
    start();
    return send(method, params, lastEvent);
}

EngineReply* EngineClient::send(const QString& method, const QJsonObject& params,
                                const QString& lastEvent) {
    auto* reply = new EngineReply(m_nextId++, lastEvent, this);
    m_open.insert(reply->id(), reply);
    if (!isRunning()) {  // it failed to start while it was asked to
        QMetaObject::invokeMethod(
            reply,
            [this, reply] {
                if (m_open.remove(reply->id()) > 0) {
                    reply->fail(m_end);
                }
            },
            Qt::QueuedConnection);
        return reply;
    }
    QJsonObject message{{QStringLiteral("id"), reply->id()}, {QStringLiteral("method"), method}};
    if (!params.isEmpty()) {
        message.insert(QStringLiteral("params"), params);
    }
    m_process.write(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
    return reply;
}

void EngineClient::readMessages() {
    m_partialLine += m_process.readAllStandardOutput();
    // Taken out first: who hears of a line may stop the engine, which reads the rest of it.
    const QByteArray lines = m_partialLine.left(m_partialLine.lastIndexOf('\n') + 1);
    m_partialLine.remove(0, lines.size());
    qsizetype begin = 0;
    for (qsizetype end; (end = lines.indexOf('\n', begin)) >= 0; begin = end + 1) {
        if (!std::exchange(m_skippingLine, false)) {
            handleLine(lines.mid(begin, end - begin).trimmed());
        }
    }
    if (m_partialLine.size() > kLongestLine) {
        emit malformedLine(excerpt(m_partialLine), tr("a line of more than 16 MB"));
        m_partialLine.clear();
        m_skippingLine = true;
    }
}

void EngineClient::readText() {
    const QString text = QString::fromUtf8(m_process.readAllStandardError());
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
        emit textReceived(line);
    }
}

void EngineClient::handleLine(const QByteArray& line) {
    if (line.isEmpty()) {
        return;
    }
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(line, &problem);
    if (!document.isObject()) {
        emit malformedLine(excerpt(line), problem.error == QJsonParseError::NoError
                                              ? tr("not a JSON object")
                                              : problem.errorString());
        return;
    }
    const QJsonObject message = document.object();
    if (message.value(QStringLiteral("event")).isString()) {
        handleEvent(message);
        return;
    }
    const int id = message.value(QStringLiteral("id")).toInt(0);
    const QJsonValue error = message.value(QStringLiteral("error"));
    EngineReply* reply = m_open.value(id);
    if (reply == nullptr || (!error.isObject() && !message.contains(QStringLiteral("result")))) {
        emit malformedLine(excerpt(line), tr("neither an event nor the reply to a request"));
        return;
    }
    if (error.isObject()) {
        m_open.remove(id);
        reply->fail({error[QStringLiteral("message")].toString(),
                     error[QStringLiteral("where")].toString(),
                     error[QStringLiteral("hint")].toString()});
    } else if (reply->completesWithItsAnswer()) {
        m_open.remove(id);
        reply->finish(message.value(QStringLiteral("result")).toObject());
    } else {
        emit reply->begun(message.value(QStringLiteral("result")).toObject());
    }
}

void EngineClient::handleEvent(const QJsonObject& event) {
    emit eventReceived(event);
    const int id = event.value(QStringLiteral("request")).toInt(0);
    EngineReply* reply = m_open.value(id);
    if (reply == nullptr) {
        return;  // nobody's, e.g. of a device
    }
    if (reply->completesWith(event)) {
        m_open.remove(id);
        reply->finish(event);
    } else {
        emit reply->progressed(event);
    }
}

void EngineClient::handleEnd(int code, QProcess::ExitStatus status) {
    readMessages();
    readText();
    if (std::exchange(m_stopping, false)) {
        failOpen(
            {tr("The engine was stopped"), m_program, tr("the next request restarts it"), true});
        return;
    }
    const QString how = status == QProcess::CrashExit
                            ? tr("The engine process crashed or was killed")
                            : tr("The engine process exited unexpectedly (exit code %1)").arg(code);
    fail({how, m_program, tr("finished matrices are kept; the next request restarts it")});
}

void EngineClient::handleProcessError(QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
        fail({tr("The engine could not be started: %1").arg(m_process.errorString()), m_program,
              tr("build it with ./run, or set its path in $COSPADI_ENGINE")});
    }
}

void EngineClient::fail(EngineError error) {
    error.engineIsGone = true;
    failOpen(error);
    emit died(error);
}

void EngineClient::failOpen(const EngineError& error) {
    m_end = error;
    const QMap<int, EngineReply*> open = std::exchange(m_open, {});  // who hears of it may ask anew
    for (EngineReply* reply : open) {
        reply->fail(error);
    }
}

}  // namespace cospadi::ui
