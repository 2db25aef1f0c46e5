// The session bus of the desktop, where there is one. Asking Qt for one that is not there would
// start it.
#pragma once

#include <QDBusConnection>
#include <optional>

namespace cospadi::ui {

std::optional<QDBusConnection> desktopBus();

}  // namespace cospadi::ui
