// Runs a task's items through a model, as lm-eval 0.4.13 does it through a server: the same tokens,
// the same windows, the same choices (docs/evaluation.md).
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "core/tasks/task_metrics.h"

namespace cospadi {

struct TaskEvaluatorOptions {
    std::int64_t maxLength = 2048;  // lm-eval's max_length; one less fits into a prompt
    std::int32_t prefixToken = -1;  // stands before texts without a context; -1: there is none
    // Of the hidden states of items that go through a deferred model together.
    std::int64_t hiddenBytes = kHiddenBytes;
};

struct TaskOutcome {
    std::vector<ItemOutcome> items;
    std::vector<TaskMetric> metrics;
};

class TaskEvaluator {
  public:
    // The model must have a tokenizer; all but the options must outlive the evaluator. Throws Error
    // for a maximal length that the model does not reach.
    TaskEvaluator(const Model& model, ThreadPool& pool, const TaskEvaluatorOptions& options,
                  DeviceProducts* products = nullptr);

    // After every batch, and, with the items that its work comes to, while one is on its way.
    using Advance = std::function<void(const TaskTally&, double itemsOnTheirWay)>;

    // nullopt when cancelled (polled between blocks). Throws Error for a text without tokens, and
    // where a likelihood is not finite.
    std::optional<TaskOutcome> evaluate(const Task& task, const Advance& advance = {},
                                        const std::stop_token& stop = {});

    std::int64_t computedTokens() const { return m_scorer.computedTokens(); }

  private:
    ContinuationGroup groupOf(const Task& task, const TaskItem& item) const;
    ContinuationRequest requestOf(const std::string& context,
                                  const std::string& continuation) const;
    ContinuationGroup windowsOf(const std::string& text) const;
    std::vector<std::int32_t> encoded(const std::string& text) const;

    const Model& m_model;
    TaskEvaluatorOptions m_options;
    ContinuationScorer m_scorer;
};

}  // namespace cospadi
