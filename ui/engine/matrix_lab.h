// Looks at single matrices through the engine: portraits, interactive ablations, and the
// calibration that whitening needs. Only the latest request of a kind counts; what comes for an
// older one is dropped. exploreChanged() comes at ≤ 30 Hz.
#pragma once

#include <QObject>
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

    bool isExploring() const { return m_exploreId != 0; }
    bool isCalibrating() const { return m_calibrateId != 0; }
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
    void takeReply(int id, const QJsonObject& result);
    void takeRefusal(int id, const EngineError& error);
    void takeEvent(const QJsonObject& event);
    void takeDeath(const EngineError& error);

    EngineClient* m_engine;
    ExploreTrace m_trace;
    QTimer m_redraw;
    int m_portraitId = 0;
    int m_exploreId = 0;
    bool m_awaited = false;  // the reply of the latest exploration
    int m_calibrateId = 0;
};

}  // namespace cospadi::ui
