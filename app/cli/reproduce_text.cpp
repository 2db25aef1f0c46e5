#include "app/cli/reproduce_text.h"

#include <fmt/format.h>

#include <cmath>

#include "app/cli/session.h"
#include "app/cli/sweep_plan.h"
#include "core/base/printable_text.h"
#include "core/reproduce/plan_here.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// What lm-eval takes is not known before.
std::string evaluationTimeText(const PlannedRun& run) {
    const std::string known = run.evaluationSeconds == 0 ? "" : humanSeconds(run.evaluationSeconds);
    return run.untimed.empty() ? (known.empty() ? "-" : known)
                               : (known.empty() ? "?" : known + " + ?");
}

std::int64_t roundedBytes(double bytes) { return static_cast<std::int64_t>(std::llround(bytes)); }

}  // namespace

std::string labelsText(const std::vector<Reproduction>& all) {
    std::string text;
    for (const Reproduction& entry : all) {
        text += fmt::format("{:<28}{:<10}{}\n", entry.name, entry.number, entry.shows);
        if (!entry.unavailable.empty()) {
            text += fmt::format("{:<28}not available yet: {}\n", "", entry.unavailable);
        }
        for (const StayingRows& staying : entry.staying) {
            text += fmt::format("{:<28}as published: {}: {}\n", "", fmt::join(staying.rows, ", "),
                                staying.why);
        }
    }
    return text +
           "\n"
           "cospadi reproduce LABEL MODEL --dry-run shows the cost of one, with --overnight or "
           "--quick that of its smaller versions; all selects every label.\n";
}

json labelsJson(const std::vector<Reproduction>& all) {
    json labels = json::array();
    for (const Reproduction& entry : all) {
        json published = json::array();
        for (const StayingRows& staying : entry.staying) {
            for (const std::string& row : staying.rows) {
                published.push_back({{"row", row}, {"why", staying.why}});
            }
        }
        labels.push_back({{"name", entry.name},
                          {"label", entry.label},
                          {"number", entry.number},
                          {"shows", entry.shows},
                          {"available", entry.unavailable.empty()},
                          {"unavailable", entry.unavailable},
                          {"stays_published", published}});
    }
    return {{"labels", labels}};
}

std::string planText(const Reproduction& entry, const Protocol& protocol,
                     const ReproductionPlan& plan, int cores) {
    std::string text = fmt::format("{}: {}\n", entry.number, entry.shows);
    for (const std::string& sentence : protocol.differs) {
        text += fmt::format("  {}\n", sentence);
    }
    if (plan.runs.empty()) {
        return text + "No runs are needed.\n";
    }
    text += fmt::format("  Measured for each run: {}\n\n",
                        fmt::join(inEnglish(measuredPhrases(protocol)), "; "));
    constexpr const char* kRow = "{:<12} {:>8} {:>10} {:>10} {:>12} {:>12}  {}\n";
    text +=
        fmt::format(kRow, "state", "matrices", "bytes", "memory", "compress", "evaluate", "run");
    for (const PlannedRun& run : plan.runs) {
        const JobEstimate& e = run.estimate;
        const bool isRefused = !run.refusal.empty();
        const bool isMade = run.isSolved();
        text += fmt::format(
            kRow, plannedState(run), isRefused ? "-" : std::to_string(e.matrices),
            isRefused ? "-" : humanBytes(e.bytes), isRefused ? "-" : humanBytes(e.memoryBytes),
            isRefused || isMade
                ? "-"
                : fmt::format("{}{}", e.measured ? "" : "~", humanSeconds(e.seconds)),
            evaluationTimeText(run), printableLine(run.description));
        if (isRefused) {
            text += fmt::format("  {}\n", printableLine(run.refusal));
        }
    }
    double calibration = 0;
    for (const PlannedRun& run : plan.runs) {
        calibration += run.estimate.calibrationSeconds;
    }
    text += fmt::format(
        "\n{} of {} missing; left to do: {} on disk, at most {} of memory, {}{} on {}{}\n",
        plan.missing(), counted(static_cast<std::int64_t>(plan.runs.size()), "run"),
        humanBytes(plan.bytesLeft()), humanBytes(plan.memoryBytes()),
        plan.isMeasured ? "about " : "~", humanSeconds(plan.secondsLeft()), counted(cores, "core"),
        calibration > 0 ? fmt::format(", {} of it calibration", humanSeconds(calibration)) : "");
    if (plan.untimed() > 0) {
        text += fmt::format(
            "?: lm-eval still has to evaluate {}, in a time that cannot be predicted; it and its "
            "data are checked before the first run starts.\n",
            counted(plan.untimed(), "run"));
    }
    return text + (plan.isMeasured ? ""
                                   : "~: estimated from an assumed compute rate, as no similar run "
                                     "has been made here yet.\n");
}

json planJson(const Reproduction& entry, ProtocolSize size, const ReproductionPlan& plan) {
    json jobs = json::array();
    for (const PlannedRun& run : plan.runs) {
        json& row = jobs.emplace_back(jobJson(run.job, run.description));
        row["state"] = !run.refusal.empty() ? "refused"
                       : run.isMadeAgain    ? name(JobState::Incomplete)
                                            : name(run.job.state);
        if (!run.refusal.empty()) {
            row["error"] = run.refusal;
            continue;
        }
        row.update({{"matrices", run.estimate.matrices},
                    {"finished_matrices", run.job.finishedMatrices},
                    {"bytes", roundedBytes(run.estimate.bytes)},
                    {"memory_bytes", roundedBytes(run.estimate.memoryBytes)},
                    {"seconds", run.estimate.seconds},
                    {"calibration_seconds", run.estimate.calibrationSeconds},
                    {"evaluation_seconds", run.evaluationSeconds},
                    {"measured", run.estimate.measured}});
        if (!run.untimed.empty()) {
            row["untimed"] = run.untimed;
        }
    }
    return {{"name", entry.name},
            {"size", name(size)},
            {"jobs", jobs},
            {"missing", plan.missing()},
            {"seconds", plan.secondsLeft()},
            {"bytes", roundedBytes(plan.bytesLeft())},
            {"memory_bytes", roundedBytes(plan.memoryBytes())},
            {"measured", plan.isMeasured}};
}

}  // namespace cospadi::cli
