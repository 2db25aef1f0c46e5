#include "ui/cluster/cluster_call.h"

#include <QJsonDocument>
#include <QTimer>
#include <algorithm>
#include <utility>

namespace cospadi::ui {

namespace {

constexpr int kSshFailed = 255;

// The last line that is an object: a login on a cluster may say things of its own before.
QJsonObject objectIn(const QByteArray& output) {
    const QList<QByteArray> lines = output.split('\n');
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        const QJsonDocument document = QJsonDocument::fromJson(*line);
        if (document.isObject()) {
            return document.object();
        }
    }
    return {};
}

QString lastLine(const QByteArray& text) {
    const QStringList lines = QString::fromUtf8(text).split('\n', Qt::SkipEmptyParts);
    return lines.isEmpty() ? QString() : lines.last().trimmed();
}

}  // namespace

ClusterCall::ClusterCall(const QStringList& command, const QByteArray& input, QObject* parent)
    : QObject(parent), m_command(command), m_input(input) {
    connect(&m_process, &QProcess::finished, this, &ClusterCall::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart && !std::exchange(m_isOver, true)) {
            emit failed(
                {tr("%1 could not be started: %2").arg(m_command.first(), m_process.errorString()),
                 m_command.first(), tr("see the cluster profile")});
            deleteLater();
        }
    });
    QTimer::singleShot(0, this, &ClusterCall::start);  // whoever asked connects first
}

ClusterCall::~ClusterCall() {
    m_process.disconnect(this);
    if (m_process.state() != QProcess::NotRunning) {
        m_process.terminate();
        m_process.waitForFinished(1000);
    }
}

void ClusterCall::keepFile(const QString& file, const QByteArray& marker) {
    m_marker = '\n' + marker + '\n';
    m_before = "\n";  // the marker may be the first line
    m_file.setFileName(file);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &ClusterCall::keep);
}

void ClusterCall::keep() {
    const QByteArray read = m_process.readAllStandardOutput();
    if (m_file.isOpen()) {
        m_file.write(read);
        return;
    }
    m_before += read;
    if (const qsizetype at = m_before.indexOf(m_marker);
        at >= 0 && m_file.open(QIODevice::WriteOnly)) {
        m_file.write(m_before.mid(at + m_marker.size()));
        m_before.clear();
    }
}

void ClusterCall::start() {
    m_process.start(m_command.first(), m_command.mid(1));
    m_process.write(m_input);
    m_process.closeWriteChannel();
}

void ClusterCall::end(int code, QProcess::ExitStatus status) {
    if (std::exchange(m_isOver, true)) {
        return;
    }
    const QByteArray words = m_process.readAllStandardError();
    const bool isFile = !m_marker.isEmpty();
    QJsonObject object;
    bool isKept = false;
    if (isFile) {
        keep();
        isKept = status == QProcess::NormalExit && code == 0 && m_file.isOpen() && m_file.flush() &&
                 m_file.error() == QFileDevice::NoError;
        m_file.close();
    } else {
        object = objectIn(m_process.readAllStandardOutput());
    }
    const QJsonObject error = object.value(QStringLiteral("error")).toObject();
    if (!error.isEmpty()) {
        emit failed({error.value(QStringLiteral("message")).toString(),
                     error.value(QStringLiteral("where")).toString(),
                     error.value(QStringLiteral("hint")).toString()});
    } else if (!object.isEmpty() || isKept) {
        emit answered(object);
    } else {
        const bool isSsh = m_command.first() == QLatin1String("ssh");
        const QString said = lastLine(words);
        emit failed(
            {said.isEmpty() ? tr("it exited with code %1 without an answer").arg(code) : said,
             isSsh ? m_command.value(3) : m_command.first(),
             isSsh && code == kSshFailed ? tr("ssh has to connect without a password prompt")
                                         : tr("is `cospadi` installed there, in this version?")});
    }
    deleteLater();
}

}  // namespace cospadi::ui
