#include "ui/engine/run_history.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include "core/base/error.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

RunHistory readRunHistory(const QString& directory) {
    const auto damaged = [](const QString& what, const QString& where) {
        return Error(what.toStdString(), where.toStdString(), {});
    };
    RunHistory history;
    const QString path = directory + QStringLiteral("/events.jsonl");
    if (!QFileInfo::exists(path)) {
        if (!QFileInfo(directory).isDir()) {
            throw damaged(Words::tr("its folder no longer exists"), directory);
        }
        return history;
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        throw damaged(Words::tr("its events cannot be read"), path);
    }
    bool isEvent = file.size() == 0;
    while (!file.atEnd()) {
        const QJsonDocument line = QJsonDocument::fromJson(file.readLine().trimmed());
        if (line.isObject()) {
            isEvent = true;
            history.trace.apply(line.object());
            if (const QString words = RunTrace::logLine(line.object()); !words.isEmpty()) {
                history.log << words;
            }
        }
    }
    if (!isEvent) {
        throw damaged(Words::tr("its events cannot be read"), path);
    }
    return history;
}

}  // namespace cospadi::ui
