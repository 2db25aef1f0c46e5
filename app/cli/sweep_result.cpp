#include "app/cli/sweep_result.h"

#include <fmt/format.h>

#include "app/cli/result_json.h"
#include "app/cli/sweep_plan.h"
#include "core/report/report.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

json outcomeJson(const SweepJob& job, const JobOutcome& outcome, const std::string& description) {
    json row = jobJson(job, description);
    row["state"] = name(outcome.state);
    row["skipped"] = outcome.skipped;
    if (!outcome.run.id.empty()) {
        row["run"] = outcome.run.id;
        row["directory"] = outcome.run.directory.string();
        row["bytes"] = outcome.run.bytes;
        row["dense_bytes"] = outcome.run.denseBytes;
        row["relative_error"] = outcome.run.relativeError;
        if (outcome.run.heldOutError) {
            row["held_out_error"] = *outcome.run.heldOutError;
        }
        row["whitened"] = isCalibrated(job.specification);
        row["seconds"] = outcome.run.seconds;
    }
    if (outcome.perplexity) {
        row["perplexity"] = *outcome.perplexity;
    }
    if (!outcome.taskResults.empty()) {
        json& results = row["task_results"] = json::array();
        for (const TaskResultRow& result : outcome.taskResults) {
            results.push_back(taskResultJson(result));
        }
    }
    if (!outcome.error.empty()) {
        row["error"] = outcome.error;
    }
    return row;
}

}  // namespace

int printSweep(const Session& session, const std::vector<SweepJob>& jobs,
               const std::vector<JobOutcome>& outcomes) {
    const std::vector<std::string> descriptions = describeJobs(jobs);
    json rows = json::array();
    std::vector<RunRow> finished;
    std::string failures;
    std::size_t skipped = 0;
    std::size_t failed = 0;
    const RunStore store = RunStore::openForReading(storePath());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const JobOutcome& outcome = outcomes[i];
        rows.push_back(outcomeJson(jobs[i], outcome, descriptions[i]));
        skipped += outcome.skipped ? 1 : 0;
        if (outcome.state == JobState::Finished) {
            finished.push_back(store.find(outcome.run.id));
        } else if (outcome.state == JobState::Failed || outcome.state == JobState::Busy) {
            ++failed;
            failures +=
                fmt::format("{}: {}\n  {}\n", name(outcome.state), descriptions[i], outcome.error);
        }
    }
    const std::size_t left = jobs.size() - finished.size() - failed;
    std::string text = render(tableOfRuns(finished), ReportFormat::Terminal);
    text += fmt::format("\n{} of {} finished ({} of them earlier), {} failed, {} left\n",
                        finished.size(), counted(static_cast<std::int64_t>(jobs.size()), "run"),
                        skipped, failed, left);
    text += failures;
    if (left + failed > 0) {
        text += "Run the same command again for the rest.\n";
    }
    session.print(text, {{"jobs", rows},
                         {"finished", finished.size()},
                         {"skipped", skipped},
                         {"failed", failed},
                         {"left", left}});
    return left > 0 ? kCancelled : failed > 0 ? kFailed : kOk;
}

}  // namespace cospadi::cli
