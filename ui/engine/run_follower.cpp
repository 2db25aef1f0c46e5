#include "ui/engine/run_follower.h"

#include <QJsonDocument>
#include <QSignalBlocker>
#include <csignal>

#include "core/store/run_lock.h"

namespace cospadi::ui {

namespace {

constexpr int kLookMilliseconds = 250;
constexpr qint64 kMostBytes = 4 << 20;  // at one look, so that the window stays quick
constexpr int kPatience = 500;          // milliseconds

}  // namespace

RunFollower::RunFollower(QObject* parent) : QObject(parent) {
    m_timer.setInterval(kLookMilliseconds);
    connect(&m_timer, &QTimer::timeout, this, &RunFollower::read);
    m_printing.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(&m_printing, &QProcess::readyReadStandardOutput, this,
            [this] { take(m_printing.readAllStandardOutput()); });
    connect(&m_printing, &QProcess::finished, this, [this] {
        take(m_printing.readAllStandardOutput());
        tellEnd();
    });
    connect(&m_printing, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            tellEnd();
        }
    });
}

RunFollower::~RunFollower() {
    m_printing.disconnect(this);
    stop();
}

void RunFollower::follow(const QString& directory) {
    stop();
    m_directory = directory;
    m_file.setFileName(directory + QStringLiteral("/events.jsonl"));
    m_timer.start();
}

void RunFollower::followThrough(const QStringList& command) {
    stop();
    m_directory.clear();
    m_printing.start(command.first(), command.mid(1), QIODevice::ReadOnly);
}

void RunFollower::stop() {
    m_timer.stop();
    if (m_printing.state() != QProcess::NotRunning) {
        const QSignalBlocker itsEndIsNobodys(m_printing);
        m_printing.terminate();
        if (!m_printing.waitForFinished(kPatience)) {
            m_printing.kill();
            m_printing.waitForFinished(kPatience);
        }
    }
    m_file.close();
    m_partialLine.clear();
    m_end = {};
    m_askedToEnd = false;
}

bool RunFollower::askToEnd() {
    if (m_directory.isEmpty()) {
        return false;
    }
    const auto process = processWriting(m_directory.toStdString());
    m_askedToEnd = isFollowing() && process && ::kill(*process, SIGTERM) == 0;
    return m_askedToEnd;
}

void RunFollower::read() {
    // Asked before reading: what was written before the process ended is then read below.
    const bool alive = isBeingWritten(m_directory.toStdString());
    if (!m_file.isOpen() && !m_file.open(QIODevice::ReadOnly)) {
        if (!alive) {
            stop();
            emit abandoned();
        }
        return;
    }
    const QByteArray read = m_file.read(kMostBytes);
    take(read);
    if (!alive && read.isEmpty()) {
        tellEnd();
    }
}

void RunFollower::take(const QByteArray& bytes) {
    m_partialLine += bytes;
    qsizetype begin = 0;
    for (qsizetype end; (end = m_partialLine.indexOf('\n', begin)) >= 0; begin = end + 1) {
        const QJsonDocument line =
            QJsonDocument::fromJson(m_partialLine.mid(begin, end - begin).trimmed());
        if (!line.isObject()) {
            continue;
        }
        const QJsonObject event = line.object();
        const QString kind = event.value(QStringLiteral("event")).toString();
        if (kind == QLatin1String("run_finished")) {
            m_end = event;
            continue;
        }
        if (kind == QLatin1String("run_started")) {
            m_end = {};
        }
        emit eventRead(event);
    }
    m_partialLine.remove(0, begin);
}

void RunFollower::tellEnd() {
    const QJsonObject end = m_end;
    stop();
    if (end.isEmpty()) {
        emit abandoned();
    } else {
        emit eventRead(end);
    }
}

}  // namespace cospadi::ui
