#include "app/cli/sweep_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/run_command.h"
#include "core/base/printable_text.h"
#include "core/base/shell_word.h"
#include "core/cluster/sweep_status.h"
#include "core/schedulers/slurm_reasons.h"
#include "core/schedulers/slurm_submission.h"
#include "core/schedulers/workflow_file.h"
#include "core/store/locations.h"
#include "core/sweep/sweep.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

constexpr std::size_t kMostLines = 40;  // of jobs that are not done; --json has all

// What starts again what is missing.
std::string startAgain(const SweepContract& contract) {
    const std::string file = shellWord(contract.file.string());
    const auto options = lastSlurmOptions(contract);
    if (std::string start = snakemakeStart(contract); !options && !start.empty()) {
        return start;
    }
    return options ? fmt::format("cospadi sweep {} {}", file, commandWords(*options))
                   : fmt::format("cospadi job --sweep {} --left", file);
}

std::vector<std::string> titlesOf(const SweepContract& contract) {
    std::vector<SweepJob> jobs;
    for (std::size_t job = 0; job < contract.jobs.size(); ++job) {
        jobs.emplace_back().specification = jobSpecification(contract, job);
    }
    return describeJobs(jobs);
}

json jobJson(const SweepContract& contract, std::size_t index, const std::string& title,
             const JobStatus& status) {
    return {{"index", index},
            {"id", contract.jobs[index].id},
            {"title", title},
            {"directory", contract.runOf(index).string()},
            {"state", name(status.standing)},
            {"never", status.never},
            {"attempts", status.attempts},
            {"process", status.process},
            {"reason", status.reason},
            {"run", status.run},
            {"matrices", status.matrices},
            {"perplexity", status.perplexity ? json(*status.perplexity) : json()}};
}

std::string roomText(const SweepContract& contract, const std::string& why) {
    return fmt::format(
        "no more can be written to {}: {}; free some space there, then start what is missing",
        contract.folder().string(), why);
}

}  // namespace

int sweepStatus(const Session& session, const std::filesystem::path& file) {
    const SweepContract contract = readContract(file);
    RunStore store = RunStore::open(storePath());
    std::vector<JobStatus> all = statusOf(contract);
    std::string problem = addSlurmReasons(contract, all);
    if (std::any_of(all.begin(), all.end(), isLeft)) {
        const std::string full = lackOfRoom(contract);
        problem = full.empty() ? problem : roomText(contract, full);
    }
    const MergeSummary merged = mergeInto(store, contract, all);
    tell(merged.notes);
    const std::vector<std::string> titles =
        session.json ? titlesOf(contract) : std::vector<std::string>();
    std::map<JobStanding, std::size_t> counts;
    json rows = json::array();
    std::string lines;
    std::size_t shown = 0;
    std::size_t left = 0;
    for (std::size_t job = 0; job < all.size(); ++job) {
        const JobStatus& status = all[job];
        ++counts[status.standing];
        left += isLeft(status) ? 1 : 0;
        if (session.json) {
            rows.push_back(jobJson(contract, job, titles[job], status));
        }
        if (status.standing != JobStanding::Done && ++shown <= kMostLines) {
            const auto text = [&](const char* field) {
                return status.process.empty() ? std::string() : status.process + field;
            };
            lines += fmt::format("{:>6} {:<8} {}{}\n", job, name(status.standing),
                                 printableLine(text(status.reason.empty() ? "" : ": ")),
                                 printableLine(status.reason));
        }
    }
    std::string text;
    json object{{"sweep", contract.file.string()}, {"jobs", rows}};
    for (const JobStanding standing :
         {JobStanding::Done, JobStanding::Running, JobStanding::Waiting, JobStanding::Failed,
          JobStanding::Lost}) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[standing], name(standing));
        object[name(standing)] = counts[standing];
    }
    text = fmt::format("{} of {}: {}\n{}", counted(static_cast<std::int64_t>(all.size()), "job"),
                       contract.file.string(), text, lines);
    text += shown > kMostLines
                ? fmt::format("… and {} more; --json lists them all\n", shown - kMostLines)
                : "";
    text += fmt::format("{} imported into the store now, {} already there\n",
                        counted(merged.merged, "run"), merged.known);
    text += problem.empty() ? "" : printableLine(problem) + "\n";
    text += left > 0 ? fmt::format("To start what is missing: {}\n", startAgain(contract)) : "";
    object["merged"] = merged.merged;
    object["known"] = merged.known;
    object["problem"] = problem;
    object["start_again"] = left > 0 ? startAgain(contract) : "";
    session.print(text, object);
    return kOk;
}

}  // namespace cospadi::cli
