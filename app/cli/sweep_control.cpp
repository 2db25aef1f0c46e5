#include "app/cli/sweep_control.h"

#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "app/cli/run_command.h"
#include "app/cli/sweep_hand_over.h"
#include "core/base/shell_word.h"
#include "core/cluster/job_processes.h"
#include "core/schedulers/slurm_submission.h"

namespace cospadi::cli {

namespace {

std::size_t jobIn(const SweepContract& contract, std::int64_t index) {
    if (index < 0 || index >= static_cast<std::int64_t>(contract.jobs.size())) {
        throw UsageError(fmt::format("there is no job {}", index), "--index",
                         fmt::format("the sweep has jobs 0 to {}", contract.jobs.size() - 1));
    }
    return static_cast<std::size_t>(index);
}

}  // namespace

int sweepCancel(const Session& session, const std::filesystem::path& file,
                const std::vector<std::int32_t>& indices) {
    const SweepContract contract = readContract(file);
    std::vector<std::size_t> jobs;
    for (const std::int32_t index : indices) {
        jobs.push_back(jobIn(contract, index));
    }
    const bool onSlurm = lastSlurmOptions(contract).has_value();
    std::size_t cancelled = 0;
    if (onSlurm) {
        cancelled = jobs.empty() ? cancelOnSlurm(contract) : cancelOnSlurm(contract, jobs);
    } else {
        if (jobs.empty()) {
            jobs.resize(contract.jobs.size());
            std::iota(jobs.begin(), jobs.end(), std::size_t{0});
        }
        cancelled = stopProcesses(contract, jobs);
    }
    const auto count = static_cast<std::int64_t>(cancelled);
    session.print(
        fmt::format("{}; finished matrices are kept\n",
                    onSlurm ? counted(count, "task") + " cancelled in Slurm"
                            : counted(count, "process", "processes") + " asked to stop"),
        {{"sweep", contract.file.string()}, {"cancelled", cancelled}, {"on_slurm", onSlurm}});
    return kOk;
}

int sweepResume(const Session& session, const std::filesystem::path& file) {
    const SweepContract contract = readContract(file);
    const auto options = lastSlurmOptions(contract);
    if (!options) {
        throw Error("was not submitted to Slurm, so it cannot be resubmitted",
                    contract.file.string(),
                    fmt::format("use cospadi job --sweep {} --left, or add --on slurm to cospadi "
                                "sweep",
                                shellWord(contract.file.string())));
    }
    requireOwnRevision(contract);
    return submit(session, contract, *options);
}

int sweepFollow(const Session& session, const std::filesystem::path& file, std::int64_t index) {
    const SweepContract contract = readContract(file);
    followEvents(
        contract, jobIn(contract, index),
        [](std::string_view line) {
            std::fwrite(line.data(), 1, line.size(), stdout);
            std::fputc('\n', stdout);
            std::fflush(stdout);
        },
        session.signals.token());
    return session.signals.token().stop_requested() ? kCancelled : kOk;
}

}  // namespace cospadi::cli
