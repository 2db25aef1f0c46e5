// What is known of one matrix from the engine's `portrait` and `explore` requests
// (docs/formats.md). Plain values without signals.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QPointF>
#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct MatrixPortraitData {
    QString layer;
    qint64 d1 = 0, d2 = 0;
    double mean = 0, deviation = 0, least = 0, greatest = 0;
    qint64 zeros = 0;
    double histogramLow = 0, histogramHigh = 0;
    QList<double> histogram;       // counts
    QList<double> singularValues;  // descending
    QList<double> whitenedValues;  // empty where there is no Gram
    QString gramAbsence;

    static MatrixPortraitData fromJson(const QJsonObject& result);
};

// The best that is known of one setting so far.
struct ExploreValue {
    double cr = 0;
    double rho = 0;       // 0 where the method has none
    qint64 k = 0, s = 0;  // 0 where it has no dictionary
    QString stored;       // its sizes in words: "rank r = 120, …"
    int iteration = 0;
    double error = -1;  // negative while unknown
    double bytes = 0;
    bool settled = false;  // of stored factors: nothing better comes
};

struct ExploreReference {
    double cr = 0;
    qint64 rank = 0;
    double error = 0;
    double bytes = 0;
};

// One matrix of an exploration.
struct ExploredMatrix {
    QString layer;
    qint64 d1 = 0, d2 = 0;
    bool whitened = false;
    QString gramAbsence;
    QString method;             // its name, not its title
    QStringList curves;         // that it has: "rho", "cr"; none of a method that is one point
    QList<QPointF> iterations;  // (iteration, error) of the setting at hand
    ExploreValue here;
    QMap<double, ExploreValue> byRho;
    QMap<double, ExploreValue> byCr;
    QList<ExploreReference> reference;

    // The low-rank method at a CR; negative while unknown.
    double referenceError(double cr) const;
    double denseBytes() const { return 2.0 * static_cast<double>(d1) * static_cast<double>(d2); }
};

class ExploreTrace {
  public:
    void begin(const QJsonObject& reply);
    void apply(const QJsonObject& event);

    int number() const { return m_number; }  // 0 before the first
    // In the order in which they were asked for; each comes with its turn.
    const QList<ExploredMatrix>& matrices() const { return m_matrices; }
    bool isWhitened() const;                            // every matrix, as far as is known
    int settledValues() const;                          // of both curves, over all matrices
    const QString& status() const { return m_status; }  // empty while it goes on
    const QString& message() const { return m_message; }
    double seconds() const { return m_seconds; }

  private:
    ExploredMatrix* matrixOf(const QString& layer);

    int m_number = 0;
    QList<ExploredMatrix> m_matrices;
    QString m_status;
    QString m_message;
    double m_seconds = 0;
};

}  // namespace cospadi::ui
