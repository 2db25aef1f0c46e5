// The theme follows the desktop's portal, which stands on a session bus of our own
// (dbus-run-session).
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/base/desktop_theme.h"

namespace tst_desktop_theme {

using namespace cospadi::ui;

// As org.freedesktop.portal.Settings, version 1: Read(ss) → v, which holds a variant.
class Portal : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")

  public:
    uint scheme = 0;
    int asked = 0;

    void change(uint to) {
        scheme = to;
        emit SettingChanged("org.freedesktop.appearance", "color-scheme",
                            QDBusVariant(QVariant(scheme)));
    }

  public slots:
    QDBusVariant Read(const QString& group, const QString& key) {
        ++asked;
        const bool known = group == "org.freedesktop.appearance" && key == "color-scheme";
        return QDBusVariant(QVariant::fromValue(QDBusVariant(QVariant(known ? scheme : 0u))));
    }

  signals:
    void SettingChanged(const QString& group, const QString& key, const QDBusVariant& value);
};

class TestDesktopTheme : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

  private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName("cospadi-test");
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
    }

    void followsThePortal() {
        QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, "portal");
        if (!bus.isConnected()) {
            QSKIP("no session bus (Debian: apt-get install dbus-daemon)");
        }
        Portal portal;
        portal.scheme = 1;
        QVERIFY(bus.registerObject(
            "/org/freedesktop/portal/desktop", &portal,
            QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
        QVERIFY(bus.registerService("org.freedesktop.portal.Desktop"));
        DesktopTheme desktop(false);
        QSignalSpy changed(&desktop, &DesktopTheme::changed);
        QVERIFY(!desktop.isDark());  // it waits for nobody
        QTRY_VERIFY(desktop.isDark());
        QCOMPARE(portal.asked, 1);
        QCOMPARE(changed.count(), 1);
        portal.change(2);
        QTRY_VERIFY(!desktop.isDark());
        portal.change(1);
        QTRY_VERIFY(desktop.isDark());
        QCOMPARE(changed.count(), 3);
        // The next window begins as the last one was.
        QVERIFY(DesktopTheme(false).isDark());
        portal.change(0);  // says nothing: light
        QTRY_VERIFY(!desktop.isDark());
    }

    void withoutABusThePaletteCounts() {
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
        qputenv("XDG_RUNTIME_DIR", "/nowhere");
        QVERIFY(DesktopTheme(true).isDark());
        QVERIFY(!DesktopTheme(false).isDark());
    }
};

COSPADI_TEST(TestDesktopTheme)

}  // namespace tst_desktop_theme

#include "tst_desktop_theme.moc"
