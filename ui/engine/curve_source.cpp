#include "ui/engine/curve_source.h"

#include <QJsonDocument>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "ui/engine/matrix_lab.h"

namespace cospadi::ui {

CurveSource::CurveSource(EngineClient* engine, QObject* parent)
    : QObject(parent), m_engine(engine) {}

void CurveSource::measure(const RunSpecification& specification) {
    if (m_request != nullptr) {
        m_request->disconnect(this);
    }
    m_specification = specification;
    m_request = m_engine->request(QStringLiteral("model_curves"),
                                  {{QStringLiteral("specification"), jsonOf(specification)}},
                                  QStringLiteral("model_curves_finished"));
    connect(m_request, &EngineReply::progressed, this, &CurveSource::takeEvent);
    connect(m_request, &EngineReply::finished, this, [this](const QJsonObject& event) {
        if (event.value(QStringLiteral("status")).toString() == QLatin1String("failed")) {
            emit failed({event.value(QStringLiteral("message")).toString(), {}, {}});
        } else {
            emit ended();
        }
        emit changed();
    });
    connect(m_request, &EngineReply::failed, this, [this](const EngineError& error) {
        emit failed(error);
        emit changed();
    });
    emit changed();
}

void CurveSource::stop() {
    if (isMeasuring()) {
        m_engine->request(QStringLiteral("stop_model_curves"));
    }
}

void CurveSource::takeEvent(const QJsonObject& event) {
    const QString kind = event.value(QStringLiteral("event")).toString();
    if (kind == QLatin1String("progress")) {
        const double total = event.value(QStringLiteral("total")).toDouble();
        emit progressed(event.value(QStringLiteral("stage")).toString(),
                        total > 0 ? event.value(QStringLiteral("done")).toDouble() / total : 0,
                        event.value(QStringLiteral("eta_seconds")).toDouble(-1));
    } else if (kind == QLatin1String("model_curves")) {
        const QByteArray text =
            QJsonDocument(event.value(QStringLiteral("curves")).toObject()).toJson();
        try {
            emit arrived(modelCurvesFromJson(nlohmann::json::parse(text.toStdString())));
        } catch (const Error& error) {
            emit failed(asEngineError(error));
        }
    }
}

}  // namespace cospadi::ui
