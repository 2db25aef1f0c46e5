// The sweeps that were handed to clusters from this window: how far each is, asked again and again
// while there is something to expect, and what can be done about it. What the jobs do is told by
// files alone (docs/cluster.md), so that closing the window ends nothing; the list is kept in
// QSettings. Finished runs come into the store: by `sweep status` itself where the folder is seen
// from here, else as exported files through ssh.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <limits>

#include "ui/cluster/cluster_profile.h"
#include "ui/engine/engine_reply.h"

namespace cospadi::ui {

class ClusterCall;

struct ClusterJob {
    int index = 0;  // in the sweep file
    QString id;
    QString title;
    QString directory;  // of its run, there
    QString state;      // done, running, waiting, failed, lost
    bool never = false;
    QString process;
    QString reason;
    QString run;  // the id of a done one's
    int matrices = 0;
    double perplexity = std::numeric_limits<double>::quiet_NaN();
};

struct ClusterSweep {
    QString name;
    QString file;            // there
    ClusterProfile profile;  // as it was when this was submitted
    // Else only its name is: an earlier version kept no more, and there is none of that name now.
    bool isProfileKnown = true;
    QList<ClusterJob> jobs;  // as the latest answer has them
    EngineError problem;     // why the latest question has no answer; no message: it has one

    int count(const QString& state) const;
    bool isOver() const;   // nothing is to be expected any more
    bool hasLeft() const;  // something that a new start would do
};

class ClusterSweeps : public QObject {
    Q_OBJECT

  public:
    explicit ClusterSweeps(QObject* parent = nullptr);

    const QList<ClusterSweep>& sweeps() const { return m_sweeps; }  // the newest first
    const ClusterSweep* find(const QString& file) const;

    // grid: a sweep as JSON (docs/formats.md). Ends in submitted() or failed().
    void submit(const ClusterProfile& profile, const QString& name, const QByteArray& grid);
    // What that would do: ends in previewed() or previewFailed(). The latest question counts.
    void preview(const ClusterProfile& profile, const QString& name, const QByteArray& grid);
    // An answer that is still to come is of something else by now, and is not told.
    void dropPreview() { ++m_preview; }
    // Asks how far they are, now and from then on.
    void look();
    // jobs: none means all.
    void cancel(const QString& file, const QList<int>& jobs = {});
    void startMissing(const QString& file);
    void forget(const QString& file);  // its runs and what goes on stay
    // Prints the events of a job as they are written.
    QStringList followCommand(const QString& file, int job) const;

  signals:
    void changed();
    void submitted(const QString& file, int jobs);
    void previewed(const QJsonObject& submission);
    void previewFailed(const cospadi::ui::EngineError& error);
    void told(const QString& words);  // what cancel() or startMissing() came to
    void failed(const cospadi::ui::EngineError& error);
    void recorded();  // runs came into the store

  private:
    void lookAgain();
    ClusterSweep* sweepOf(const QString& file);
    // One that can be asked; of another its problem is told, and nullptr returned.
    const ClusterSweep* reachable(const QString& file);
    ClusterCall* call(const ClusterProfile& profile, const QStringList& words,
                      const QByteArray& input = {});
    void ask(const QString& file);
    void takeStatus(const QString& file, const QJsonObject& status);
    void fetchNext(const QString& file);
    void fetch(const ClusterSweep& sweep, const ClusterJob& job);
    void store() const;

    QList<ClusterSweep> m_sweeps;
    QSet<QString> m_asked;     // files whose answer is to come
    QSet<QString> m_fetched;   // runs that came through ssh, or did not
    QSet<QString> m_fetching;  // files of which one comes now
    QTimer m_timer;
    int m_looks = 0;
    int m_preview = 0;  // of the latest
};

}  // namespace cospadi::ui
