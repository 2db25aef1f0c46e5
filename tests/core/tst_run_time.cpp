// The seconds that runs report: pauses are no work, every start of a resumed run counts as long as
// it took, trials count, and what is predicted rests on work.
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/run/cost_estimate.h"
#include "core/run/earlier_work.h"
#include "core/run/work_clock.h"
#include "core/run/work_progress.h"
#include "core/store/run_file.h"
#include "core/sweep/sweep_estimate.h"
#include "own_folder.h"
#include "small_runs.h"
#include "tests/registered_test.h"

namespace tst_run_time {

using namespace cospadi;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds kPause{300};

RunSpecification specification(const char* layers) {
    RunSpecification s = small_runs::specification();
    s.layers = layers;
    return s;
}

RunExecution oneCore() {
    RunExecution execution;
    execution.threads = 1;
    execution.writeModel = false;
    return execution;
}

}  // namespace

class TestRunTime : public QObject, OwnFolder {
    Q_OBJECT

    json resultOf(const char* name) const { return readRunJson(place(name) / "result.json", ""); }

  private slots:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void theClockStandsStillWhilePaused() {
        PauseGate gate;
        gate.pause();
        const WorkClock clock(&gate);
        const Stopwatch wall;
        std::this_thread::sleep_for(kPause);
        gate.pause();  // asked twice: one pause
        gate.resume();
        gate.resume();
        // The pause had begun before both clocks: all of the wait was a pause.
        QVERIFY(gate.pausedSeconds() >= 0.3);
        QVERIFY(clock.seconds() <= wall.seconds() - 0.3);
    }

    // In the middle of a matrix, of which all that was stored counted the pause.
    void aPauseIsNoWork() {
        PauseGate gate;
        RunExecution execution = oneCore();
        execution.gate = &gate;
        std::jthread resumes;
        double lastTime = 0;
        execution.onEvent = [&](const json& event) {
            lastTime = event.at("t").get<double>();
            if (event.at("event") == "iteration" && !resumes.joinable()) {
                gate.pause();
                resumes = std::jthread([&gate] {
                    std::this_thread::sleep_for(kPause);
                    gate.resume();
                });
            }
        };
        const Stopwatch wall;
        executeRun(specification("^blk\\.0\\.attn_k"), place("paused"), execution);
        const double work = wall.seconds() - gate.pausedSeconds();
        QVERIFY(gate.pausedSeconds() >= 0.3);
        const json result = resultOf("paused");
        const json matrix = result.at("matrices").at(0);
        QVERIFY(result.at("seconds").get<double>() <= work);
        QVERIFY(lastTime <= work + 1e-3);  // `t` has four decimals
        // It waited from the end of its iteration on, which is when the gate was closed.
        QVERIFY2(matrix.at("seconds").get<double>() <= work + 0.1,
                 qPrintable(QString::number(matrix.at("seconds").get<double>())));
        QCOMPARE(matrix.at("core_seconds"), matrix.at("seconds"));
    }

    void progressOfAStageIsWork() {
        PauseGate gate;
        gate.pause();
        gate.resume();  // before it: not subtracted
        WorkProgress progress(&gate);
        progress.of({"calibration", 0, 4, 0, -1});
        gate.pause();
        std::this_thread::sleep_for(kPause);
        gate.resume();
        const double work = 10 - gate.pausedSeconds();
        const Progress half = progress.of({"calibration", 2, 4, 10, 10});
        QVERIFY(half.seconds <= 10 - 0.3 && half.seconds >= work);
        QCOMPARE(half.etaSeconds, half.seconds);  // as much is left as is done
        QCOMPARE(progress.of({"calibration", 2, 4, 10, -1}).etaSeconds, -1.0);
        const Progress next = progress.of({"allocation", 1, 4, 2, 6});
        QCOMPARE(next.seconds, 2.0);
        QCOMPARE(next.etaSeconds, 6.0);
    }

    void coreSecondsCountTheCores() {
        RunExecution execution = oneCore();
        execution.threads = 2;  // and one matrix: it has both
        executeRun(specification("^blk\\.0\\.attn_k"), place("two-cores"), execution);
        const json matrix = resultOf("two-cores").at("matrices").at(0);
        QCOMPARE(matrix.at("core_seconds").get<double>(), 2 * matrix.at("seconds").get<double>());
        QCOMPARE(resultOf("two-cores").at("core_seconds"), matrix.at("core_seconds"));
    }

    // Two starts: the first was killed in its second matrix, the second was cancelled.
    void earlierStartsAreSummed() {
        std::ofstream(place("events.jsonl"))
            << R"({"event":"run_started","t":0.5})" << '\n'
            << R"({"event":"solved_before","from":"one","seconds":100,"t":0.6})" << '\n'
            << R"({"event":"preparation","seconds":4,"t":30})" << '\n'
            << R"({"event":"matrix_started","matrix":"a","t":31})" << '\n'
            << R"({"event":"matrix_started","matrix":"b","t":31.5})" << '\n'
            << R"({"event":"matrix_finished","matrix":"a","t":36})" << '\n'
            << R"({"event":"iteration","matrix":"b","t":41})" << '\n'
            << "{\"event\":\"iteration\",\"matr\n"
            << R"({"event":"run_started","t":0.25})" << '\n'
            << R"({"event":"solved_before","from":"one","seconds":100,"t":0.3})" << '\n'
            << R"({"event":"allocation_finished","seconds":3,"t":0.5})" << '\n'
            << R"({"event":"matrix_started","matrix":"b","t":1})" << '\n'
            << R"({"event":"matrix_finished","matrix":"b","t":3})" << '\n'
            << R"({"event":"run_finished","status":"cancelled","t":90})" << '\n';
        const EarlierWork work = readEarlierWork(place("events.jsonl"));
        QCOMPARE(work.compressionSeconds, 10.0 + 2.0);
        QCOMPARE(work.solving(), 10.0 + 2.0 + 100.0);  // a run whose matrices it took, once
        QCOMPARE(work.allocationSeconds, 4.0 + 3.0);
        QCOMPARE(readEarlierWork(place("nowhere")).compressionSeconds, 0.0);
    }

    // A first start that took 1000 s is not made less by the cores of the second.
    void aResumedRunTookAllItsStarts() {
        std::stop_source stop;
        RunExecution execution = oneCore();
        execution.onEvent = [&](const json& event) {
            if (event.at("event") == "matrix_finished") {
                stop.request_stop();
            }
        };
        executeRun(specification("attn_k"), place("resumed"), execution, stop.get_token());
        const fs::path file = place("resumed") / "events.jsonl";
        std::string lines;
        {
            std::ifstream stream(file);
            for (std::string line; std::getline(stream, line);) {
                json event = json::parse(line);
                if (event.at("event") == "matrix_finished") {
                    event["t"] = 1000 + event.at("t").get<double>();
                }
                lines += event.dump() + "\n";
            }
        }
        std::ofstream(file) << lines;
        RunExecution rest = oneCore();
        rest.threads = 2;
        const RunSummary run = executeRun(specification("attn_k"), place("resumed"), rest);
        QCOMPARE(run.matrices, 2);
        QVERIFY(run.seconds >= 1000);
        QVERIFY(run.seconds < 1000 + 100);
    }

    void predictionsRestOnWork() {
        MatrixRow paused;
        paused.d1 = paused.d2 = 64;
        paused.iterations = 22;
        paused.seconds = 12.46;
        paused.coreSeconds = 3.2;
        MatrixRow older = paused;  // of a file that has no core-seconds
        older.seconds = 3.2;
        older.coreSeconds = unknownNumber;
        MeasuredRates one;
        one.learn(specification(".*"), {paused});
        MeasuredRates other;
        other.learn(specification(".*"), {older});
        RunSpecification done = specification(".*");
        done.iterations = 22;
        QCOMPARE(one.rate(specification(".*")), solverWork(done, 64, 64) / 3.2);
        QCOMPARE(other.rate(specification(".*")), one.rate(specification(".*")));
    }

    // Every layer is tried at five ratios, and once each with all others at the uniform ratio and
    // at the chosen ones, with six iterations.
    void trialsAreForetold() {
        std::vector<LayerInfo> layers(30);
        for (LayerInfo& layer : layers) {
            layer.kind = "ffn_up";
            layer.d1 = 64;
            layer.d2 = 128;
        }
        RunSpecification s = specification(".*");
        QCOMPARE(allocationWork(s, layers), 0.0);
        s.allocation = &allocationFromName("knapsack");
        RunSpecification trial = s;
        trial.iterations = 6;
        QVERIFY(std::abs(allocationWork(s, layers) / (7 * 30 * solverWork(trial, {layers[0]})) -
                         1) < 1e-9);
    }

    // Every candidate of ρ is tried once where ratios are shared by another rule, or not at all; by
    // the knapsack at each of its five ratios. Twelve iterations each.
    void trialsOfRhoAreForetold() {
        std::vector<LayerInfo> layers(30);
        for (LayerInfo& layer : layers) {
            layer.kind = "ffn_up";
            layer.d1 = 64;
            layer.d2 = 128;
        }
        RunSpecification s = specification(".*");
        s.autoRho = true;
        RunSpecification trial = specification(".*");
        trial.iterations = 12;
        const double atTwo = solverWork(trial, layers);
        double everyCandidate = 0;
        for (const double rho : {1.5, 2.0, 2.5, 3.0, 4.0}) {
            trial.rho = rho;
            everyCandidate += solverWork(trial, layers);
        }
        const auto isNear = [](double a, double b) { return std::abs(a / b - 1) < 1e-9; };
        QVERIFY(isNear(allocationWork(s, layers), everyCandidate));
        s.allocation = &allocationFromName("knapsack");
        QVERIFY(isNear(allocationWork(s, layers), 5 * everyCandidate + 2 * atTwo));
        s.allocation = &allocationFromName("rocket");
        trial.rho = 2;
        trial.iterations = 6;
        QVERIFY(isNear(allocationWork(s, layers), everyCandidate + 5 * solverWork(trial, layers)));
    }

    // Of the published rules: five trials, or a spectrum a layer, of W or of L W.
    void whatRulesMeasureIsForetold() {
        std::vector<LayerInfo> layers(30);
        for (LayerInfo& layer : layers) {
            layer.kind = "ffn_up";
            layer.d1 = 64;
            layer.d2 = 128;
        }
        RunSpecification s = specification(".*");
        RunSpecification trial = s;
        trial.iterations = 6;
        s.allocation = &allocationFromName("rocket");
        QCOMPARE(allocationWork(s, layers), 5 * solverWork(trial, layers));
        const double n = 64;
        const double spectrum = 2 * n * n * 128 + 4 * n * n * n / 3;
        s.allocation = &allocationFromName("compot");
        QVERIFY(std::abs(allocationWork(s, layers) / (30 * spectrum) - 1) < 1e-9);
        s.allocation = &allocationFromName("svd-llm-v2");
        const double whitening = 2 * n * n * 128 + n * n * n / 3;
        QVERIFY(std::abs(allocationWork(s, layers) / (30 * (spectrum + whitening)) - 1) < 1e-9);
    }
};

COSPADI_TEST(TestRunTime)

}  // namespace tst_run_time

#include "tst_run_time.moc"
