#include "ui/engine/run_history.h"

#include <QFile>
#include <QJsonDocument>

namespace cospadi::ui {

RunTrace readRunHistory(const QString& directory) {
    RunTrace trace;
    QFile file(directory + QStringLiteral("/events.jsonl"));
    if (!file.open(QIODevice::ReadOnly)) {
        return trace;
    }
    while (!file.atEnd()) {
        const QJsonDocument line = QJsonDocument::fromJson(file.readLine().trimmed());
        if (line.isObject()) {
            trace.apply(line.object());
        }
    }
    return trace;
}

}  // namespace cospadi::ui
