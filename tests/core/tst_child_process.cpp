// Child processes: what they say and how they end, of themselves, stopped, or with their parent.
#include <sys/wait.h>

#include <QtTest>
#include <array>
#include <csignal>
#include <fstream>

#include "core/base/child_process.h"
#include "tests/registered_test.h"

namespace tst_child_process {

using namespace cospadi;

namespace {

// Whether a process is there and is no zombie.
bool isRunning(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(status, text);
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
}

}  // namespace

class TestChildProcess : public QObject {
    Q_OBJECT

  private slots:
    void childSpeaksAndEnds() {
        std::string said;
        const auto take = [&](std::string_view text) { said += text; };
        QCOMPARE(runChild({{"sh", "-c", "echo $WORD; echo error >&2; exit 3"}, {{"WORD", "hello"}}},
                          take)
                     .exitCode,
                 3);
        QCOMPARE(said, std::string("hello\nerror\n"));
        QCOMPARE(runChild({{"sh", "-c", "kill -KILL $$"}, {}}, take).exitCode, 128 + SIGKILL);
        QCOMPARE(runChild({{"/nowhere/at/all"}, {}}, take).exitCode, 127);
    }

    // Also one that ignores SIGTERM's beginning, and what it has started itself.
    void childIsStopped() {
        std::stop_source source;
        std::string said;
        const ChildOutcome outcome = runChild(
            {{"sh", "-c", "sleep 1000 & echo $!; wait"}, {}},
            [&](std::string_view text) {
                said += text;
                source.request_stop();  // once it is known to run
            },
            source.get_token());
        QVERIFY(outcome.stopped);
        QTRY_VERIFY(!isRunning(std::stoi(said)));
    }

    // kill −9 of the program itself.
    void childDiesWithItsParent() {
        std::array<int, 2> report{};
        QCOMPARE(pipe(report.data()), 0);
        const pid_t parent = fork();
        if (parent == 0) {
            runChild({{"sh", "-c", "echo $$; exec sleep 1000"}, {}}, [&](std::string_view text) {
                [[maybe_unused]] auto written = write(report[1], text.data(), text.size());
            });
            _exit(0);
        }
        std::array<char, 32> text{};
        QVERIFY(read(report[0], text.data(), text.size() - 1) > 0);
        const pid_t child = std::atoi(text.data());
        QVERIFY(isRunning(child));
        kill(parent, SIGKILL);
        waitpid(parent, nullptr, 0);
        QTRY_VERIFY(!isRunning(child));
        close(report[0]);
        close(report[1]);
    }
};

COSPADI_TEST(TestChildProcess)

}  // namespace tst_child_process

#include "tst_child_process.moc"
