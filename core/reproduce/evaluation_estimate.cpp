#include "core/reproduce/evaluation_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/lm_eval/task_size.h"
#include "core/run/cost_estimate.h"

namespace cospadi {

namespace {

constexpr double kMemoryBytesPerSecond = 10e9;  // assumed: a token needs each weight once
constexpr double kBytesPerWeight = 2;

// A damaged answer is none: whoever evaluates says what is wrong with it.
bool hasPerplexity(const EvaluationRequest& request) {
    try {
        return recordedPerplexity(request).has_value();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

EvaluationEstimate::EvaluationEstimate(const Protocol& protocol, const PlannedTasks* tasks,
                                       const std::vector<RunRow>& rows,
                                       const std::string& modelSha256, double parameters, int cores)
    : m_protocol(protocol), m_tasks(tasks), m_parameters(parameters) {
    const SweepEvaluation& evaluate = protocol.sweep.evaluate;
    if (!evaluate.text.empty()) {
        m_text.text = namedText(evaluate.text);
        m_text.options = evaluate.options;
        std::error_code absent;
        const auto bytes = std::filesystem::file_size(m_text.text, absent);
        if (absent) {
            throw Error("there is no such text", evaluate.text,
                        "give a file in the entry, or the word wikitext2");
        }
        m_textTokens = static_cast<double>(bytes) / kCharactersPerToken;
        if (evaluate.options.maxTokens > 0) {
            m_textTokens = std::min(m_textTokens, static_cast<double>(evaluate.options.maxTokens));
        }
    }
    double tokens = 0;
    double seconds = 0;
    for (const RunRow& row : rows) {
        for (const EvaluationRow& evaluation : row.evaluations) {
            if (row.modelSha256 == modelSha256 && evaluation.kind == "perplexity" &&
                evaluation.tokens > 0 && std::isfinite(evaluation.seconds)) {
                tokens += static_cast<double>(evaluation.tokens);
                seconds += evaluation.seconds;
            }
        }
    }
    m_measured = seconds > 0;
    m_tokensPerSecond =
        m_measured ? tokens / seconds : usualCalibrationRate() * cores / (2 * parameters);
}

// By the rule by which runs are measured: what was asked of other items, data or text is no answer.
double EvaluationEstimate::secondsLeft(const RunRow* row) const {
    double tokens = m_textTokens;
    if (row != nullptr && m_textTokens > 0) {
        EvaluationRequest request = m_text;
        request.model = row->directory;
        tokens = hasPerplexity(request) ? 0 : m_textTokens;
    }
    if (m_tasks != nullptr) {
        tokens += m_tasks->tokensLeft(row == nullptr ? "" : row->directory).value_or(0);
    }
    return tokens / m_tokensPerSecond + throughputSecondsLeft(row);
}

std::vector<std::string> EvaluationEstimate::untimed(const RunRow* row) const {
    return m_tasks != nullptr && m_tasks->plan().by == TasksBy::LmEval
               ? m_tasks->missing(row == nullptr ? "" : row->directory)
               : std::vector<std::string>();
}

// Users generate together, a step a token.
double EvaluationEstimate::throughputSecondsLeft(const RunRow* row) const {
    if (!m_protocol.throughput) {
        return 0;
    }
    const ThroughputStudy& study = *m_protocol.throughput;
    const double step = kBytesPerWeight * m_parameters / kMemoryBytesPerSecond;
    double seconds = 0;
    for (const auto& [users, prompt] : missingPoints(row == nullptr ? "" : row->directory, study)) {
        seconds += static_cast<double>(study.rounds + 1) *
                   (step * static_cast<double>(study.tokens) +
                    static_cast<double>(users * prompt) / m_tokensPerSecond);
    }
    return seconds;
}

}  // namespace cospadi
