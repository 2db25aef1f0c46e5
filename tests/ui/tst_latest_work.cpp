// Work in the background of which only the latest question counts.
#include <QSemaphore>
#include <QStringList>
#include <QThread>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <memory>

#include "tests/registered_test.h"
#include "ui/base/latest_work.h"

namespace tst_latest_work {

using namespace cospadi;
using namespace cospadi::ui;

namespace {

// Questions that are worked on until the test lets them go. Shared with pool threads.
struct Gate {
    QSemaphore begun;
    QSemaphore release;
    std::atomic<int> atWork = 0;
    std::atomic<int> mostAtWork = 0;
    std::atomic<int> works = 0;

    int pass(int answer) {
        const int now = ++atWork;
        mostAtWork = std::max(mostAtWork.load(), now);
        ++works;
        begun.release();
        release.acquire();
        --atWork;
        return answer;
    }
};

}  // namespace

class TestLatestWork : public QObject {
    Q_OBJECT

    std::shared_ptr<Gate> m_gate;
    std::unique_ptr<LatestWork> m_work;
    QStringList m_told;

    void ask(int question) {
        m_work->ask(
            [gate = m_gate, question] { return gate->pass(question); },
            [this](int answer) { m_told << QString::number(answer); },
            [this](const Error& error) { m_told << QString::fromStdString(error.problem()); });
    }
    void askInVain(int question) {
        m_work->ask(
            [gate = m_gate, question]() -> int {
                gate->pass(question);
                throw Error("no " + std::to_string(question), "here", "");
            },
            [this](int answer) { m_told << QString::number(answer); },
            [this](const Error& error) { m_told << QString::fromStdString(error.problem()); });
    }
    // Until the pool has nothing of ours and what it said has been heard.
    static void settle() {
        QVERIFY(QThreadPool::globalInstance()->waitForDone(20'000));
        QCoreApplication::processEvents();
    }

  private slots:
    void init() {
        m_gate = std::make_shared<Gate>();
        m_work = std::make_unique<LatestWork>();
        m_told.clear();
    }
    void cleanup() {
        m_gate->release.release(100);
        settle();
        m_work.reset();
    }

    void onlyTheLatestIsAnswered() {
        for (int question = 1; question <= 50; ++question) {
            ask(question);  // returns though nobody opens the gate
        }
        QVERIFY(m_work->isBusy());
        QVERIFY(m_gate->begun.tryAcquire(1, 20'000));
        QCOMPARE(m_told, QStringList());
        m_gate->release.release(100);
        QTRY_COMPARE(m_told, QStringList{"50"});
        QVERIFY(!m_work->isBusy());
        QCOMPARE(m_gate->works.load(), 2);  // the first, and the one that waited last
        QCOMPARE(m_gate->mostAtWork.load(), 1);
        settle();
        QCOMPARE(m_told, QStringList{"50"});
    }

    void everyAnswerThatIsAwaitedComes() {
        m_gate->release.release(100);
        for (int question = 1; question <= 3; ++question) {
            ask(question);
            QTRY_COMPARE(m_told.size(), question);
        }
        QCOMPARE(m_told, (QStringList{"1", "2", "3"}));
    }

    void errorsAreAnswersToo() {
        askInVain(1);
        QVERIFY(m_gate->begun.tryAcquire(1, 20'000));
        askInVain(2);
        m_gate->release.release(100);
        QTRY_COMPARE(m_told, QStringList{"no 2"});
        ask(3);
        QTRY_COMPARE(m_told, (QStringList{"no 2", "3"}));
    }

    void anOutdatedErrorIsDropped() {
        askInVain(1);
        QVERIFY(m_gate->begun.tryAcquire(1, 20'000));
        ask(2);
        m_gate->release.release(100);
        QTRY_COMPARE(m_told, QStringList{"2"});
    }

    void whatIsForgottenIsNotAnswered() {
        ask(1);
        QVERIFY(m_gate->begun.tryAcquire(1, 20'000));
        ask(2);
        m_work->forget();
        QVERIFY(!m_work->isBusy());
        m_gate->release.release(100);
        settle();
        QCOMPARE(m_told, QStringList());
        QCOMPARE(m_gate->works.load(), 1);  // the second was never begun
        ask(3);
        QTRY_COMPARE(m_told, QStringList{"3"});
    }

    void anAnswerMayAskAgain() {
        m_gate->release.release(100);
        m_work->ask([gate = m_gate] { return gate->pass(1); },
                    [this](int) {
                        QVERIFY(!m_work->isBusy());
                        QCOMPARE(QThread::currentThread(), thread());
                        ask(2);
                    },
                    [](const Error&) {});
        QTRY_COMPARE(m_told, QStringList{"2"});
    }

    void nobodyIsAnsweredWhereItIsGone() {
        ask(1);
        QVERIFY(m_gate->begun.tryAcquire(1, 20'000));
        ask(2);
        m_work.reset();
        m_gate->release.release(100);
        settle();
        QCOMPARE(m_told, QStringList());
        QCOMPARE(m_gate->works.load(), 1);
    }
};

COSPADI_TEST(TestLatestWork)

}  // namespace tst_latest_work

#include "tst_latest_work.moc"
