// A sweep: many runs, one after the other, each of which is done once and for all. A job whose
// specification an earlier run already has finished is passed over, an interrupted one goes on
// where it stopped, one that fails is listed and the next begins. What other processes have begun
// or finished meanwhile is looked for as each job begins (run_beginning.h). Started again, a sweep
// therefore does what is left: of a run that is whole and not measured yet, perplexity and tasks
// alone. Results do not depend on the order.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/lm_eval/planned_tasks.h"
#include "core/run/compression_run.h"
#include "core/run/evaluate_run.h"
#include "core/store/run_store.h"

namespace cospadi {

enum class JobState {
    New,
    Interrupted,  // begun earlier, goes on
    Finished,     // by an earlier run or by this sweep
    Incomplete,   // finished, but of matrices that are made again (asBegun())
    Failed,
    Busy,      // another process is writing it
    Cancelled  // by the stop token; goes on next time
};
const char* name(JobState state);

struct SweepJob {
    RunSpecification specification;  // resolved
    std::filesystem::path directory;
    std::filesystem::path runs;  // the folder of new ones
    JobState state = JobState::New;
    std::int64_t finishedMatrices = 0;  // of an interrupted one
};

// What to do for these specifications, equal ones once. Earlier runs are looked for directly below
// `runs` and in `others` (directories of runs elsewhere, e.g. those that the store knows); new ones
// get directories below `runs`. Nothing is written.
std::vector<SweepJob> planSweep(const std::vector<RunSpecification>& specifications,
                                const std::filesystem::path& runs,
                                const std::vector<std::filesystem::path>& others = {});

// Against the folder of runs of this machine, and the directories that its store knows, of archived
// runs, too.
std::vector<SweepJob> planSweepHere(const std::vector<RunSpecification>& specifications,
                                    const RunStore& store);

// The fields in which the jobs differ, for a line about each: "svd, CR 0.3, seed 7".
std::vector<std::string> describeJobs(const std::vector<SweepJob>& jobs);

struct JobOutcome {
    JobState state = JobState::New;
    bool skipped = false;  // finished and measured before this job began
    RunSummary run;        // its id is empty where there is none
    std::optional<double> perplexity;
    std::vector<TaskResultRow> taskResults;  // of the tasks that were asked for
    std::string error;                       // why it failed
};

struct SweepOptions {
    RunExecution execution;
    std::optional<PerplexityOptions> evaluate;  // measure each finished run …
    std::filesystem::path text;                 // … on this text
    const PlannedTasks* tasks = nullptr;        // and ask these of it; null: none
    ProgressCallback evaluationProgress;
    std::function<void(const std::string&)> evaluationNote;
    std::function<void(std::size_t job)> onStart;
    std::function<void(std::size_t job, const JobOutcome& outcome)> onFinish;
};

inline constexpr const char* kPerplexityLeft = "perplexity";
// What is left to measure of a run that is there, or will be: kPerplexityLeft, and tasks by name.
std::vector<std::string> leftToMeasure(const SweepJob& job, const SweepOptions& options);

// The job as runSweep() will find it where `left` is to be measured. A finished run is Incomplete
// where matrices are missing or damaged: all of them in one that was imported as a record, which is
// enough unless measuring, or a model folder, takes them (solvedRun()).
SweepJob asBegun(SweepJob job, const std::vector<std::string>& left, const SweepOptions& options);

// One outcome a job, in their order. Never throws for what goes wrong inside a job. After a stop
// jobs that were whole before, measures included, are Finished all the same; a run that lacks
// measures is Interrupted.
std::vector<JobOutcome> runSweep(const std::vector<SweepJob>& jobs, const SweepOptions& options,
                                 const std::stop_token& stop = {});

}  // namespace cospadi
