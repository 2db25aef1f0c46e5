#include "ui/base/desktop_theme.h"

#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QSettings>
#include <utility>

#include "ui/base/desktop_bus.h"

namespace cospadi::ui {

namespace {

const QString kPortal = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kPortalSettings = QStringLiteral("org.freedesktop.portal.Settings");
const QString kAppearance = QStringLiteral("org.freedesktop.appearance");
const QString kColourScheme = QStringLiteral("color-scheme");
const QString kKnownLast = QStringLiteral("window/desktopDark");
constexpr uint kPrefersDark = 1;  // 2: prefers light, 0: says nothing

}  // namespace

DesktopTheme::DesktopTheme(bool palettesIsDark, QObject* parent)
    : QObject(parent), m_dark(palettesIsDark) {
    if (std::optional<QDBusConnection> bus = desktopBus()) {
        m_dark = QSettings().value(kKnownLast, palettesIsDark).toBool();
        bus->connect(kPortal, kPortalPath, kPortalSettings, QStringLiteral("SettingChanged"), this,
                     SLOT(takeChange(QDBusMessage)));
        ask();
    }
}

void DesktopTheme::ask() {
    QDBusMessage question = QDBusMessage::createMethodCall(kPortal, kPortalPath, kPortalSettings,
                                                           QStringLiteral("Read"));
    question.setArguments({kAppearance, kColourScheme});
    auto* answer = new QDBusPendingCallWatcher(desktopBus()->asyncCall(question), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        const QDBusPendingReply<QDBusVariant> reply = *answer;
        if (!reply.isError()) {  // else no portal serves it
            take(reply.value().variant());
        }
        answer->deleteLater();
    });
}

void DesktopTheme::takeChange(const QDBusMessage& message) {
    const QVariantList told = message.arguments();
    if (told.size() == 3 && told[0] == kAppearance && told[1] == kColourScheme) {
        take(told[2]);
    }
}

// In a variant, or two of them, as Read() wraps it.
void DesktopTheme::take(const QVariant& value) {
    if (value.metaType() == QMetaType::fromType<QDBusVariant>()) {
        take(value.value<QDBusVariant>().variant());
        return;
    }
    const bool dark = value.toUInt() == kPrefersDark;
    QSettings().setValue(kKnownLast, dark);
    if (std::exchange(m_dark, dark) != dark) {
        emit changed(dark);
    }
}

}  // namespace cospadi::ui
