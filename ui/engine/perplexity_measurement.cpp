#include "ui/engine/perplexity_measurement.h"

#include "ui/sources/run_catalog.h"

namespace cospadi::ui {

PerplexityMeasurement::PerplexityMeasurement(EngineClient* engine, QObject* parent)
    : QObject(parent), m_engine(engine) {}

void PerplexityMeasurement::start(const QString& directory, int tokens) {
    const EngineReply* reply = m_engine->request(
        QStringLiteral("evaluate"), {{QStringLiteral("model"), directory},
                                     {QStringLiteral("text"), perplexityText()},
                                     {QStringLiteral("context"), kContext},
                                     {QStringLiteral("max_tokens"), tokens},
                                     {QStringLiteral("score"), QStringLiteral("all")}});
    ++m_open;
    connect(reply, &EngineReply::progressed, this, [this](const QJsonObject& event) {
        if (event.value(QStringLiteral("stage")).toString() == QLatin1String("perplexity")) {
            emit progressed(event.value(QStringLiteral("done")).toInteger(),
                            event.value(QStringLiteral("total")).toInteger());
        }
    });
    connect(reply, &EngineReply::finished, this, [this](const QJsonObject& result) {
        --m_open;
        emit measured(result.value(QStringLiteral("perplexity")).toDouble());
        emit changed();
    });
    connect(reply, &EngineReply::failed, this, [this](const EngineError& error) {
        --m_open;
        emit failed(error);
        emit changed();
    });
    emit changed();
}

}  // namespace cospadi::ui
