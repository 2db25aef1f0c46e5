// Watches a run that another process does: through its directory, the lines of events.jsonl as they
// are appended, where that process is one of this machine (`cospadi compress`, left behind by an
// earlier window); else through a program that prints them. Reads, and at most asks that process to
// end.
#pragma once

#include <QFile>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QTimer>

namespace cospadi::ui {

class RunFollower : public QObject {
    Q_OBJECT

  public:
    explicit RunFollower(QObject* parent = nullptr);
    ~RunFollower() override;

    // From the first event on. Follows one run at a time. The end is told once the process is gone:
    // what an earlier process said of its own end is history.
    void follow(const QString& directory);
    // command: prints the lines of events, and ends with the run (`cospadi sweep follow`).
    void followThrough(const QStringList& command);
    void stop();
    bool isFollowing() const {
        return m_timer.isActive() || m_printing.state() != QProcess::NotRunning;
    }
    // After its current iteration, as Ctrl+C would (SIGTERM). False where that process cannot be
    // found or reached.
    bool askToEnd();
    bool wasAskedToEnd() const { return m_askedToEnd; }

  signals:
    void eventRead(const QJsonObject& event);
    // The process is gone without saying how it ended.
    void abandoned();

  private:
    void read();
    void take(const QByteArray& bytes);
    void tellEnd();

    QTimer m_timer;
    QString m_directory;
    QFile m_file;
    QProcess m_printing;
    QByteArray m_partialLine;
    QJsonObject m_end;  // the latest run_finished
    bool m_askedToEnd = false;
};

}  // namespace cospadi::ui
