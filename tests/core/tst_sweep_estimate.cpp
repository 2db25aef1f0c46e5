// What a sweep is predicted to take before it starts: calibration, measures, bytes and seconds, on
// a small random model.
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/sweep/measuring_estimate.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_estimate.h"
#include "sweep_fixture.h"
#include "tests/registered_test.h"

namespace tst_sweep_estimate {

using namespace cospadi;
using namespace cospadi::sweep_fixture;

class TestSweepEstimate : public QObject, SweepFixture {
    Q_OBJECT

  private slots:
    void init() { openFolder(); }

    // Calibration is foretold once for all jobs that share it, and no more once its sums are kept.
    void calibrationIsCountedUntilItIsDone() {
        const auto grid = smallGrid({{"method", {"svd-llm"}},
                                     {"calibration.sequences", {2}},
                                     {"calibration.length", {32}}});
        const auto before = estimateSweep(planSweep(grid, m_runs), MeasuredRates(), 2);
        QCOMPARE(static_cast<int>(before.size()), 2);
        QVERIFY(before[0].calibrationSeconds > 0);
        QVERIFY(!before[0].calibrationMeasured);
        QCOMPARE(before[1].calibrationSeconds, 0.0);
        // It goes no further than the layers that are compressed, and on where others went.
        auto further = planSweep(grid, m_runs);
        further[0].specification.layers = "blk\\.0\\.ffn_up";
        further[1].specification.layers = ".*";
        const auto parts = estimateSweep(further, MeasuredRates(), 2);
        QVERIFY(parts[0].calibrationSeconds > 0);
        QVERIFY(parts[1].calibrationSeconds > 0);
        std::swap(further[0], further[1]);
        const auto whole = estimateSweep(further, MeasuredRates(), 2);
        QVERIFY(qAbs(whole[0].calibrationSeconds /
                         (parts[0].calibrationSeconds + parts[1].calibrationSeconds) -
                     1) < 1e-9);
        QCOMPARE(whole[1].calibrationSeconds, 0.0);
        // What leaves blocks out goes over the text by itself, and leaves no sums to others.
        const auto mixed = estimateSweep(planSweep(smallGrid({{"method", {"replaceme", "svd-llm"}},
                                                              {"layers", ".*"},
                                                              {"calibration.sequences", {2}},
                                                              {"calibration.length", {32}}}),
                                                   m_runs),
                                         MeasuredRates(), 2);
        QCOMPARE(static_cast<int>(mixed.size()), 4);  // each method at two CR
        QVERIFY(mixed[0].calibrationSeconds > 0);
        QVERIFY(mixed[1].calibrationSeconds > 0);
        QCOMPARE(mixed[2].calibrationSeconds, mixed[0].calibrationSeconds);
        QCOMPARE(mixed[3].calibrationSeconds, 0.0);
        const auto jobs = planSweep(grid, m_runs);
        const RunSpecification& s = jobs[0].specification;
        const QByteArray cache = qgetenv("XDG_CACHE_HOME");
        qputenv("XDG_CACHE_HOME", m_folder->path().toLocal8Bit());
        fs::create_directories(
            gramCacheFolder(gramCacheKey(s.modelSha256, calibrationOptionsOf(s))));
        const auto after = estimateSweep(jobs, MeasuredRates(), 2);
        qputenv("XDG_CACHE_HOME", cache);
        QCOMPARE(after[0].calibrationSeconds, 0.0);
        QVERIFY(after[0].seconds > 0);
    }

    // A refined job takes the matrices of the run that it refines: one beside it, or one that an
    // earlier job of the list makes.
    void refinedJobsAreNotSolvedAgain() {
        const auto jobsOf = [&](const json& refine) {
            return planSweep(smallGrid({{"method", "cospadi"},
                                        {"cr", 0.4},
                                        {"refine", refine},
                                        {"calibration.sequences", 2},
                                        {"calibration.length", 32}}),
                             m_runs);
        };
        std::vector<SweepJob> both = jobsOf({0, 16});
        QCOMPARE(both.size(), std::size_t{2});
        QVERIFY(!isRefined(both[0].specification) && isRefined(both[1].specification));
        const auto estimate = [](const std::vector<SweepJob>& jobs,
                                 JobOrder order = JobOrder::OneByOne) {
            return estimateSweep(jobs, MeasuredRates(), 2, order);
        };
        const auto foretold = estimate(both);
        const JobEstimate alone = estimate({both[1]})[0];
        QVERIFY(foretold[0].seconds > 0 && foretold[1].seconds > 0);
        QVERIFY(alone.calibrationSeconds > 0);
        QVERIFY2(std::abs((alone.seconds - foretold[1].seconds) / foretold[0].seconds - 1) < 1e-9,
                 qPrintable(QString::number(foretold[1].seconds)));
        QCOMPARE(foretold[1].calibrationSeconds, 0.0);
        QCOMPARE(foretold[1].bytes, alone.bytes);
        // Neither where they run side by side, nor where the other one comes later.
        QCOMPARE(estimate(both, JobOrder::AtOnce)[1].seconds, alone.seconds);
        std::swap(both[0], both[1]);
        QCOMPARE(estimate(both)[0].seconds, alone.seconds);
        // One that is there counts while it is whole.
        std::vector<SweepJob> solved =
            planSweep(smallGrid({{"cr", 0.4}, {"method", "cospadi-free"}}), m_runs);
        const RunSummary run = runJobs(solved)[0].run;
        SweepJob refined = solved[0];
        refined.state = JobState::New;
        refined.specification.refine = 16;
        refined.directory = m_runs / "refined";
        const double refining = estimate({refined})[0].seconds;
        refined.directory = m_runs / "elsewhere" / "refined";
        QVERIFY(refining > 0 && refining < estimate({refined})[0].seconds);
        refined.directory = m_runs / "refined";
        fs::remove(run.directory / "matrices" / "blk.0.attn_k.safetensors");
        QVERIFY(refining < estimate({refined})[0].seconds);
    }

    // A finished run without its matrices is enough until something is to be measured of it.
    void incompleteRunsAreMadeAgain() {
        const std::vector<SweepJob> jobs{planSweep(smallGrid(), m_runs)[0]};
        const double whole = estimateSweep(jobs, MeasuredRates(), 2)[0].seconds;
        runJobs(jobs);
        const auto begun = [&](const std::vector<std::string>& left,
                               const SweepOptions& asked = SweepOptions()) {
            return asBegun(planSweep(smallGrid(), m_runs)[0], left, asked);
        };
        QCOMPARE(begun({kPerplexityLeft}).state, JobState::Finished);
        const fs::path matrices = jobs[0].directory / "matrices";
        fs::remove(matrices / "blk.0.attn_k.safetensors");
        const SweepJob damaged = begun({});
        QCOMPARE(damaged.state, JobState::Incomplete);
        QVERIFY(std::abs(2 * estimateSweep({damaged}, MeasuredRates(), 2)[0].seconds / whole - 1) <
                1e-9);  // one of two equal layers
        fs::remove_all(matrices);
        QCOMPARE(begun({}).state, JobState::Finished);
        const SweepJob record = begun({kPerplexityLeft});
        QCOMPARE(record.state, JobState::Incomplete);
        QCOMPARE(estimateSweep({record}, MeasuredRates(), 2)[0].seconds, whole);
        SweepOptions models;
        models.execution.writeModel = true;
        models.execution.partialModel = true;
        QCOMPARE(begun({}, models).state, JobState::Incomplete);
    }

    // By the tokens of a text and the pace that the model showed, else by its size.
    void measuresTakeTheirTime() {
        const fs::path text = fs::path(m_folder->path().toStdString()) / "measured.txt";
        std::ofstream(text) << std::string(40'000, 'a');
        RunRow run;
        run.modelSha256 = "known";
        run.evaluations.resize(2);
        run.evaluations[0].tokens = 1000;
        run.evaluations[0].seconds = 10;
        run.evaluations[1].tokens = 500;  // of another program: it tells no time
        MeasuredRates rates;
        rates.learnEvaluations(run);
        PerplexityOptions options;
        const auto secondsOf = [&](const char* model, double parameters) {
            const MeasuringEstimate estimate(text, options, nullptr, rates, model, parameters, 2);
            return std::pair(estimate.secondsLeft(""), estimate.isMeasured());
        };
        QCOMPARE(secondsOf("known", 1e9), std::pair(100.0, true));  // 10,000 tokens
        // The same where it has been looked up what is left.
        const MeasuringEstimate known(text, options, nullptr, rates, "known", 1e9, 2);
        QCOMPARE(known.secondsLeft("", std::vector<std::string>{kPerplexityLeft}), 100.0);
        QCOMPARE(known.secondsLeft("", std::vector<std::string>()), 0.0);
        options.maxTokens = 300;
        QCOMPARE(secondsOf("known", 1e9), std::pair(3.0, true));
        const auto [small, isMeasured] = secondsOf("another", 1e8);
        QVERIFY(small > 0 && !isMeasured);
        QVERIFY(std::abs(secondsOf("another", 1e9).first / small - 10) < 1e-9);
        fs::remove(text);
        QVERIFY_THROWS_EXCEPTION(Error, secondsOf("known", 1e9));
        // Without a text and tasks there is nothing to wait for.
        QCOMPARE(MeasuringEstimate("", options, nullptr, rates, "known", 1, 2).secondsLeft(""),
                 0.0);
    }

    // What the estimate says is what the files weigh, their headers aside.
    void estimatesHold() {
        const auto jobs = planSweep(smallGrid({{"layers", ".*"}}), m_runs);
        const auto before = estimateSweep(jobs, MeasuredRates(), 2);
        const auto outcomes = runJobs(jobs);
        MeasuredRates rates;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            QCOMPARE(static_cast<int>(before[i].matrices), 14);
            QVERIFY(!before[i].measured);
            QVERIFY(before[i].seconds > 0 && std::isfinite(before[i].seconds));
            const auto actual = static_cast<double>(outcomes[i].run.bytes);
            constexpr double headers = 14 * 1200;
            QVERIFY2(actual <= before[i].bytes + headers && actual >= 0.9 * before[i].bytes,
                     qPrintable(QString("%1 against %2").arg(actual).arg(before[i].bytes)));
            MatrixRow row;
            row.d1 = 64;
            row.d2 = 64;
            row.iterations = 22;
            row.seconds = 2;
            rates.learn(jobs[i].specification, {row});
        }
        const auto after =
            estimateSweep(planSweep(smallGrid({{"layers", ".*"}}), m_runs), rates, 2);
        for (const JobEstimate& estimate : after) {
            QVERIFY(estimate.measured);
            QCOMPARE(estimate.seconds, 0.0);  // nothing is left
        }
        std::vector<SweepJob> overfull = jobs;
        for (SweepJob& job : overfull) {
            job.finishedMatrices = 20;
        }
        for (const JobEstimate& estimate : estimateSweep(overfull, rates, 2)) {
            QVERIFY(estimate.seconds >= 0);
        }
        // Twice as slow a machine takes twice as long.
        MeasuredRates slow;
        MatrixRow row;
        row.d1 = 64;
        row.d2 = 64;
        row.iterations = 22;
        row.seconds = 4;
        for (const SweepJob& job : jobs) {
            slow.learn(job.specification, {row});
        }
        const auto fast = estimateSweep(jobs, rates, 2);
        const auto slower = estimateSweep(jobs, slow, 2);
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            QVERIFY(std::abs(slower[i].seconds / fast[i].seconds - 2) < 1e-9);
        }
    }
};

COSPADI_TEST(TestSweepEstimate)

}  // namespace tst_sweep_estimate

#include "tst_sweep_estimate.moc"
