#include "ui/base/desktop_notification.h"

#include <QCoreApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QFileInfo>
#include <QVariantMap>

namespace cospadi::ui {

namespace {

// Asking for a bus that is not there would start one.
bool isBusThere() {
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
           QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

}  // namespace

bool notifyDesktop(const QString& title, const QString& text) {
    if (!isBusThere()) {
        return false;
    }
    const QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) {
        return false;
    }
    QDBusMessage message = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.Notifications"),
        QStringLiteral("/org/freedesktop/Notifications"),
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
    const QString program = QCoreApplication::applicationName();
    constexpr uint kNew = 0;
    constexpr int kAsTheServiceLikes = -1;  // milliseconds on the screen
    message.setArguments({program, kNew, QStringLiteral("cospadi-workbench"), title, text,
                          QStringList{}, QVariantMap{}, kAsTheServiceLikes});
    return bus.send(message);
}

}  // namespace cospadi::ui
