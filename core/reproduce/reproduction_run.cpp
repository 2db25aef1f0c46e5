#include "core/reproduce/reproduction_run.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/lm_eval/task_check.h"

namespace cospadi {

namespace {

class Maker {
  public:
    Maker(const Protocol& protocol, const PlannedTasks* tasks, const ReproductionOptions& options,
          const std::stop_token& stop)
        : m_protocol(protocol),
          m_tasks(tasks),
          m_options(options),
          m_stop(stop),
          m_sweep(options.sweep),
          m_unmeasured(options.sweep) {
        m_unmeasured.evaluate.reset();
        const SweepEvaluation& evaluate = protocol.sweep.evaluate;
        if (!evaluate.text.empty()) {
            m_sweep.evaluate = evaluate.options;
            m_sweep.text = namedText(evaluate.text);
        }
    }

    // before: the outcomes of the runs that stand before it in the plan.
    ReproductionOutcome make(std::size_t number, const PlannedRun& run,
                             const std::vector<ReproductionOutcome>& before) {
        ReproductionOutcome outcome;
        outcome.job.state = run.job.state;
        if (!run.refusal.empty()) {
            outcome.job.state = JobState::Failed;
            outcome.job.error = run.refusal;
            outcome.hole = "cannot start: " + run.refusal;
            return outcome;
        }
        SweepJob job = run.job;
        if (run.isMadeAgain) {  // what it has recorded is not enough for what is asked after it
            job.state = JobState::Incomplete;
        }
        bool isNew = false;
        if (run.step && !derive(run, before[run.source], job, isNew, outcome)) {
            return outcome;
        }
        outcome.job = runSweep({job}, run.isTabled ? m_sweep : m_unmeasured, m_stop).front();
        outcome.job.skipped = outcome.job.skipped && !isNew;
        if (outcome.job.state != JobState::Finished) {
            outcome.hole = outcome.job.error.empty()
                               ? std::string("cancelled before it was finished")
                               : fmt::format("{}: {}", name(outcome.job.state), outcome.job.error);
        } else if (run.isTabled) {
            askTasks(outcome);
            measureThroughput(outcome);
        }
        if (!outcome.job.run.id.empty() && m_options.onRecorded) {
            m_options.onRecorded(number, outcome.job.run.directory);
        }
        return outcome;
    }

  private:
    // Whether the derived run is there now, as what `job` says; else the outcome says why not.
    bool derive(const PlannedRun& run, const ReproductionOutcome& source, SweepJob& job,
                bool& isNew, ReproductionOutcome& outcome) {
        if (m_stop.stop_requested()) {
            outcome.hole = "cancelled before it was finished";
            return false;
        }
        if (source.job.state != JobState::Finished) {
            outcome.job.state = source.job.state;
            outcome.hole = fmt::format("the run it is derived from is missing: {}", source.hole);
            return false;
        }
        try {
            const DerivedRun made =
                makeDerived(*run.step, source.job.run.directory, m_sweep.execution.onEvent, m_stop);
            if (made.summary.termination == Termination::Cancelled) {
                outcome.job.state = JobState::Cancelled;
                outcome.hole = "cancelled before it was finished";
                return false;
            }
            isNew = !made.wasThere;
            job.directory = made.summary.directory;
            job.state = JobState::Finished;
            return true;
        } catch (const std::exception& error) {
            outcome.job.state = JobState::Failed;
            outcome.job.error = error.what();
            outcome.hole = fmt::format("{}: {}", words(*run.step), error.what());
            return false;
        }
    }

    void askTasks(ReproductionOutcome& outcome) {
        if (m_tasks == nullptr) {
            return;
        }
        const std::filesystem::path& run = outcome.job.run.directory;
        try {
            if (m_tasks->missing(run).empty()) {
                return;
            }
            outcome.job.skipped = false;
            tellSamples();
            const TaskAsking asking{m_sweep.execution.device, m_sweep.execution.threads,
                                    m_sweep.evaluationProgress, m_sweep.evaluationNote};
            if (!m_tasks->ask(run, asking, m_stop)) {
                outcome.job.state = JobState::Cancelled;
                outcome.hole = "cancelled before its tasks were finished";
            }
        } catch (const std::exception& error) {
            outcome.hole = fmt::format("tasks: {}", error.what());
        }
    }

    // Once, and where something is asked.
    void tellSamples() {
        const std::vector<std::string>& sampled = m_tasks->sampled();
        if (!m_hasToldSamples && !sampled.empty() && m_sweep.evaluationNote) {
            m_sweep.evaluationNote(
                fmt::format("{}: samples shipped with the program, not the full data sets "
                            "(`cospadi data fetch {}`)",
                            fmt::join(sampled, ", "), fmt::join(sampled, " ")));
        }
        m_hasToldSamples = true;
    }

    void measureThroughput(ReproductionOutcome& outcome) {
        if (!m_protocol.throughput || outcome.job.state != JobState::Finished) {
            return;
        }
        const ThroughputStudy& study = *m_protocol.throughput;
        const std::filesystem::path& run = outcome.job.run.directory;
        try {
            outcome.job.skipped = outcome.job.skipped && missingPoints(run, study).empty();
            const LoadProgram load = m_options.load ? m_options.load : loadWithin(study.text);
            if (!studyThroughput(run, study, load, m_sweep.evaluationProgress, m_stop)) {
                outcome.job.state = JobState::Cancelled;
                outcome.hole = "cancelled before its throughput was measured";
            }
        } catch (const std::exception& error) {
            outcome.hole = fmt::format("{}{}throughput: {}", outcome.hole,
                                       outcome.hole.empty() ? "" : "; ", error.what());
        }
    }

    const Protocol& m_protocol;
    const PlannedTasks* m_tasks;
    const ReproductionOptions& m_options;
    const std::stop_token& m_stop;
    SweepOptions m_sweep;
    SweepOptions m_unmeasured;  // of runs that others are made of
    bool m_hasToldSamples = false;
};

// Before the first run that is to be asked is compressed.
void requireAskedRuns(const ReproductionPlan& plan, const ReproductionOptions& options,
                      const std::stop_token& stop) {
    if (plan.tasks == nullptr || plan.untimed() == 0 || stop.stop_requested()) {
        return;
    }
    try {
        requireAskable(plan.tasks->plan(), options.sweep.evaluationNote, stop);
    } catch (const Error&) {
        if (!stop.stop_requested()) {  // else no run begins
            throw;
        }
    }
}

}  // namespace

std::vector<ReproductionOutcome> runReproduction(const ReproductionPlan& plan,
                                                 const Protocol& protocol,
                                                 const ReproductionOptions& options,
                                                 const std::stop_token& stop) {
    requireAskedRuns(plan, options, stop);
    Maker maker(protocol, plan.tasks.get(), options, stop);
    std::vector<ReproductionOutcome> outcomes;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        const bool begins = !stop.stop_requested();
        if (begins && options.onStart) {
            options.onStart(i);
        }
        outcomes.push_back(maker.make(i, plan.runs[i], outcomes));
        if (begins && options.onFinish) {
            options.onFinish(i, outcomes.back().job, outcomes.back().hole);
        }
    }
    return outcomes;
}

std::vector<ReproducedRun> reproducedRuns(const ReproductionPlan& plan,
                                          const std::vector<ReproductionOutcome>& outcomes,
                                          const RunStore& store) {
    std::vector<ReproducedRun> runs;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        const PlannedRun& planned = plan.runs[i];
        if (!planned.isTabled) {
            continue;
        }
        ReproducedRun run{planned.job.specification, planned.description, {}, outcomes[i].hole};
        if (!outcomes[i].job.run.id.empty()) {
            RunRow row = store.find(outcomes[i].job.run.id);
            if (row.status == "finished") {
                run.row = std::move(row);
            } else if (run.hole.empty()) {
                run.hole = row.status;
            }
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace cospadi
