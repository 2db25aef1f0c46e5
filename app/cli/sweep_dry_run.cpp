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

constexpr const char* kDryRow = "{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n";

// A job that can begin, with what is left to measure of it.
struct DryJob {
    SweepJob job;
    std::vector<std::string> left;
    JobEstimate estimate;
};

bool isCompressed(const SweepJob& job) { return job.state == JobState::Finished; }

struct DryTotals {
    double seconds = 0;
    double calibration = 0;
    bool calibrationMeasured = true;
    double bytes = 0;
    double memory = 0;
    bool assumed = false;
    bool hasIncomplete = false;

    void add(const DryJob& dry) {
        const JobEstimate& e = dry.estimate;
        const bool done = isCompressed(dry.job);
        seconds += e.seconds;
        calibration += e.calibrationSeconds;
        calibrationMeasured =
            calibrationMeasured && (e.calibrationMeasured || e.calibrationSeconds == 0);
        bytes += done ? 0 : e.bytes;
        memory = std::max(memory, done ? 0 : e.memoryBytes);
        assumed = assumed || (!done && !e.measured);
        hasIncomplete = hasIncomplete || dry.job.state == JobState::Incomplete;
    }
};

// What is left to measure once all runs are there.
class DryMeasurements {
  public:
    DryMeasurements(const SweepOptions& options, const MeasuredRates& rates, int cores)
        : m_options(options), m_rates(rates), m_cores(cores) {}

    void add(const DryJob& dry, json& row) {
        row["left_to_measure"] = dry.left;
        if (dry.left.empty()) {
            return;
        }
        for (const std::string& one : dry.left) {
            ++m_runs[one];
        }
        m_onlyMeasured += isCompressed(dry.job) ? 1 : 0;
        const MeasuringEstimate& estimate = estimateFor(dry.job.specification);
        const double seconds = estimate.secondsLeft(dry.job.directory, dry.left);
        const std::vector<std::string> untimed = estimate.untimed(dry.left);
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

std::vector<DryJob> dryJobs(const std::vector<SweepJob>& jobs, const MeasuredRates& rates,
                            int cores, const SweepOptions& options) {
    std::vector<DryJob> all;
    std::vector<SweepJob> begun;
    for (const SweepJob& job : jobs) {
        DryJob& dry = all.emplace_back();
        dry.left = leftToMeasure(job, options);
        dry.job = begun.emplace_back(asBegun(job, dry.left, options));
    }
    const std::vector<JobEstimate> estimates = estimateSweep(begun, rates, cores);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].estimate = estimates[i];
    }
    return all;
}

std::string lineOf(const DryJob& dry, const std::string& description) {
    const JobEstimate& e = dry.estimate;
    return fmt::format(
        kDryRow, name(dry.job.state), e.matrices, humanBytes(e.bytes), humanBytes(e.memoryBytes),
        isCompressed(dry.job) ? "-" : (e.measured ? "" : "~") + humanSeconds(e.seconds),
        description);
}

json fieldsOf(const DryJob& dry) {
    const JobEstimate& e = dry.estimate;
    return {{"state", name(dry.job.state)},
            {"matrices", e.matrices},
            {"finished_matrices", dry.job.finishedMatrices},
            {"bytes", wholeBytes(e.bytes)},
            {"memory_bytes", wholeBytes(e.memoryBytes)},
            {"seconds", e.seconds},
            {"calibration_seconds", e.calibrationSeconds},
            {"measured", e.measured}};
}

std::string summaryText(const DryTotals& totals, int cores) {
    std::string text = fmt::format("left to do: {} on disk, at most {} of memory, about {} on {}\n",
                                   humanBytes(totals.bytes), humanBytes(totals.memory),
                                   humanSeconds(totals.seconds), counted(cores, "core"));
    if (totals.hasIncomplete) {
        text +=
            "incomplete: the run is finished, but some or all of its matrices are missing, as in "
            "one imported as a record, or damaged; these are compressed again.\n";
    }
    if (totals.calibration > 0) {
        text += fmt::format("Before that, {}{} of calibration, once per text.\n",
                            totals.calibrationMeasured ? "about " : "~",
                            humanSeconds(totals.calibration));
    }
    return text;
}

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
    const std::vector<DryJob> dry = dryJobs(jobs, rates, cores, options);
    const std::vector<std::string> descriptions = describeJobs(all);
    json rows = json::array();
    std::string text = fmt::format(kDryRow, "state", "matrices", "bytes", "memory", "time", "run");
    DryTotals totals;
    DryMeasurements measurements(options, rates, cores);
    std::string refused;
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        json& row = rows.emplace_back(jobJson(all[i], descriptions[i]));
        if (!reasons[i].empty()) {
            row["state"] = "refused";
            row["error"] = reasons[i];
            text += fmt::format(kDryRow, "refused", "-", "-", "-", "-", descriptions[i]);
            refused += fmt::format("refused: {}\n  {}\n", descriptions[i], reasons[i]);
            continue;
        }
        const DryJob& one = dry[next++];
        text += lineOf(one, descriptions[i]);
        row.update(fieldsOf(one));
        totals.add(one);
        measurements.add(one, row);
    }
    text += fmt::format("\n{}{}; {}", combinationsText(plan),
                        counted(static_cast<std::int64_t>(all.size()), "run"),
                        summaryText(totals, cores));
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
