#include "app/cli/sweep_dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/printable_text.h"
#include "core/base/thread_pool.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"
#include "core/sweep/measuring_estimate.h"
#include "core/sweep/sweep_estimate.h"
#include "core/sweep/sweep_refusals.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

struct DryTotals {
    double seconds = 0;
    double calibration = 0;
    bool calibrationMeasured = true;
    double bytes = 0;
    double memory = 0;
    bool assumed = false;

    void add(const SweepJob& job, const JobEstimate& e) {
        const bool done = job.state == JobState::Finished;
        seconds += e.seconds;
        calibration += e.calibrationSeconds;
        calibrationMeasured =
            calibrationMeasured && (e.calibrationMeasured || e.calibrationSeconds == 0);
        bytes += done ? 0 : e.bytes;
        memory = std::max(memory, done ? 0 : e.memoryBytes);
        assumed = assumed || (!done && !e.measured);
    }
};

// What is left to measure once all runs are there.
class DryMeasurements {
  public:
    DryMeasurements(const SweepOptions& options, const MeasuredRates& rates, int cores)
        : m_options(options), m_rates(rates), m_cores(cores) {}

    void add(const SweepJob& job, json& row) {
        const std::vector<std::string> left = leftToMeasure(job, m_options);
        row["left_to_measure"] = left;
        if (left.empty()) {
            return;
        }
        for (const std::string& one : left) {
            ++m_runs[one];
        }
        m_onlyMeasured += job.state == JobState::Finished ? 1 : 0;
        const MeasuringEstimate& estimate = estimateFor(job.specification);
        const double seconds = estimate.secondsLeft(job.directory);
        const std::vector<std::string> untimed = estimate.untimed(job.directory);
        m_seconds += seconds;
        m_isMeasured = m_isMeasured && estimate.isMeasured();
        m_hasUntimed = m_hasUntimed || !untimed.empty();
        row["evaluation_seconds"] = seconds;
        row["untimed"] = untimed;
    }

    double seconds() const { return m_seconds; }
    bool isAssumed() const { return m_seconds > 0 && !m_isMeasured; }

    // Of a group such as mmlu a number of its tasks, not all of their names.
    std::string text() const {
        constexpr std::size_t kMost = 12;
        std::string list;
        std::size_t shown = 0;
        for (const auto& [what, runs] : m_runs) {
            if (shown++ < kMost) {
                list +=
                    fmt::format("{}{} of {}", list.empty() ? "" : ", ", what, counted(runs, "run"));
            }
        }
        if (list.empty()) {
            return m_options.evaluate || m_options.tasks != nullptr ? "Everything is measured.\n"
                                                                    : "";
        }
        list += shown > kMost ? fmt::format(" and {} more tasks", shown - kMost) : "";
        const auto items = m_options.tasks != nullptr ? m_options.tasks->items() : std::nullopt;
        return fmt::format(
            "In addition, measuring{}: {}{}{}.\n", timeText(), list,
            items ? fmt::format("; all tasks are {} per run", counted(*items, "item")) : "",
            m_onlyMeasured > 0
                ? fmt::format("; {} compressed already",
                              m_onlyMeasured == 1
                                  ? "1 run of these is"
                                  : fmt::format("{} runs of these are", m_onlyMeasured))
                : "");
    }

  private:
    const MeasuringEstimate& estimateFor(const RunSpecification& s) {
        const auto known = m_estimates.find(s.model);
        if (known != m_estimates.end()) {
            return known->second;
        }
        const MeasuringEstimate made(
            m_options.evaluate ? m_options.text : "",
            m_options.evaluate.value_or(PerplexityOptions()), m_options.tasks, m_rates,
            s.modelSha256, static_cast<double>(inspectModel(s.model).parameters), m_cores);
        return m_estimates.emplace(s.model, made).first->second;
    }

    std::string timeText() const {
        return m_seconds <= 0
                   ? ""
                   : fmt::format(", {}{}{}", m_isMeasured ? "about " : "~", humanSeconds(m_seconds),
                                 m_hasUntimed ? " without what lm-eval asks" : "");
    }

    const SweepOptions& m_options;
    const MeasuredRates& m_rates;
    int m_cores;
    std::map<std::string, MeasuringEstimate> m_estimates;  // by model
    std::map<std::string, std::int64_t> m_runs;
    std::int64_t m_onlyMeasured = 0;
    double m_seconds = 0;
    bool m_isMeasured = true;
    bool m_hasUntimed = false;
};

std::int64_t wholeBytes(double bytes) { return static_cast<std::int64_t>(std::llround(bytes)); }

}  // namespace

int dryRun(const Session& session, const SweepPlan& plan, const std::string& device,
           const SweepOptions& options) {
    const MeasuredRates rates =
        MeasuredRates::ofThisMachine(RunStore::openForReading(storePath()), device);
    const int cores = ThreadPool::availableCores();
    const std::vector<SweepJob>& all = plan.jobs;
    const std::vector<std::string> reasons = sweepRefusals(all);
    std::vector<SweepJob> jobs;  // that can begin
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (reasons[i].empty()) {
            jobs.push_back(all[i]);
        }
    }
    const std::vector<JobEstimate> estimates = estimateSweep(jobs, rates, cores);
    const std::vector<std::string> descriptions = describeJobs(all);
    json rows = json::array();
    std::string text = fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", "state", "matrices",
                                   "bytes", "memory", "time", "run");
    DryTotals totals;
    DryMeasurements measurements(options, rates, cores);
    std::string refused;
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        json& row = rows.emplace_back(jobJson(all[i], descriptions[i]));
        if (!reasons[i].empty()) {
            row["state"] = "refused";
            row["error"] = reasons[i];
            text += fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", "refused", "-", "-", "-",
                                "-", descriptions[i]);
            refused += fmt::format("refused: {}\n  {}\n", descriptions[i], reasons[i]);
            continue;
        }
        const JobEstimate& e = estimates[next++];
        const bool done = all[i].state == JobState::Finished;
        text += fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", name(all[i].state),
                            e.matrices, humanBytes(e.bytes), humanBytes(e.memoryBytes),
                            done ? "-" : (e.measured ? "" : "~") + humanSeconds(e.seconds),
                            descriptions[i]);
        row.update({{"state", name(all[i].state)},
                    {"matrices", e.matrices},
                    {"finished_matrices", all[i].finishedMatrices},
                    {"bytes", wholeBytes(e.bytes)},
                    {"memory_bytes", wholeBytes(e.memoryBytes)},
                    {"seconds", e.seconds},
                    {"calibration_seconds", e.calibrationSeconds},
                    {"measured", e.measured}});
        totals.add(all[i], e);
        measurements.add(all[i], row);
    }
    text +=
        fmt::format("\n{}{}; left to do: {} on disk, at most {} of memory, about {} on {}\n",
                    combinationsText(plan), counted(static_cast<std::int64_t>(all.size()), "run"),
                    humanBytes(totals.bytes), humanBytes(totals.memory),
                    humanSeconds(totals.seconds), counted(cores, "core"));
    if (totals.calibration > 0) {
        text += fmt::format("Before that, {}{} of calibration, once per text.\n",
                            totals.calibrationMeasured ? "about " : "~",
                            humanSeconds(totals.calibration));
    }
    text += rates.empty() ? "" : "Times are based on the stored runs of this machine.\n";
    text += measurements.text();
    text += totals.assumed || !totals.calibrationMeasured || measurements.isAssumed()
                ? "~: estimated from an assumed compute rate, as no similar run has been made here "
                  "yet.\n"
                : "";
    text += "Nothing was started.\n";
    session.print(text, {{"jobs", rows},
                         {"combinations", plan.combinations},
                         {"seconds", totals.seconds},
                         {"calibration_seconds", totals.calibration},
                         {"evaluation_seconds", measurements.seconds()},
                         {"bytes", wholeBytes(totals.bytes)},
                         {"memory_bytes", wholeBytes(totals.memory)},
                         {"cores", cores}});
    fmt::print(stderr, "{}", printableText(refused));
    return refused.empty() ? kOk : kFailed;
}

}  // namespace cospadi::cli
