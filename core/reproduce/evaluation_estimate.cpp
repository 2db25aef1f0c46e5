#include "core/reproduce/evaluation_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/evaluation/perplexity.h"
#include "core/lm_eval/task_data.h"
#include "core/run/cost_estimate.h"
#include "core/run/evaluate_run.h"
#include "core/tasks/task_items.h"

namespace cospadi {

namespace {

constexpr double kCharactersPerToken = 4;
constexpr double kMemoryBytesPerSecond = 10e9;  // assumed: a token needs each weight once
constexpr double kBytesPerWeight = 2;

double tokensOf(const std::vector<Task>& tasks) {
    double characters = 0;
    double continuations = 0;
    for (const Task& task : tasks) {
        for (const TaskItem& item : task.items) {
            characters += static_cast<double>(item.context.size());
            for (std::size_t i = 0; i < item.continuations.size(); ++i) {
                characters += static_cast<double>(item.continuations[i].size());
                characters +=
                    item.contexts.empty() ? 0 : static_cast<double>(item.contexts[i].size());
            }
            continuations += static_cast<double>(item.continuations.size());
        }
    }
    return characters / kCharactersPerToken + continuations;
}

bool isOfProtocol(const EvaluationRow& row, const PerplexityOptions& options) {
    return row.kind == "perplexity" && row.context == options.context &&
           row.maxTokens == options.maxTokens && row.score == name(options.score);
}

}  // namespace

EvaluationEstimate::EvaluationEstimate(const Protocol& protocol, const std::vector<RunRow>& rows,
                                       const std::string& modelSha256, double parameters, int cores)
    : m_protocol(protocol), m_parameters(parameters) {
    const SweepEvaluation& evaluate = protocol.sweep.evaluate;
    if (!evaluate.text.empty()) {
        const std::filesystem::path text = namedText(evaluate.text);
        std::error_code absent;
        const auto bytes = std::filesystem::file_size(text, absent);
        if (absent) {
            throw Error("there is no such text", evaluate.text,
                        "give a file in the entry, or the word wikitext2");
        }
        m_textTokens = static_cast<double>(bytes) / kCharactersPerToken;
        if (evaluate.options.maxTokens > 0) {
            m_textTokens = std::min(m_textTokens, static_cast<double>(evaluate.options.maxTokens));
        }
    }
    if (!protocol.tasks.names.empty()) {
        TaskSelection selection;
        selection.otherwise = taskDataPlaces();
        selection.limit = protocol.tasks.limit;
        try {
            m_taskTokens = tokensOf(readTasks(protocol.tasks.names, selection));
        } catch (const Error& error) {
            throw Error(
                error.problem(), error.where(),
                fmt::format("fetch what the entry asks with `cospadi data fetch {}`; --quick "
                            "does with the samples that ship",
                            fmt::join(protocol.tasks.names, " ")));
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

double EvaluationEstimate::secondsLeft(const RunRow* row) const {
    const auto hasTask = [&](const std::string& task) {
        return std::any_of(
            row->taskResults.begin(), row->taskResults.end(), [&](const TaskResultRow& result) {
                return result.task == task || (task == "mmlu" && result.task.starts_with("mmlu_"));
            });
    };
    const bool hasText =
        row != nullptr &&
        std::any_of(row->evaluations.begin(), row->evaluations.end(),
                    [&](const EvaluationRow& evaluation) {
                        return isOfProtocol(evaluation, m_protocol.sweep.evaluate.options);
                    });
    const std::vector<std::string>& tasks = m_protocol.tasks.names;
    const bool hasTasks = row != nullptr && std::all_of(tasks.begin(), tasks.end(), hasTask);
    return ((hasText ? 0 : m_textTokens) + (hasTasks ? 0 : m_taskTokens)) / m_tokensPerSecond +
           throughputSecondsLeft(row);
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
