#include "ui/engine/run_history.h"

#include <QFile>
#include <QJsonDocument>

namespace cospadi::ui {

RunHistory readRunHistory(const QString& directory) {
    RunHistory history;
    QFile file(directory + QStringLiteral("/events.jsonl"));
    if (!file.open(QIODevice::ReadOnly)) {
        return history;
    }
    while (!file.atEnd()) {
        const QJsonDocument line = QJsonDocument::fromJson(file.readLine().trimmed());
        if (line.isObject()) {
            history.trace.apply(line.object());
            if (const QString words = RunTrace::logLine(line.object()); !words.isEmpty()) {
                history.log << words;
            }
        }
    }
    return history;
}

}  // namespace cospadi::ui
