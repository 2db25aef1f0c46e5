// What is known of one matrix from the engine's `portrait` and `explore` requests
// (docs/formats.md). Plain values without signals.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QMap>
#include <QPointF>
#include <QString>

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
    double cr = 0, rho = 0;
    qint64 k = 0, s = 0;
    int iteration = 0;
    double error = -1;  // negative while unknown
    double bytes = 0;
    bool settled = false;  // of stored factors
    bool last = false;     // nothing better comes
};

struct ExploreReference {
    double cr = 0;
    qint64 rank = 0;
    double error = 0;
    double bytes = 0;
};

class ExploreTrace {
  public:
    void begin(const QJsonObject& reply);
    void apply(const QJsonObject& event);

    int number() const { return m_number; }  // 0 before the first
    const QString& layer() const { return m_layer; }
    bool isWhitened() const { return m_whitened; }
    const QString& gramAbsence() const { return m_gramAbsence; }
    const QList<QPointF>& iterations() const { return m_iterations; }  // (iteration, error)
    const ExploreValue& here() const { return m_here; }
    const QMap<double, ExploreValue>& byRho() const { return m_byRho; }
    const QMap<double, ExploreValue>& byCr() const { return m_byCr; }
    const QList<ExploreReference>& reference() const { return m_reference; }
    // The low-rank method at a CR; negative while unknown.
    double referenceError(double cr) const;
    const QString& status() const { return m_status; }  // empty while it goes on
    const QString& message() const { return m_message; }
    double seconds() const { return m_seconds; }

  private:
    int m_number = 0;
    QString m_layer;
    bool m_whitened = false;
    QString m_gramAbsence;
    QList<QPointF> m_iterations;
    ExploreValue m_here;
    QMap<double, ExploreValue> m_byRho;
    QMap<double, ExploreValue> m_byCr;
    QList<ExploreReference> m_reference;
    QString m_status;
    QString m_message;
    double m_seconds = 0;
};

}  // namespace cospadi::ui
