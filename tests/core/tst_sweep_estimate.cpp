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
