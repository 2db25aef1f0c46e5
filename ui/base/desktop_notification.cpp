#include "ui/base/desktop_notification.h"

#include <QCoreApplication>
#include <QDBusMessage>
#include <QVariantMap>

#include "ui/base/desktop_bus.h"

namespace cospadi::ui {

bool notifyDesktop(const QString& title, const QString& text) {
    const std::optional<QDBusConnection> bus = desktopBus();
    if (!bus) {
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
    return bus->send(message);
}

}  // namespace cospadi::ui
