// The models that were opened, in the user's settings (models/recent): files and folders, the
// latest first. GUI thread only.
#pragma once

#include <QString>
#include <QStringList>

namespace cospadi::ui {

QStringList recentModels();  // those that are still there
void rememberModel(const QString& path);

}  // namespace cospadi::ui
