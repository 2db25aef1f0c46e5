#include "ui/engine/perplexity_measurement.h"

#include <algorithm>
#include <utility>

#include "core/base/resources.h"

namespace cospadi::ui {

namespace {

const QLatin1String kPerplexityJob("perplexity");

}  // namespace

PerplexityMeasurement::PerplexityMeasurement(EngineClient* engine, QObject* parent)
    : QObject(parent), m_engine(engine) {}

int PerplexityMeasurement::count() const {
    return m_ended + (isActive() ? 1 : 0) + static_cast<int>(m_waiting.size());
}

void PerplexityMeasurement::start(const QStringList& directories, int tokens, const QString& text) {
    const QString path = QString::fromStdString(namedText(text.toStdString()).string());
    for (const QString& directory : directories) {
        const bool waits =
            std::any_of(m_waiting.begin(), m_waiting.end(), [&](const Wanted& wanted) {
                return wanted.directory == directory && wanted.text == path;
            });
        if ((directory != m_current || path != m_currentText) && !waits) {
            m_waiting.append({directory, path, tokens});
        }
    }
    if (!isActive()) {
        startNext();
    }
}

void PerplexityMeasurement::startNext() {
    if (m_waiting.isEmpty()) {
        return;
    }
    const Wanted next = m_waiting.takeFirst();
    m_current = next.directory;
    m_currentText = next.text;
    m_cancelling = false;
    const EngineReply* reply = m_engine->request(
        QStringLiteral("evaluate"), {{QStringLiteral("job"), kPerplexityJob},
                                     {QStringLiteral("model"), next.directory},
                                     {QStringLiteral("text"), next.text},
                                     {QStringLiteral("context"), kContext},
                                     {QStringLiteral("max_tokens"), next.tokens},
                                     {QStringLiteral("score"), QStringLiteral("all")}});
    connect(reply, &EngineReply::progressed, this, [this](const QJsonObject& event) {
        if (event.value(QStringLiteral("stage")).toString() == QLatin1String("perplexity")) {
            emit progressed(event.value(QStringLiteral("done")).toInteger(),
                            event.value(QStringLiteral("total")).toInteger());
        }
    });
    connect(reply, &EngineReply::finished, this, [this](const QJsonObject& result) {
        ++m_measured;
        // What no number can hold arrives as null.
        const double perplexity = result.value(QStringLiteral("perplexity")).toDouble(qQNaN());
        emit measured(m_current, perplexity, result.value(QStringLiteral("warning")).toString());
        endCurrent();
    });
    connect(reply, &EngineReply::failed, this, &PerplexityMeasurement::takeFailure);
    emit changed();
}

void PerplexityMeasurement::takeFailure(const EngineError& error) {
    if (error.engineIsGone) {
        m_waiting.clear();  // what ended it may end the next, too
    }
    if (!m_cancelling || error.engineIsGone) {
        emit failed(m_current, error);
    }
    endCurrent();
}

void PerplexityMeasurement::endCurrent() {
    ++m_ended;
    m_current.clear();
    if (!m_waiting.isEmpty()) {
        startNext();
        return;
    }
    m_ended = 0;
    emit ended(std::exchange(m_measured, 0));
    emit changed();
}

void PerplexityMeasurement::cancel() {
    m_waiting.clear();
    if (isActive() && !m_cancelling) {
        m_cancelling = true;
        m_engine->request(QStringLiteral("cancel"), {{QStringLiteral("run"), kPerplexityJob}});
    }
}

}  // namespace cospadi::ui
