#include "app/cli/reproduce_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/load_program.h"
#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "core/reproduce/plan_here.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// What goes on with the run at hand, told as it goes on: matrices, then what is measured.
class Teller {
  public:
    Teller(const ReproductionPlan& plan, const EngineJob& job, const SendEvent& send)
        : m_plan(plan), m_job(job), m_send(send) {}

    void tellRun(std::size_t number, const std::string& state, const std::string& hole) const {
        json event = eventOf("reproduce_run", number);
        event.update({{"state", state}, {"hole", hole}});
        m_send(event);
    }

    void begin(std::size_t number) {
        m_number = number;
        m_finished = 0;
        tellRun(number, "running", "");
    }

    void takeRunEvent(const json& event, const std::vector<std::string>& tags) {
        if (event.at("event") == "run_started") {
            indexOrWarn(event.at("directory").get<std::string>(), tags);
        } else if (event.at("event") == "matrix_finished") {
            const std::int64_t all = m_plan.runs[m_number].estimate.matrices;
            m_finished = std::min(m_finished + 1, all);  // refined ones are told once more
            tellProgress("matrices", m_finished, all);
        }
    }

    void tellProgress(const std::string& stage, std::int64_t done, std::int64_t total) const {
        json event = eventOf("reproduce_progress", m_number);
        event.update({{"stage", stage}, {"done", done}, {"total", total}});
        m_send(event);
    }

  private:
    json eventOf(const char* name, std::size_t number) const {
        return {
            {"event", name}, {"job", m_job.name}, {"run", number}, {"runs", m_plan.runs.size()}};
    }

    const ReproductionPlan& m_plan;
    const EngineJob& m_job;
    const SendEvent& m_send;
    std::size_t m_number = 0;
    std::int64_t m_finished = 0;
};

}  // namespace

ReproductionAsked reproductionAsked(const json& params) {
    return {availableReproduction(params.at("label").get<std::string>()),
            params.at("model").get<std::string>(),
            protocolSizeFromName(params.value("size", "full"))};
}

json reproduceAsJob(const ReproductionAsked& asked, EngineJob& job, const ComputeDevice& device,
                    const SendEvent& send) {
    requireStore();
    const Protocol& protocol = asked.entry.protocol(asked.size);
    const ReproductionPlan plan =
        planHere(asked.entry, asked.size, asked.model, device.description);
    const std::vector<std::string> tags = {tagOf(asked.entry, asked.size)};
    Teller teller(plan, job, send);
    const auto tell = [&](const Progress& p) { teller.tellProgress(p.stage, p.done, p.total); };
    ReproductionOptions options;
    options.sweep.execution.writeModel = false;
    options.sweep.execution.device = device;
    options.sweep.execution.gate = &job.gate;
    options.sweep.execution.onEvent = [&](const json& event) { teller.takeRunEvent(event, tags); };
    options.sweep.evaluationProgress = tell;
    if (protocol.throughput) {
        options.load = loadOutside(protocol.throughput->text);
    }
    options.onStart = [&](std::size_t run) { teller.begin(run); };
    options.onRecorded = [&](std::size_t, const std::filesystem::path& directory) {
        indexOrWarn(directory, tags);
    };
    options.onFinish = [&](std::size_t run, const JobOutcome& outcome, const std::string& hole) {
        teller.tellRun(run, name(outcome.state), hole);
    };
    const auto outcomes = runReproduction(plan, protocol, options, job.stop.get_token());
    if (job.stop.stop_requested()) {
        throw Error("cancelled", "reproduce", "");
    }
    const auto holes = std::count_if(outcomes.begin(), outcomes.end(),
                                     [](const auto& outcome) { return !outcome.hole.empty(); });
    return {{"label", asked.entry.name}, {"runs", outcomes.size()}, {"holes", holes}};
}

}  // namespace cospadi::cli
