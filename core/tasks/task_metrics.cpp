#include "core/tasks/task_metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/tasks/python_text.h"

namespace cospadi {

namespace {

std::int64_t indexOfLargest(const std::vector<double>& values) {
    return std::max_element(values.begin(), values.end()) - values.begin();
}

}  // namespace

ItemOutcome outcomeOf(const Task& task, const TaskItem& item,
                      std::vector<ContinuationScore> scores) {
    ItemOutcome outcome{std::move(scores), -1, -1, false, false};
    if (task.form != TaskForm::Choice) {
        outcome.isCorrect = outcome.scores.front().isGreedy;
        return outcome;
    }
    std::vector<double> plain;
    std::vector<double> byLength;
    for (std::size_t i = 0; i < outcome.scores.size(); ++i) {
        plain.push_back(outcome.scores[i].logLikelihood);
        // An empty answer divides by zero, as it does in lm-eval.
        byLength.push_back(plain.back() / static_cast<double>(pythonLength(item.choices[i])));
    }
    outcome.chosen = indexOfLargest(plain);
    outcome.chosenByLength = indexOfLargest(byLength);
    outcome.isCorrect = outcome.chosen == item.answer;
    outcome.isCorrectByLength = outcome.chosenByLength == item.answer;
    return outcome;
}

void TaskTally::Mean::add(double value) {
    ++count;
    sum += value;
    squares += value * value;
}

double TaskTally::Mean::value() const {
    return count > 0 ? sum / static_cast<double>(count) : std::nan("");
}

double TaskTally::Mean::standardError() const {
    if (count < 2) {
        return std::nan("");
    }
    const auto n = static_cast<double>(count);
    const double variance = std::max(0.0, (squares - sum * sum / n) / (n - 1));
    return std::sqrt(variance / n);
}

void TaskTally::add(const TaskItem& item, const ItemOutcome& outcome) {
    m_correct.add(outcome.isCorrect ? 1 : 0);
    m_correctByLength.add(outcome.isCorrectByLength ? 1 : 0);
    m_logLikelihood.add(outcome.scores.front().logLikelihood);
    m_words += static_cast<double>(item.words);
    m_bytes += static_cast<double>(item.bytes);
}

std::vector<TaskMetric> TaskTally::metrics() const {
    const double unknown = std::nan("");
    if (m_task.form == TaskForm::Rolling) {
        const double nats = -m_logLikelihood.sum;
        return {{"word_perplexity", std::exp(nats / m_words), unknown, false},
                {"byte_perplexity", std::exp(nats / m_bytes), unknown, false},
                {"bits_per_byte", nats / m_bytes / std::numbers::ln2, unknown, false}};
    }
    const TaskMetric accuracy{"acc", m_correct.value(), m_correct.standardError(), true};
    if (m_task.form == TaskForm::Continuation) {
        const double perplexity = std::exp(-m_logLikelihood.value());
        return {{"perplexity", perplexity, perplexity * m_logLikelihood.standardError(), false},
                accuracy};
    }
    std::vector<TaskMetric> metrics{accuracy};
    if (m_task.hasLengthNorm) {
        metrics.push_back(
            {"acc_norm", m_correctByLength.value(), m_correctByLength.standardError(), true});
    }
    return metrics;
}

}  // namespace cospadi
