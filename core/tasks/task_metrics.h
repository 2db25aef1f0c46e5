// From likelihoods to what lm-eval 0.4.13 reports: the choice of every item, and the means with
// their standard errors.
//
// acc: the likeliest answer is the right one (the first of equals is chosen); acc_norm: likelihoods
// divided by the answer's length in characters; perplexity: exp of the mean negative log
// likelihood of the last words (LAMBADA), or of all words or bytes of all texts (WikiText).
// Standard errors: of a mean with n − 1; of LAMBADA's perplexity by the delta method, where lm-eval
// draws samples; unknown (NaN) for WikiText and for a single item, as in lm-eval.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/tasks/continuation_scorer.h"
#include "core/tasks/task_items.h"

namespace cospadi {

struct ItemOutcome {
    std::vector<ContinuationScore> scores;  // one a continuation
    std::int64_t chosen = -1;               // Choice: index by likelihood
    std::int64_t chosenByLength = -1;       // Choice: index by likelihood per character
    bool isCorrect = false;                 // acc
    bool isCorrectByLength = false;         // acc_norm
};

ItemOutcome outcomeOf(const Task& task, const TaskItem& item,
                      std::vector<ContinuationScore> scores);

struct TaskMetric {
    std::string name;  // lm-eval's
    double value = std::numeric_limits<double>::quiet_NaN();
    double standardError = std::numeric_limits<double>::quiet_NaN();
    bool higherIsBetter = true;
};

// Sums over the items so far; metrics() at any time.
class TaskTally {
  public:
    explicit TaskTally(const Task& task) : m_task(task) {}  // the task must outlive the tally
    void add(const TaskItem& item, const ItemOutcome& outcome);
    std::int64_t items() const { return m_correct.count; }
    std::vector<TaskMetric> metrics() const;

  private:
    struct Mean {
        std::int64_t count = 0;
        double sum = 0, squares = 0;
        void add(double value);
        double value() const;
        double standardError() const;
    };

    const Task& m_task;
    Mean m_correct, m_correctByLength, m_logLikelihood;
    double m_words = 0, m_bytes = 0;
};

}  // namespace cospadi
