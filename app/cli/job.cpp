// `cospadi job`: a job of a sweep file, as any scheduler starts it (docs/cluster.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/command_line/number_text.h"
#include "core/base/printable_text.h"
#include "core/cluster/contracted_job.h"
#include "core/cluster/process_identity.h"

namespace cospadi::cli {

namespace {

constexpr const char* kIndexVariable = "SLURM_ARRAY_TASK_ID";

struct Options {
    std::filesystem::path sweep;
    std::optional<std::int64_t> index;
    std::string stage = "all";
    std::int64_t count = 1;
    bool left = false;
};

const char* name(JobEnd end) {
    switch (end) {
        case JobEnd::Done:
            return "done";
        case JobEnd::Again:
            return "again";
        case JobEnd::Never:
            return "never";
        case JobEnd::Failed:
            return "failed";
    }
    return "";
}

int exitCodeOf(JobEnd end) {
    switch (end) {
        case JobEnd::Done:
            return kOk;
        case JobEnd::Again:
            return kAgain;
        case JobEnd::Never:
            return kNever;
        case JobEnd::Failed:
            return kFailed;
    }
    return kFailed;
}

// Of several jobs: what another start may change counts most, then what a look may.
int urgent(int a, int b) {
    constexpr std::array kByUrgency{static_cast<int>(kAgain), static_cast<int>(kFailed),
                                    static_cast<int>(kNever)};
    for (const int code : kByUrgency) {
        if (a == code || b == code) {
            return code;
        }
    }
    return kOk;
}

std::size_t indexOf(const Options& options, const SweepContract& contract) {
    std::optional<std::int64_t> index = options.index;
    if (!index) {
        const char* text = std::getenv(kIndexVariable);
        index = wholeNumberIn(text == nullptr ? "" : text);
        if (!index) {
            throw UsageError("no job of the sweep is selected", "--index",
                             fmt::format("give its number, or set {}", kIndexVariable));
        }
    }
    if (*index < 0 || *index >= static_cast<std::int64_t>(contract.jobs.size())) {
        throw Error(fmt::format("has no job {}: jobs are numbered 0 to {}", *index,
                                contract.jobs.size() - 1),
                    contract.file.string(), "give the number of one of its jobs");
    }
    return static_cast<std::size_t>(*index);
}

std::string countProblem(const std::string& text) {
    return wholeNumberIn(text).value_or(0) >= 1 ? "" : "'" + text + "' is not a number of jobs";
}

class Jobs {
  public:
    Jobs(const Session& session, const SweepContract& contract, JobStage stage)
        : m_session(session), m_contract(contract), m_stage(stage) {
        DeviceOptions device;
        device.device = contract.execution.device;
        device.tf32 = contract.execution.tf32;
        m_hooks.execution.device = device.open();
        m_hooks.execution.onEvent = [this](const nlohmann::json& event) { m_progress(event); };
        m_hooks.progress = session.progress(m_line);
    }

    JobReport run(std::size_t job) {
        JobReport report = doJob(m_contract, job, m_stage, m_hooks, m_session.signals.token());
        m_progress.clear();
        m_line.clear();
        m_rows.push_back({{"index", job},
                          {"id", m_contract.jobs[job].id},
                          {"end", name(report.end)},
                          {"earlier", report.earlier},
                          {"directory", m_contract.runOf(job).string()},
                          {"reason", report.reason}});
        m_text +=
            fmt::format("job {}: {}{}{}\n", job, name(report.end), report.earlier ? " earlier" : "",
                        report.reason.empty() ? "" : ": " + printableLine(report.reason));
        return report;
    }

    void print() const { m_session.print(m_text, {{"jobs", m_rows}}); }

  private:
    const Session& m_session;
    const SweepContract& m_contract;
    JobStage m_stage;
    JobHooks m_hooks;
    RunProgress m_progress;
    ProgressLine m_line;
    nlohmann::json m_rows = nlohmann::json::array();
    std::string m_text;
};

// That the file is not there may pass: a folder that this machine does not see, or not yet.
void requireSeen(const std::filesystem::path& file) {
    std::error_code failed;
    if (!std::filesystem::exists(file, failed)) {
        throw Error(fmt::format("{} cannot see the sweep file", thisProcess().host), file.string(),
                    "mount its folder there under the same path, then start the job again");
    }
}

int doJobs(const Session& session, const Options& options) {
    SignalStop::endAtOnceWith(kAgain);
    const JobStage stage = asUsage([&] { return jobStageFromName(options.stage); });
    if (options.left && options.index) {
        throw UsageError("selects one job, while --left selects all unfinished ones", "--index",
                         "use one of the two");
    }
    requireSeen(options.sweep);
    std::optional<SweepContract> contract;
    std::vector<std::size_t> chosen;
    try {
        contract = readContract(options.sweep);
        requireOwnRevision(*contract);
        if (options.left) {
            for (std::size_t job = 0; job < contract->jobs.size(); ++job) {
                chosen.push_back(job);
            }
        } else {
            const std::size_t first = indexOf(options, *contract);
            const auto behind = static_cast<std::int64_t>(contract->jobs.size() - first);
            for (std::int64_t i = 0; i < std::min(options.count, behind); ++i) {
                chosen.push_back(first + static_cast<std::size_t>(i));
            }
        }
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        throw NeverError(error);
    }
    // Before anything is looked up in it: what jobs share is computed once for all of them.
    ::setenv("XDG_CACHE_HOME", contract->cacheHome().c_str(), 1);
    Jobs jobs(session, *contract, stage);
    int exitCode = kOk;
    for (const std::size_t job : chosen) {
        const JobReport report = jobs.run(job);
        exitCode = urgent(exitCode, exitCodeOf(report.end));
        if (session.signals.token().stop_requested()) {
            exitCode = kAgain;
            break;
        }
    }
    jobs.print();
    return exitCode;
}

}  // namespace

void addJob(Command app, Session& session) {
    const Command command = app.addCommand(
        "job", "Run one job of a sweep file, as schedulers do; finished work is skipped");
    auto options = std::make_shared<Options>();
    command
        .addOption("--sweep", options->sweep,
                   "Sweep file written by `sweep --write-jobs` or `--on`")
        .required();
    command
        .addOption("--index", options->index,
                   fmt::format("Number of the job, from 0 [${}]", kIndexVariable))
        .typeName("INT");
    const Argument count =
        command
            .addOption("--count", options->count,
                       "Number of jobs to run from --index on, one after the other")
            .check(countProblem)
            .showDefault();
    command.addOption("--stage", options->stage,
                      "Run only this stage: calibrate, compress or evaluate [all that are needed]");
    command.addFlag("--left", options->left, "Run all unfinished jobs, one after the other")
        .excludes(count);
    finishCommand(command, session, [&session, options] { return doJobs(session, *options); });
}

}  // namespace cospadi::cli
