#include "core/sweep/measuring_estimate.h"

#include <algorithm>
#include <iterator>
#include <system_error>

#include "core/base/error.h"
#include "core/lm_eval/task_size.h"
#include "core/run/cost_estimate.h"

namespace cospadi {

namespace {

// A damaged answer is none: whoever evaluates says what is wrong with it.
bool hasPerplexity(const EvaluationRequest& request) {
    try {
        return recordedPerplexity(request).has_value();
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

MeasuringEstimate::MeasuringEstimate(const std::filesystem::path& text,
                                     const PerplexityOptions& options, const PlannedTasks* tasks,
                                     const MeasuredRates& rates, const std::string& modelSha256,
                                     double parameters, int cores)
    : m_tasks(tasks) {
    if (!text.empty()) {
        m_text.text = text;
        m_text.options = options;
        std::error_code absent;
        const auto bytes = std::filesystem::file_size(text, absent);
        if (absent) {
            throw Error("there is no such text", text.string(),
                        "give a file, or the word wikitext2");
        }
        m_textTokens = static_cast<double>(bytes) / kCharactersPerToken;
        if (options.maxTokens > 0) {
            m_textTokens = std::min(m_textTokens, static_cast<double>(options.maxTokens));
        }
    }
    const double measured = rates.tokensPerSecond(modelSha256);
    m_measured = measured > 0;
    m_tokensPerSecond = m_measured ? measured : usualCalibrationRate() * cores / (2 * parameters);
}

double MeasuringEstimate::seconds(bool isTextLeft, bool areTasksLeft,
                                  const std::filesystem::path& directory) const {
    double tokens = isTextLeft ? m_textTokens : 0;
    if (areTasksLeft && m_tasks != nullptr) {
        tokens += m_tasks->tokensLeft(directory).value_or(0);
    }
    return tokens / m_tokensPerSecond;
}

// By the rule by which runs are measured: what was asked of other items, data or text is no answer.
double MeasuringEstimate::secondsLeft(const std::filesystem::path& directory) const {
    EvaluationRequest request = m_text;
    request.model = directory;
    const bool isMeasured = !directory.empty() && m_textTokens > 0 && hasPerplexity(request);
    return seconds(!isMeasured, true, directory);
}

std::vector<std::string> MeasuringEstimate::untimed(const std::filesystem::path& directory) const {
    return m_tasks != nullptr && m_tasks->plan().by == TasksBy::LmEval ? m_tasks->missing(directory)
                                                                       : std::vector<std::string>();
}

double MeasuringEstimate::secondsLeft(const std::filesystem::path& directory,
                                      const std::vector<std::string>& left) const {
    const auto texts = std::count(left.begin(), left.end(), kPerplexityLeft);
    return seconds(texts > 0, texts < std::ssize(left), directory);
}

std::vector<std::string> MeasuringEstimate::untimed(const std::vector<std::string>& left) const {
    std::vector<std::string> tasks;
    if (m_tasks != nullptr && m_tasks->plan().by == TasksBy::LmEval) {
        std::copy_if(left.begin(), left.end(), std::back_inserter(tasks),
                     [](const std::string& one) { return one != kPerplexityLeft; });
    }
    return tasks;
}

}  // namespace cospadi
