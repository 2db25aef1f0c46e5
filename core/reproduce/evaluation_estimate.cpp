#include "core/reproduce/evaluation_estimate.h"

#include <filesystem>

#include "core/base/resources.h"

namespace cospadi {

namespace {

constexpr double kMemoryBytesPerSecond = 10e9;  // assumed: a token needs each weight once
constexpr double kBytesPerWeight = 2;

std::filesystem::path textOf(const SweepEvaluation& evaluate) {
    return evaluate.text.empty() ? std::filesystem::path() : namedText(evaluate.text);
}

std::string directoryOf(const RunRow* row) { return row == nullptr ? "" : row->directory; }

}  // namespace

EvaluationEstimate::EvaluationEstimate(const Protocol& protocol, const PlannedTasks* tasks,
                                       const MeasuredRates& rates, const std::string& modelSha256,
                                       double parameters, int cores)
    : m_protocol(protocol),
      m_measuring(textOf(protocol.sweep.evaluate), protocol.sweep.evaluate.options, tasks, rates,
                  modelSha256, parameters, cores),
      m_parameters(parameters) {}

double EvaluationEstimate::secondsLeft(const RunRow* row) const {
    return m_measuring.secondsLeft(directoryOf(row)) + throughputSecondsLeft(row);
}

std::vector<std::string> EvaluationEstimate::untimed(const RunRow* row) const {
    return m_measuring.untimed(directoryOf(row));
}

// Users generate together, a step a token.
double EvaluationEstimate::throughputSecondsLeft(const RunRow* row) const {
    if (!m_protocol.throughput) {
        return 0;
    }
    const ThroughputStudy& study = *m_protocol.throughput;
    const double step = kBytesPerWeight * m_parameters / kMemoryBytesPerSecond;
    double seconds = 0;
    for (const auto& [users, prompt] : missingPoints(directoryOf(row), study)) {
        seconds += static_cast<double>(study.rounds + 1) *
                   (step * static_cast<double>(study.tokens) +
                    static_cast<double>(users * prompt) / m_measuring.tokensPerSecond());
    }
    return seconds;
}

}  // namespace cospadi
