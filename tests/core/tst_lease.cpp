// Who is at work on a folder that machines share: one holder at a time, whoever asks at once; a
// holder that is gone, or gives no sign, is followed by exactly one other.
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QtTest>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <latch>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/cluster/job_calibrations.h"
#include "core/cluster/job_processes.h"
#include "core/cluster/lease.h"
#include "core/cluster/sweep_status.h"
#include "core/run/resolve_specification.h"
#include "tests/core/own_folder.h"
#include "tests/core/small_runs.h"
#include "tests/registered_test.h"

namespace tst_lease {

using namespace cospadi;
using namespace std::chrono_literals;
using nlohmann::json;
namespace fs = std::filesystem;

class TestLease : public QObject, OwnFolder {
    Q_OBJECT

    static constexpr double kLong = 1000;  // seconds: no age counts in a test

    static void put(const fs::path& file, const std::string& text) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    // An open attempt of this process, or as `change` makes it.
    static void putAttempt(const fs::path& folder, int number,
                           const std::function<void(ProcessIdentity&)>& change) {
        ProcessIdentity process = thisProcess();
        change(process);
        put(folder / ("attempt-000" + std::to_string(number) + ".json"),
            json{{"format", 1}, {"process", toJson(process)}, {"end", "open"}}.dump());
    }

    static void elsewhere(ProcessIdentity& process) {
        process.host = "node9";
        process.boot = "00000000-0000-0000-0000-000000000000";
    }

    static void age(const fs::path& file, std::chrono::seconds by) {
        fs::last_write_time(file, fs::last_write_time(file) - by);
    }

    // Of a process that has ended; nobody has it again so soon.
    static pid_t endedProcess() {
        const pid_t child = fork();
        if (child == 0) {
            _exit(0);
        }
        waitpid(child, nullptr, 0);
        return child;
    }

    // Of a process that holds these leases until it is asked to end.
    static pid_t holderOf(const std::vector<fs::path>& folders) {
        const pid_t child = fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            std::signal(SIGTERM, SIG_DFL);
            std::vector<std::unique_ptr<Lease>> leases;
            for (const fs::path& folder : folders) {
                leases.push_back(Lease::tryTake(folder, kLong));
            }
            for (;;) {
                pause();
            }
        }
        const auto holds = [child](const fs::path& folder) {
            const auto attempt = newestAttempt(folder);
            return attempt && attempt->process.pid == child;
        };
        return QTest::qWaitFor([&] { return std::all_of(folders.begin(), folders.end(), holds); })
                   ? child
                   : 0;
    }

    static bool wasAskedToEnd(pid_t child) {
        int status = 0;
        return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
               WTERMSIG(status) == SIGTERM;
    }

  private slots:
    void oneHolderAtATime() {
        const fs::path folder = place("one/deep");
        QVERIFY(!newestAttempt(folder));
        auto lease = Lease::tryTake(folder, kLong);
        QVERIFY(lease && lease->isMine());
        QCOMPARE(lease->attempt(), 1);
        QVERIFY(!Lease::tryTake(folder, kLong));
        const auto open = newestAttempt(folder);
        QVERIFY(open && open->end == AttemptEnd::Open);
        QCOMPARE(open->process.pid, static_cast<std::int64_t>(getpid()));
        QVERIFY(isAlive(*open, kLong, timeOfFileSystem(folder)));
        lease->end(AttemptEnd::Failed, "the disk is full");
        lease.reset();
        const auto ended = newestAttempt(folder);
        QVERIFY(ended && ended->end == AttemptEnd::Failed);
        QCOMPARE(ended->reason, std::string("the disk is full"));
        QVERIFY(!isAlive(*ended, kLong, timeOfFileSystem(folder)));
        const auto next = Lease::tryTake(folder, kLong);
        QVERIFY(next);
        QCOMPARE(next->attempt(), 2);
        QVERIFY(fs::exists(folder / "attempt-0001.json"));
    }

    // Who looked before the work was done finds out when it asks for the lease: no second attempt.
    void doneMeanwhileIsNotBegunAgain() {
        const fs::path folder = place("done");
        bool isDone = false;
        const auto done = [&] { return isDone; };
        auto lease = Lease::tryTake(folder, kLong, done);
        QVERIFY(lease);
        isDone = true;
        lease->end(AttemptEnd::Done);
        lease.reset();
        QVERIFY(!Lease::tryTake(folder, kLong, done));
        QCOMPARE(newestAttempt(folder)->number, 1);
        isDone = false;  // it is gone again
        QVERIFY(Lease::tryTake(folder, kLong, done));
        QCOMPARE(newestAttempt(folder)->number, 2);
    }

    // A hundred times eight at once after one that is lost: one gets it, and none beside it.
    void exactlyOneTakesOver() {
        for (int round = 0; round < 100; ++round) {
            const fs::path folder = place("race-" + std::to_string(round));
            putAttempt(folder, 1, elsewhere);
            age(folder / "attempt-0001.json", 1h);
            std::latch start(8);
            std::vector<std::unique_ptr<Lease>> leases(8);
            std::vector<std::thread> threads;
            for (auto& lease : leases) {
                threads.emplace_back([&] {
                    start.arrive_and_wait();
                    lease = Lease::tryTake(folder, kLong);
                });
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            int held = 0;
            for (const auto& lease : leases) {
                held += lease ? 1 : 0;
                QVERIFY(!lease || lease->attempt() == 2);
            }
            QCOMPARE(held, 1);
        }
    }

    // Of another machine only the heartbeat tells.
    void ageDecidesOverOtherMachines() {
        const fs::path folder = place("age");
        putAttempt(folder, 1, elsewhere);
        QVERIFY(existenceOf(newestAttempt(folder)->process) == Existence::Unknown);
        QVERIFY(!Lease::tryTake(folder, 60));
        age(folder / "attempt-0001.json", 50s);
        QVERIFY(!Lease::tryTake(folder, 60));
        age(folder / "attempt-0001.json", 11s);
        const auto lease = Lease::tryTake(folder, 60);
        QVERIFY(lease);
        QCOMPARE(lease->attempt(), 2);
    }

    // A process of this machine that has ended is not waited for; nor is one whose number another
    // process has by now.
    void endedProcessesAreLostAtOnce() {
        const pid_t ended = endedProcess();
        for (const bool again : {false, true}) {
            const fs::path folder = place(again ? "number-again" : "ended");
            putAttempt(folder, 1, [&](ProcessIdentity& process) {
                process.pid = again ? process.pid : ended;
                process.started += again ? 1 : 0;
            });
            QVERIFY(existenceOf(newestAttempt(folder)->process) == Existence::Gone);
            QVERIFY(Lease::tryTake(folder, kLong));
        }
        QVERIFY(existenceOf(thisProcess()) == Existence::Runs);
        // In a container of its own a number says nothing here.
        ProcessIdentity contained = thisProcess();
        contained.pidNamespace = "pid:[1]";
        contained.pid = ended;
        QVERIFY(existenceOf(contained) == Existence::Unknown);
    }

    void theHeartBeats() {
        const fs::path folder = place("heart");
        const auto lease = Lease::tryTake(folder, 0.3);
        QVERIFY(lease);
        const fs::path file = folder / "attempt-0001.json";
        age(file, 1h);
        const auto old = fs::last_write_time(file);
        QTRY_VERIFY_WITH_TIMEOUT(fs::last_write_time(file) > old + 30min, 10'000);
    }

    // A halted process comes back and finds another at work: it stops, and leaves what that wrote.
    void whoWasFollowedStops() {
        const fs::path folder = place("followed");
        auto lease = Lease::tryTake(folder, 0.3);
        QVERIFY(lease && !lease->takenOver().stop_requested());
        putAttempt(folder, 2, elsewhere);
        QVERIFY(!lease->isMine());
        QTRY_VERIFY_WITH_TIMEOUT(lease->takenOver().stop_requested(), 10'000);
        lease->end(AttemptEnd::Done);
        lease.reset();
        std::ifstream file(folder / "attempt-0001.json");
        QCOMPARE(json::parse(file)["end"].get<std::string>(), std::string("open"));
        QCOMPARE(newestAttempt(folder)->number, 2);
    }

    // Whoever computes a calibration is seen by the jobs that share it, and is stopped with them,
    // also where it holds no lease of a job.
    void calibrationsAreSeenAndStopped() {
        std::vector<RunSpecification> specifications;
        for (const double cr : {0.2, 0.3}) {
            RunSpecification s = small_runs::specification("svd-llm");
            s.cr = cr;
            s.calibration = small_runs::onText(2, 16);
            specifications.push_back(resolved(s));
        }
        specifications.push_back(resolved(small_runs::specification("svd")));
        SweepContract contract = contractOf(place("calibrated/sweep.json"), specifications);
        contract.execution.leaseSeconds = kLong;
        const fs::path calibration =
            contract.calibrationState(calibrationKeyOf(specifications.front()));
        const auto reasons = [&] {
            std::vector<std::string> all;
            for (const JobStatus& status : statusOf(contract)) {
                all.push_back(status.reason);
            }
            return all;
        };
        const std::string idle = "not started";
        QCOMPARE(reasons(), std::vector<std::string>(3, idle));

        const pid_t alone = holderOf({calibration});
        QVERIFY(alone > 0);
        const std::string told = idle + "; its calibration is being computed by " +
                                 std::to_string(alone) + " on " + thisProcess().host;
        QCOMPARE(reasons(), (std::vector<std::string>{told, told, idle}));
        QCOMPARE(statusOf(contract)[0].standing, JobStanding::Waiting);
        QCOMPARE(stopProcesses(contract, {2}), std::size_t{0});
        QCOMPARE(stopProcesses(contract, {0, 1, 2}), std::size_t{1});
        QVERIFY(wasAskedToEnd(alone));
        QCOMPARE(reasons(), std::vector<std::string>(3, idle));

        // One that does so for a job of its own ends with that job, and is counted once.
        const pid_t atJob = holderOf({contract.stateOf(1), calibration});
        QVERIFY(atJob > 0);
        QCOMPARE(statusOf(contract)[1].standing, JobStanding::Running);
        QCOMPARE(stopProcesses(contract, {0}), std::size_t{0});
        QCOMPARE(stopProcesses(contract, {0, 1}), std::size_t{1});
        QVERIFY(wasAskedToEnd(atJob));
    }

    // The room that an open attempt takes is enough to say how it ended. No file may grow beyond it
    // here, which is to whoever writes as a full disk is.
    void theEndFitsOnAFullDisk() {
        const fs::path folder = place("full");
        auto lease = Lease::tryTake(folder, kLong);
        QVERIFY(lease);
        const fs::path file = folder / "attempt-0001.json";
        const std::uintmax_t size = fs::file_size(file);
        std::string reason = "the disk is full: ";
        for (int i = 0; i < 500; ++i) {
            reason += "\"\u00e4\"\n";
        }
        rlimit before{};
        QVERIFY(getrlimit(RLIMIT_FSIZE, &before) == 0);
        const rlimit limited{size, before.rlim_max};
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        QVERIFY(setrlimit(RLIMIT_FSIZE, &limited) == 0);
        lease->end(AttemptEnd::Failed, reason);
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        lease.reset();
        const auto ended = newestAttempt(folder);
        QVERIFY(ended && ended->end == AttemptEnd::Failed);
        QCOMPARE(ended->process.pid, static_cast<std::int64_t>(getpid()));
        QVERIFY(ended->reason.starts_with("the disk is full: \""));
        QCOMPARE(fs::file_size(file), size);
        const auto files = fs::directory_iterator(folder);
        QCOMPARE(std::distance(begin(files), end(files)), std::ptrdiff_t{1});
    }

    // Whatever stands in the file, it holds the lease while it is young, and not for ever.
    void damagedAttempts_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("half") << QByteArray("{\"format\": 1, \"proc");
        QTest::newRow("types") << QByteArray(
            "{\"process\": {\"pid\": \"x\", \"host\": 3}, \"end\": 7}");
        QTest::newRow("list") << QByteArray("[1, 2]");
        QTest::newRow("deep") << QByteArray(100'000, '[');
        QTest::newRow("process no object") << QByteArray("{\"process\": 5, \"end\": \"open\"}");
    }

    void damagedAttempts() {
        QFETCH(QByteArray, text);
        const fs::path folder = place(QTest::currentDataTag());
        put(folder / "attempt-0001.json", text.toStdString());
        QVERIFY(!Lease::tryTake(folder, 60));
        age(folder / "attempt-0001.json", 61s);
        QVERIFY(Lease::tryTake(folder, 60));
    }

    // Names that are no attempts' count for nothing, nor does a number beyond all use.
    void otherFiles() {
        const fs::path folder = place("others");
        for (const char* name : {"attempt-.json", "attempt-2147483647.json", "attempt-x.json",
                                 "attempt-0007.json.tmp.abcdefghij", "attempt--4.json"}) {
            put(folder / name, "{}");
        }
        QVERIFY(!newestAttempt(folder));
        const auto lease = Lease::tryTake(folder, kLong);
        QVERIFY(lease);
        QCOMPARE(lease->attempt(), 1);
    }

    void noPlaceForALease() {
        put(place("file"), "no folder");
        QVERIFY_THROWS_EXCEPTION(Error, Lease::tryTake(place("file"), kLong));
    }
};

COSPADI_TEST(TestLease)

}  // namespace tst_lease

#include "tst_lease.moc"
