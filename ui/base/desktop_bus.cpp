#include "ui/base/desktop_bus.h"

#include <QFileInfo>

namespace cospadi::ui {

std::optional<QDBusConnection> desktopBus() {
    const bool isThere =
        qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
        QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
    if (!isThere) {
        return std::nullopt;
    }
    const QDBusConnection bus = QDBusConnection::sessionBus();
    return bus.isConnected() ? std::optional(bus) : std::nullopt;
}

}  // namespace cospadi::ui
