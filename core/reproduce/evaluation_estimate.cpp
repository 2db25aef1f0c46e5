#include "core/reproduce/evaluation_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/lm_eval/lm_eval_files.h"
#include "core/lm_eval/task_data.h"
#include "core/run/cost_estimate.h"
#include "core/tasks/task_items.h"

namespace cospadi {

namespace {

constexpr double kCharactersPerToken = 4;
constexpr double kMemoryBytesPerSecond = 10e9;  // assumed: a token needs each weight once
constexpr double kBytesPerWeight = 2;

double tokensOf(const Task& task) {
    double characters = 0;
    double continuations = 0;
    for (const TaskItem& item : task.items) {
        characters += static_cast<double>(item.context.size());
        for (std::size_t i = 0; i < item.continuations.size(); ++i) {
            characters += static_cast<double>(item.continuations[i].size());
            characters += item.contexts.empty() ? 0 : static_cast<double>(item.contexts[i].size());
        }
        continuations += static_cast<double>(item.continuations.size());
    }
    return characters / kCharactersPerToken + continuations;
}

// A damaged answer is none: whoever evaluates says what is wrong with it.
template <class Find>
bool isAnswered(const Find& find) {
    try {
        return find().has_value();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

EvaluationEstimate::EvaluationEstimate(const Protocol& protocol, const std::vector<RunRow>& rows,
                                       const std::string& modelSha256, double parameters, int cores)
    : m_protocol(protocol), m_parameters(parameters) {
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
    if (!protocol.tasks.names.empty()) {
        TaskSelection selection;
        selection.data = protocol.tasks.data;
        if (selection.data.empty()) {
            selection.otherwise = taskDataPlaces();
        }
        selection.limit = protocol.tasks.limit;
        try {
            for (const Task& task : readTasks(protocol.tasks.names, selection)) {
                m_tasks.push_back({questionOf(task), tokensOf(task)});
            }
        } catch (const Error& error) {
            if (!selection.data.empty()) {
                throw;
            }
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

// By the rule by which runs are measured: what was asked of other items, data or text is no answer.
double EvaluationEstimate::secondsLeft(const RunRow* row) const {
    double tokens = m_textTokens;
    if (row != nullptr && m_textTokens > 0) {
        EvaluationRequest request = m_text;
        request.model = row->directory;
        tokens = isAnswered([&] { return recordedPerplexity(request); }) ? 0 : m_textTokens;
    }
    for (const AskedTask& task : m_tasks) {
        const bool isDone = row != nullptr && isAnswered([&] {
                                return recordedTaskEvaluation(row->directory, task.question);
                            });
        tokens += isDone ? 0 : task.tokens;
    }
    return tokens / m_tokensPerSecond + throughputSecondsLeft(row);
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
