// Looks at single matrices through the engine: portraits, interactive ablations, and the
// calibration that whitening needs. Only the latest request of a kind counts; what comes for an
// older one is dropped. exploreChanged() comes at ≤ 30 Hz.
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include "ui/engine/engine_client.h"
#include "ui/engine/explore_trace.h"

namespace cospadi {
struct RunSpecification;
}

namespace cospadi::ui {

QJsonObject jsonOf(const RunSpecification& specification);

class MatrixLab : public QObject {
    Q_OBJECT

  public:
    explicit MatrixLab(EngineClient* engine, QObject* parent = nullptr);

    // model and calibration of the specification count.
    void requestPortrait(const RunSpecification& specification, const QString& layer);
    void explore(const RunSpecification& specification, const QStringList& layers,
                 const QList<double>& rhos, const QList<double>& crs);
    void stopExploring();
    void calibrate(const RunSpecification& specification);

    bool isExploring() const { return EngineReply::isOpen(m_exploration); }
    bool isCalibrating() const { return EngineReply::isOpen(m_calibration); }
    const ExploreTrace& trace() const { return m_trace; }

  signals:
    void engineStarted();  // again: what failed with the one before may be asked anew
    void portraitReady(const cospadi::ui::MatrixPortraitData& portrait);
    void portraitFailed(const cospadi::ui::EngineError& error);
    void exploreChanged();
    void exploreFailed(const cospadi::ui::EngineError& error);
    void calibrationProgress(int done, int total, double etaSeconds);
    void calibrationStarted();
    void calibrated();
    void calibrationFailed(const cospadi::ui::EngineError& error);

  private:
    // From now on what comes for the request before is dropped.
    void follow(QPointer<EngineReply>& latest, EngineReply* reply);
    void takeExploreEvent(const QJsonObject& event);
    void takeExploreEnd(const QJsonObject& event);

    EngineClient* m_engine;
    ExploreTrace m_trace;
    QTimer m_redraw;
    QPointer<EngineReply> m_portrait;  // the latest of its kind, as the next two
    QPointer<EngineReply> m_exploration;
    QPointer<EngineReply> m_calibration;
};

}  // namespace cospadi::ui
