#include "core/tasks/task_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"
#include "core/tasks/python_text.h"

namespace cospadi {

TaskEvaluator::TaskEvaluator(const Model& model, ThreadPool& pool,
                             const TaskEvaluatorOptions& options, DeviceProducts* products)
    : m_model(model), m_options(options), m_scorer(model, pool, products, options.hiddenBytes) {
    m_options.maxLength = std::min(m_options.maxLength, model.config().contextLength);
    if (m_options.maxLength < 4) {
        throw Error("is too short for any prompt", "--max-length", "2048 is lm-eval's default");
    }
}

std::vector<std::int32_t> TaskEvaluator::encoded(const std::string& text) const {
    return m_model.tokenizer().encode(text, true, false);
}

ContinuationRequest TaskEvaluator::requestOf(const std::string& context,
                                             const std::string& continuation) const {
    ContinuationRequest request;
    if (context.empty()) {
        request.ids = encoded(continuation);
        if (request.ids.empty() || request.ids.front() != m_options.prefixToken) {
            request.ids.insert(request.ids.begin(), m_options.prefixToken);
        }
        request.context = 1;
    } else {
        // White space at the end belongs to the continuation's first token.
        const std::string trimmed(pythonRightStrip(context));
        const std::vector<std::int32_t> whole = encoded(context + continuation);
        request.ids = encoded(trimmed);
        request.context = static_cast<std::int64_t>(request.ids.size());
        request.ids.insert(
            request.ids.end(),
            whole.begin() + std::min<std::ptrdiff_t>(request.context, std::ssize(whole)),
            whole.end());
    }
    const auto length = static_cast<std::int64_t>(request.ids.size());
    if (const std::int64_t over = length - (m_options.maxLength - 1); over > 0) {
        request.ids.erase(request.ids.begin(), request.ids.begin() + over);
        request.context -= over;
    }
    return request;
}

// lm-eval's rolling windows: every token is predicted once, the last window has a full context.
ContinuationGroup TaskEvaluator::windowsOf(const std::string& text) const {
    std::vector<std::int32_t> ids = encoded(text);
    const auto length = static_cast<std::int64_t>(ids.size());
    const std::int64_t window = m_options.maxLength - 2;
    ids.insert(ids.begin(), m_options.prefixToken);  // token i of the text is ids[i + 1]
    ContinuationGroup windows;
    for (std::int64_t predicted = 0; predicted < length;) {
        const std::int64_t end = std::min(length, predicted + window);
        const std::int64_t begin = predicted == 0 ? 0 : end - window;
        windows.push_back({{ids.begin() + begin, ids.begin() + end + 1}, predicted - begin + 1});
        predicted = end;
    }
    return windows;
}

ContinuationGroup TaskEvaluator::groupOf(const Task& task, const TaskItem& item) const {
    ContinuationGroup group;
    if (task.form == TaskForm::Rolling) {
        group = windowsOf(item.continuations.front());
    } else {
        for (std::size_t i = 0; i < item.continuations.size(); ++i) {
            group.push_back(requestOf(item.contextOf(i), item.continuations[i]));
        }
    }
    for (const ContinuationRequest& request : group) {
        const bool hasPrefix = request.ids.front() >= 0;
        if (request.context < 1 || !hasPrefix ||
            request.context >= static_cast<std::int64_t>(request.ids.size())) {
            throw Error(hasPrefix ? "an answer has no tokens, or fills the whole prompt"
                                  : "the model has no token to start a text with",
                        task.data.string(),
                        hasPrefix ? "check its records; a larger --max-length may help"
                                  : "choose tasks whose questions have a context");
        }
    }
    return group;
}

std::optional<TaskOutcome> TaskEvaluator::evaluate(const Task& task, const Advance& advance,
                                                   const std::stop_token& stop) {
    TaskOutcome outcome;
    TaskTally tally(task);
    std::vector<ContinuationGroup> groups;
    for (const TaskItem& item : task.items) {
        groups.push_back(groupOf(task, item));
    }
    std::span<const ContinuationGroup> rest(groups);
    while (!rest.empty()) {
        const std::size_t count = m_scorer.batch(rest);
        auto batch = m_scorer.score(
            rest.first(count),
            [&](double share) {
                if (advance && m_model.isDeferred()) {  // else it is soon there
                    advance(tally, share * static_cast<double>(count));
                }
            },
            stop);
        if (!batch) {
            return std::nullopt;
        }
        for (std::vector<ContinuationScore>& scores : *batch) {
            const TaskItem& item = task.items[outcome.items.size()];
            if (task.form == TaskForm::Rolling) {
                ContinuationScore sum;
                for (const ContinuationScore& window : scores) {
                    sum.logLikelihood += window.logLikelihood;
                    sum.isGreedy = sum.isGreedy && window.isGreedy;
                }
                scores = {sum};
            }
            outcome.items.push_back(outcomeOf(task, item, std::move(scores)));
            const bool isFinite = std::all_of(
                outcome.items.back().scores.begin(), outcome.items.back().scores.end(),
                [](const ContinuationScore& s) { return std::isfinite(s.logLikelihood); });
            if (!isFinite) {
                throw Error(fmt::format("a log-likelihood of {} is not finite", task.name),
                            m_model.sourcePath().string(), "the weights contain NaN or infinity");
            }
            tally.add(item, outcome.items.back());
        }
        rest = rest.subspan(count);
        if (advance) {
            advance(tally, 0);
        }
    }
    outcome.metrics = tally.metrics();
    return outcome;
}

}  // namespace cospadi
