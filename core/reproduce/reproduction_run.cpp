#include "core/reproduce/reproduction_run.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/resources.h"

namespace cospadi {

namespace {

class Maker {
  public:
    Maker(const Protocol& protocol, const ReproductionOptions& options, const std::stop_token& stop)
        : m_protocol(protocol), m_options(options), m_stop(stop), m_sweep(options.sweep) {
        const SweepEvaluation& evaluate = protocol.sweep.evaluate;
        if (!evaluate.text.empty()) {
            m_sweep.evaluate = evaluate.options;
            m_sweep.text = namedText(evaluate.text);
        }
    }

    ReproductionOutcome make(std::size_t number, const PlannedRun& run) {
        ReproductionOutcome outcome;
        outcome.job.state = run.job.state;
        if (!run.refusal.empty()) {
            outcome.job.state = JobState::Failed;
            outcome.job.error = run.refusal;
            outcome.hole = "cannot begin: " + run.refusal;
            return outcome;
        }
        outcome.job = runSweep({run.job}, m_sweep, m_stop).front();
        if (outcome.job.state != JobState::Finished) {
            outcome.hole = outcome.job.error.empty()
                               ? std::string("cancelled before it was done")
                               : fmt::format("{}: {}", name(outcome.job.state), outcome.job.error);
        } else {
            askTasks(outcome);
        }
        if (!outcome.job.run.id.empty() && m_options.onRecorded) {
            m_options.onRecorded(number, outcome.job.run.directory);
        }
        return outcome;
    }

  private:
    void askTasks(ReproductionOutcome& outcome) {
        if (m_protocol.tasks.names.empty()) {
            return;
        }
        NativeRequest request;
        request.model = outcome.job.run.directory.string();
        request.tasks = m_protocol.tasks.names;
        request.selection.limit = m_protocol.tasks.limit;
        request.threads = m_sweep.execution.threads;
        request.device = m_sweep.execution.device;
        try {
            const auto asked = evaluateTasks(request, m_options.tasks, m_stop);
            if (!asked) {
                outcome.job.state = JobState::Cancelled;
                outcome.hole = "cancelled before its tasks were done";
                return;
            }
            outcome.job.skipped = outcome.job.skipped && asked->items == 0;
            outcome.hole = asked->unrecorded.empty() ? "" : "tasks: " + asked->unrecorded;
        } catch (const std::exception& error) {
            outcome.hole = fmt::format("tasks: {}", error.what());
        }
    }

    const Protocol& m_protocol;
    const ReproductionOptions& m_options;
    const std::stop_token& m_stop;
    SweepOptions m_sweep;
};

}  // namespace

std::vector<ReproductionOutcome> runReproduction(const ReproductionPlan& plan,
                                                 const Protocol& protocol,
                                                 const ReproductionOptions& options,
                                                 const std::stop_token& stop) {
    Maker maker(protocol, options, stop);
    std::vector<ReproductionOutcome> outcomes;
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        const bool begins = !stop.stop_requested();
        if (begins && options.onStart) {
            options.onStart(i);
        }
        outcomes.push_back(maker.make(i, plan.runs[i]));
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
