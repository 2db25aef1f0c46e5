// What the desktop is told at the end of a run, heard by a notification service of our own on a
// session bus of our own (dbus-run-session).
#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QtTest>

#include "tests/registered_test.h"
#include "ui/base/desktop_notification.h"

namespace tst_desktop_notification {

using namespace cospadi::ui;

class NotificationService : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

  public:
    QString title;
    QString text;
    int heard = 0;

  public slots:
    // As the Desktop Notifications Specification 1.2 has it: susssasa{sv}i → u.
    uint Notify(const QString& program, uint replaces, const QString& icon, const QString& summary,
                const QString& body, const QStringList& actions, const QVariantMap& hints,
                int milliseconds) {
        Q_UNUSED(program);
        Q_UNUSED(icon);
        Q_UNUSED(hints);
        title = summary;
        text = body;
        heard += replaces == 0 && actions.isEmpty() && milliseconds == -1 ? 1 : 0;
        return 1;
    }
};

class TestDesktopNotification : public QObject {
    Q_OBJECT

  private slots:
    void isHeardByTheService() {
        QDBusConnection bus = QDBusConnection::connectToBus(QDBusConnection::SessionBus, "service");
        if (!bus.isConnected()) {
            QSKIP("no session bus (Debian: apt-get install dbus-daemon)");
        }
        NotificationService service;
        QVERIFY(bus.registerObject("/org/freedesktop/Notifications", &service,
                                   QDBusConnection::ExportAllSlots));
        QVERIFY(bus.registerService("org.freedesktop.Notifications"));
        QVERIFY(notifyDesktop("The run is finished", "14 of 14 matrices"));
        QTRY_COMPARE(service.heard, 1);
        QCOMPARE(service.title, "The run is finished");
        QCOMPARE(service.text, "14 of 14 matrices");
    }

    void withoutABusNothingHappens() {
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
        qputenv("XDG_RUNTIME_DIR", "/nowhere");
        QVERIFY(!notifyDesktop("title", "text"));
    }
};

COSPADI_TEST(TestDesktopNotification)

}  // namespace tst_desktop_notification

#include "tst_desktop_notification.moc"
