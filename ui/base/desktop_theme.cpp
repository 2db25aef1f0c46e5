#include "ui/base/desktop_theme.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
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
                     SLOT(takeChange(QString, QString, QDBusVariant)));
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

void DesktopTheme::takeChange(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group == kAppearance && key == kColourScheme) {
        take(value.variant());
    }
}

// Read() wraps the value twice, the signal once.
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
