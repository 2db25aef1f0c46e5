#include "core/run/run_reporter.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/run/block_removal.h"

namespace cospadi {

namespace {

constexpr int kUsagePoints = 64;

}  // namespace

RunReporter::RunReporter(RunWriter& writer, EventCallback listener, const PauseGate* gate)
    : m_writer(writer), m_listener(std::move(listener)), m_clock(gate) {}

void RunReporter::tell(nlohmann::json event) {
    const std::scoped_lock lock(m_mutex);
    event["t"] = std::round(m_clock.seconds() * 1e4) / 1e4;
    if (event["event"] != "progress") {
        m_writer.appendEvent(event);
    }
    if (m_listener) {
        event["run"] = m_writer.id();
        m_listener(event);
    }
}

void RunReporter::runStarted(std::size_t matrices, std::size_t finished, const std::string& device,
                             bool isWhitened) {
    tell({{"event", "run_started"},
          {"matrices", matrices},
          {"finished", finished},
          {"device", device},
          {"whitened", isWhitened},
          {"directory", m_writer.directory().string()}});
}

void RunReporter::runFinished(const std::string& status, const std::string& message) {
    tell({{"event", "run_finished"},
          {"status", status},
          {"message", message},
          {"seconds", m_clock.seconds()}});
}

void RunReporter::solvedBefore(const std::string& run, double seconds) {
    tell({{"event", "solved_before"}, {"from", run}, {"seconds", seconds}});
}

void RunReporter::progress(const Progress& progress) { tell(progressEvent(progress)); }

void RunReporter::blocksLeftOut(const RemovedRow& row) {
    tell({{"event", "blocks_left_out"},
          {"first", row.first},
          {"count", row.count},
          {"distance", row.distances.at(static_cast<std::size_t>(row.first - 1))},
          {"error_without", row.errorWithout},
          {"error_with", row.errorWith}});
}

void RunReporter::preparation(double seconds) {
    tell({{"event", "preparation"}, {"seconds", seconds}});
}

void RunReporter::warning(const std::string& matrix, const std::string& message) {
    tell({{"event", "warning"}, {"matrix", matrix}, {"message", message}});
}

void RunReporter::unitStarted(const LayerUnit& unit, const MatrixOptions& options) {
    const LayerInfo whole = unit.shape();
    const nlohmann::json facts = options.method->plan(options, whole.d1, whole.d2).facts;
    for (const LayerInfo& layer : unit.layers) {
        nlohmann::json event{{"event", "matrix_started"},
                             {"matrix", layer.name},
                             {"d1", layer.d1},
                             {"d2", layer.d2}};
        if (unit.isShared()) {
            event["unit"] = unit.id();
        }
        event.update(facts);
        tell(std::move(event));
    }
}

void RunReporter::iteration(const LayerUnit& unit, const IterationSummary& summary) {
    const double entropy = usageEntropy(summary.atomUsage);
    const auto usage = usageQuantiles(summary.atomUsage, kUsagePoints);
    for (const LayerInfo& layer : unit.layers) {
        nlohmann::json event{{"event", "iteration"},
                             {"matrix", layer.name},
                             {"phase", summary.phase},
                             {"iteration", summary.iteration},
                             {"relative_error", summary.relativeError},
                             {"dead_atoms", summary.deadAtoms},
                             {"support_changes", summary.supportChanges},
                             {"usage_entropy", entropy},
                             {"usage", usage},
                             {"seconds", summary.seconds},
                             {"coding_seconds", summary.phases.coding},
                             {"dictionary_seconds", summary.phases.dictionary}};
        if (summary.heldOutError) {
            event["held_out_error"] = *summary.heldOutError;
        }
        tell(std::move(event));
    }
}

void RunReporter::matrixFinished(const MatrixRecord& record) {
    nlohmann::json event{{"event", "matrix_finished"},
                         {"matrix", record.name},
                         {"relative_error", record.relativeError},
                         {"bytes", record.bytes},
                         {"dense_bytes", record.denseBytes},
                         {"seconds", record.seconds},
                         {"core_seconds", record.coreSeconds},
                         {"active_atoms", record.activeAtoms},
                         {"multiplications", record.multiplications},
                         {"form", record.form},
                         {"facts", record.facts}};
    if (record.phases) {
        event["coding_seconds"] = record.phases->coding;
        event["dictionary_seconds"] = record.phases->dictionary;
    }
    if (record.heldOutError) {
        event["held_out_error"] = *record.heldOutError;
    }
    if (record.sourceBytes > 0) {
        event["source_type"] = record.sourceType;
        event["source_bytes"] = record.sourceBytes;
    }
    tell(std::move(event));
}

void RunReporter::refinementStep(const RefinementStep& step) {
    tell({{"event", "refinement_step"},
          {"step", step.step},
          {"steps", step.steps},
          {"divergence", step.divergence},
          {"seconds", step.seconds}});
}

}  // namespace cospadi
