#include "ui/engine/engine_reply.h"

namespace cospadi::ui {

EngineError asEngineError(const Error& error) {
    return {QString::fromStdString(error.problem()), QString::fromStdString(error.where()),
            QString::fromStdString(error.hint())};
}

EngineReply::EngineReply(int id, const QString& lastEvent, QObject* parent)
    : QObject(parent), m_id(id), m_lastEvent(lastEvent) {}

bool EngineReply::completesWith(const QJsonObject& event) const {
    return !m_lastEvent.isEmpty() && event.value(QStringLiteral("event")).toString() == m_lastEvent;
}

void EngineReply::finish(const QJsonObject& result) {
    m_isOver = true;
    deleteLater();
    emit finished(result);
}

void EngineReply::fail(const EngineError& error) {
    m_isOver = true;
    deleteLater();
    emit failed(error);
}

}  // namespace cospadi::ui
