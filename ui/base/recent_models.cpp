#include "ui/base/recent_models.h"

#include <QFileInfo>
#include <QSettings>

namespace cospadi::ui {

namespace {

constexpr int kMostRecent = 8;
const QLatin1String kRecentModels("models/recent");

}  // namespace

QStringList recentModels() {
    QStringList recent = QSettings().value(kRecentModels).toStringList();
    recent.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return recent;
}

void rememberModel(const QString& path) {
    QStringList recent = recentModels();
    recent.removeAll(path);
    recent.prepend(path);
    QSettings().setValue(kRecentModels, QStringList(recent.mid(0, kMostRecent)));
}

}  // namespace cospadi::ui
