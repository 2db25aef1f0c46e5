// A second start with the same runs and settings finds the first window and hands its words over;
// others have a window of their own, and one that was killed leaves nobody out.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QTabWidget>
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/registered_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/first_window.h"
#include "ui/pages/monitor/run_bar.h"

namespace tst_second_start {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// Asks from another thread, as another process would, while this one's events go on.
bool handOver(const QString& runs, const StartWords& words) {
    bool taken = false;
    std::atomic<bool> done = false;
    std::thread other([&] {
        taken = FirstWindow::handOver(runs, words);
        done = true;
    });
    while (!done) {
        QTest::qWait(1);
    }
    other.join();
    return taken;
}

}  // namespace

class TestSecondStart : public QObject, WindowFixture {
    Q_OBJECT

    QString runs() const { return m_home.filePath("data/cospadi/runs"); }

  private slots:
    void initTestCase() { makeHome(); }
    void init() { openOne(); }
    void cleanup() { forgetEverything(); }

    void aSecondStartFindsTheFirstWindow() {
        const StartWords words{modelThatReads(), "plan", {}};
        QVERIFY(!handOver(runs(), words));  // nobody is there
        FirstWindow first(runs());
        QVERIFY(first.listen());
        connect(&first, &FirstWindow::handed, m_window.get(), &MainWindow::takeWords);
        m_window->showMinimized();
        QSignalSpy loaded(m_window.get(), &MainWindow::modelLoaded);
        QVERIFY(handOver(runs(), words));
        QTRY_COMPARE(loaded.count(), 1);
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QVERIFY(!m_window->isMinimized());
        QVERIFY(m_window->pages().runBar->command().contains(words.model));
        // Without words nothing changes but that it comes to the front.
        QVERIFY(handOver(runs(), {}));
        QCOMPARE(m_window->pages().tabs->currentWidget(), m_window->pages().plan);
        QCOMPARE(loaded.count(), 1);
    }

    void otherSettingsOrRunsHaveAWindowOfTheirOwn() {
        FirstWindow first(runs());
        QVERIFY(first.listen());
        QVERIFY(!handOver(m_home.filePath("other/runs"), {}));
        FirstWindow other(m_home.filePath("other/runs"));
        QVERIFY(other.listen());
        const QString here = FirstWindow::serverName(runs());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                           m_home.filePath("other-settings"));
        const QString there = FirstWindow::serverName(runs());
        const bool found = handOver(runs(), {});
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_home.path());
        QVERIFY(here != there);
        QVERIFY(!found);
        // The same settings and runs have one.
        FirstWindow third(runs());
        QVERIFY(!third.listen());
    }

    void aKilledWindowLeavesNobodyOut() {
        // As a process that is killed leaves it: the file of the socket without a listener.
        const QByteArray path = QDir::temp().filePath(FirstWindow::serverName(runs())).toUtf8();
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        QVERIFY(path.size() < qsizetype(sizeof(address.sun_path)));
        std::copy(path.begin(), path.end(), address.sun_path);
        const int killed = ::socket(AF_UNIX, SOCK_STREAM, 0);
        QCOMPARE(::bind(killed, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        ::close(killed);
        QVERIFY(QFile::exists(path));
        QVERIFY(!handOver(runs(), {}));
        FirstWindow next(runs());
        QVERIFY(next.listen());
        QVERIFY(handOver(runs(), {}));
    }
};

COSPADI_TEST(TestSecondStart)

}  // namespace tst_second_start

#include "tst_second_start.moc"
