#include "ui/engine_label.h"

#include "ui/base/format.h"
#include "ui/engine/engine_client.h"

namespace cospadi::ui {

EngineLabel::EngineLabel(EngineClient* engine, QWidget* parent) : QLabel(parent) {
    showAtRest();
    connect(engine, &EngineClient::ready, this,
            [this](const QString& version, const QString& device, int cores) {
                m_words = tr("engine %1 · %2 · %n core(s)", nullptr, cores).arg(version, device);
                setText(m_words);
            });
    connect(engine, &EngineClient::died, this, [this] { setText(tr("engine: not running")); });
    connect(engine, &EngineClient::eventReceived, this, &EngineLabel::takeEvent);
}

void EngineLabel::showAtRest() { setText(tr("engine: starts when needed")); }

void EngineLabel::takeEvent(const QJsonObject& event) {
    const QString kind = event.value(QStringLiteral("event")).toString();
    if (kind == QLatin1String("device")) {
        showDevice(event);
    } else if (kind == QLatin1String("run_finished")) {
        setText(m_words);  // what the device did has passed
    }
}

void EngineLabel::showDevice(const QJsonObject& event) {
    const QString used = formatBytes(event.value(QStringLiteral("used_bytes")).toDouble());
    const QString total = formatBytes(event.value(QStringLiteral("total_bytes")).toDouble());
    const QJsonValue load = event.value(QStringLiteral("load"));
    const QString words =
        load.isDouble() ? tr("%1 of %2, %3 busy").arg(used, total, formatPercent(load.toDouble()))
                        : tr("%1 of %2").arg(used, total);
    setText(m_words + QStringLiteral(" · ") + words);
    setToolTip(tr("Device memory in use by all processes, and its recent load"));
}

}  // namespace cospadi::ui
