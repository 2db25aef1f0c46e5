#include "ui/engine/engine_client.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QStandardPaths>

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
    const QString chosen = qEnvironmentVariable("COSPADI_ENGINE");
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
    m_pending.clear();
    m_process.start(m_program, m_arguments);
    m_helloId = request(QStringLiteral("hello"));
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

int EngineClient::request(const QString& method, const QJsonObject& params) {
    if (!isRunning() && method != QLatin1String("hello")) {
        start();
    }
    const int id = m_nextId++;
    QJsonObject message{{QStringLiteral("id"), id}, {QStringLiteral("method"), method}};
    if (!params.isEmpty()) {
        message.insert(QStringLiteral("params"), params);
    }
    m_pending.insert(id, method);
    if (isRunning()) {
        m_process.write(QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n');
    }
    return id;
}

void EngineClient::readMessages() {
    m_partialLine += m_process.readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end; (end = m_partialLine.indexOf('\n', begin)) >= 0; begin = end + 1) {
        if (m_skippingLine) {
            m_skippingLine = false;
            continue;
        }
        handleLine(m_partialLine.mid(begin, end - begin).trimmed());
    }
    m_partialLine.remove(0, begin);
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
        emit eventReceived(message);
        return;
    }
    const int id = message.value(QStringLiteral("id")).toInt(0);
    if (message.value(QStringLiteral("error")).isObject()) {
        m_pending.remove(id);
        const QJsonObject error = message.value(QStringLiteral("error")).toObject();
        emit refused(id, {error.value(QStringLiteral("message")).toString(),
                          error.value(QStringLiteral("where")).toString(),
                          error.value(QStringLiteral("hint")).toString()});
        return;
    }
    if (!m_pending.contains(id) || !message.contains(QStringLiteral("result"))) {
        emit malformedLine(excerpt(line), tr("neither an event nor the reply to a request"));
        return;
    }
    m_pending.remove(id);
    const QJsonObject result = message.value(QStringLiteral("result")).toObject();
    if (id == m_helloId) {
        m_device = result.value(QStringLiteral("device")).toString();
        m_deviceReason = result.value(QStringLiteral("device_reason")).toString();
        emit ready(result.value(QStringLiteral("version")).toString(), m_device,
                   result.value(QStringLiteral("cores")).toInt());
        return;
    }
    emit replied(id, result);
}

void EngineClient::handleEnd(int code, QProcess::ExitStatus status) {
    readMessages();
    readText();
    if (m_stopping) {
        m_stopping = false;
        return;
    }
    const QString how = status == QProcess::CrashExit
                            ? tr("The engine process crashed or was killed")
                            : tr("The engine process ended by itself (exit code %1)").arg(code);
    fail({how, m_program,
          tr("finished matrices are kept; it is started again with the next request")});
}

void EngineClient::handleProcessError(QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
        fail({tr("The engine could not be started: %1").arg(m_process.errorString()), m_program,
              tr("build it with ./run, or name it in $COSPADI_ENGINE")});
    }
}

void EngineClient::fail(const EngineError& error) {
    m_pending.clear();
    emit died(error);
}

}  // namespace cospadi::ui
