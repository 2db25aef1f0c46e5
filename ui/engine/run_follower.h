// Watches a run that another process does (`cospadi compress`, left behind by an earlier window)
// through its directory: the lines of events.jsonl, as they are appended. Reads, and at most asks
// that process to end.
#pragma once

#include <QFile>
#include <QJsonObject>
#include <QObject>
#include <QTimer>

namespace cospadi::ui {

class RunFollower : public QObject {
    Q_OBJECT

  public:
    explicit RunFollower(QObject* parent = nullptr);

    // From the first event on. Follows one run at a time. The end is told once the process is gone:
    // what an earlier process said of its own end is history.
    void follow(const QString& directory);
    void stop();
    bool isFollowing() const { return m_timer.isActive(); }
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

    QTimer m_timer;
    QString m_directory;
    QFile m_file;
    QByteArray m_partialLine;
    QJsonObject m_end;  // the latest run_finished
    bool m_askedToEnd = false;
};

}  // namespace cospadi::ui
