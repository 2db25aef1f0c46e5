// The curves of the whole model, from the engine's request `model_curves` (docs/formats.md): the
// best estimate there is, as it gets better. Only the latest request counts; what comes for an
// older one is dropped. What the engine has measured it keeps, so that asking again costs little.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <optional>

#include "core/allocation/model_curves.h"
#include "core/store/run_specification.h"
#include "ui/engine/engine_client.h"

namespace cospadi::ui {

class CurveSource : public QObject {
    Q_OBJECT

  public:
    explicit CurveSource(EngineClient* engine, QObject* parent = nullptr);

    // Of all layers that the specification names; its CR does not count.
    void measure(const RunSpecification& specification);
    void stop();

    bool isMeasuring() const { return EngineReply::isOpen(m_request); }
    // That the latest curves belong to.
    const RunSpecification& specification() const { return m_specification; }

  signals:
    void changed();  // of isMeasuring()
    void arrived(const cospadi::ModelCurves& curves);
    void progressed(const QString& stage, double share, double etaSeconds);  // eta < 0: unknown
    void ended();                                                            // finished or stopped
    void failed(const cospadi::ui::EngineError& error);

  private:
    void takeEvent(const QJsonObject& event);

    EngineClient* m_engine;
    QPointer<EngineReply> m_request;  // the latest
    RunSpecification m_specification;
};

}  // namespace cospadi::ui
