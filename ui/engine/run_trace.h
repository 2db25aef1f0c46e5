// What is known of a run while it goes on, made from its events (docs/formats.md): the error curve,
// the latest atom usage and the outcome of every matrix. A plain value without signals.
#pragma once

#include <QHash>
#include <QJsonObject>
#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <QVariantMap>

namespace cospadi::ui {

struct MatrixTrace {
    QString name;
    qint64 d1 = 0, d2 = 0;
    qint64 k = 0, s = 0;          // sparse dictionary
    qint64 rank = 0;              // low rank
    QList<QPointF> error;         // (iteration, whitened relative error)
    QList<QPointF> heldOutError;  // the same on held-out text; empty where none is
    QString phase;
    QList<double> usage;  // quantiles of the atoms' use counts, descending
    qint64 deadAtoms = 0;
    double usageEntropy = -1;  // 0…1; negative while unknown
    double seconds = 0;
    double codingSeconds = 0;      // of these, S given D; 0 of methods without phases
    double dictionarySeconds = 0;  // and D given S
    qint64 activeAtoms = 0;        // of a finished one; 0 while unknown
    double multiplications = 0;    // a token, of a finished one; 0 while unknown
    QVariantMap facts;             // what its form tells of a finished one (docs/formats.md)
    bool finished = false;
    double finalError = -1;  // of the stored factors; negative while unknown
    double finalHeldOutError = -1;
    double bytes = 0;  // of the file
    double denseBytes = 0;
    double sourceBytes = 0;  // in the model's own file; 0 while unknown
    QString sourceType;

    double latestError() const;  // negative while unknown
};

struct StageProgress {
    QString stage;
    qint64 done = 0;
    qint64 total = 0;
    double etaSeconds = -1;
};

class RunTrace {
  public:
    // Unknown events and events without a matrix' name change nothing.
    void apply(const QJsonObject& event);
    void clear();
    // The finished matrices of earlier starts of the run, where this one has not touched them.
    void recall(const RunTrace& earlier);

    const QList<MatrixTrace>& matrices() const { return m_matrices; }  // in order of their start
    int indexOf(const QString& matrix) const { return m_index.value(matrix, -1); }
    // The matrix that was touched last; −1 before the first.
    int current() const { return m_current; }
    qint64 expected() const { return m_expected; }
    qint64 finished() const { return m_finished; }
    bool isWhitened() const { return m_isWhitened; }  // errors are those of L W
    bool hasPatterns() const;                         // some matrix has a sparse dictionary
    bool hasHeldOut() const;                          // some matrix has an error on held-out text
    // As it was told, or as the matrices tell where nobody does: events.jsonl has no progress.
    const StageProgress& progress() const { return m_progress; }
    double seconds() const { return m_seconds; }
    const QString& directory() const { return m_directory; }
    // The run has come to an end, good or bad: what is not finished is no longer in work.
    bool isOver() const { return m_over; }
    void end() { m_over = true; }  // its engine or process is gone
    // What the run as a whole warned of, e.g. a result larger than its source.
    const QStringList& warnings() const { return m_warnings; }

    // One line for people; empty for events that a log need not show (iterations, progress).
    static QString logLine(const QJsonObject& event);

  private:
    void countMatrices();
    MatrixTrace* matrixOf(const QJsonObject& event);

    QList<MatrixTrace> m_matrices;
    QHash<QString, int> m_index;
    int m_current = -1;
    qint64 m_expected = 0;
    qint64 m_finished = 0;
    double m_seconds = 0;
    StageProgress m_progress;
    QString m_directory;
    QStringList m_warnings;
    bool m_isWhitened = true;  // of runs that do not say, most are
    bool m_over = false;
};

}  // namespace cospadi::ui
