// Item by item what an evaluation of a task came to: the samples files that lm-eval writes, and
// this program in the same form. What a browser of items shows, dense beside compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace cospadi {

struct TaskSample {
    std::int64_t item = 0;  // doc_id
    std::string context;
    // What was scored after it; where each has a context of its own (winogrande), the rest of that
    // stands before it.
    std::vector<std::string> continuations;
    std::vector<double> logLikelihoods;  // one a continuation; NaN where unknown
    std::int64_t answer = -1;            // index of the right one; -1: not a choice
    std::int64_t chosen = -1;            // index of the likeliest; -1: not a choice
    // Metrics of this item: 1 or 0; NaN where the task has no such metric.
    double acc = std::numeric_limits<double>::quiet_NaN();
    double accNorm = std::numeric_limits<double>::quiet_NaN();

    // Two samples ask the same: context and continuations agree.
    bool asksSameAs(const TaskSample& other) const {
        return context == other.context && continuations == other.continuations;
    }
};

// The samples of one task, in the order of the file. Throws Error naming file and line.
std::vector<TaskSample> readTaskSamples(const std::filesystem::path& file);

// What became of one item between two models, for example dense and compressed.
enum class SampleChange {
    BothRight,
    BothWrong,
    Lost,    // right in the first only
    Gained,  // right in the second only
    Unknown  // no metric says
};

struct SamplePair {
    std::size_t first = 0, second = 0;  // indices into the two lists
    SampleChange change = SampleChange::Unknown;
    bool isOtherChoice = false;  // the two chose differently, right or wrong
};

// The items that both answered, in the order of the first, by acc. Items that ask something else
// under the same number are left out.
std::vector<SamplePair> pairSamples(const std::vector<TaskSample>& first,
                                    const std::vector<TaskSample>& second);

// evaluations/lm-eval-….json of a run and a task → its samples file; empty where it kept none.
std::filesystem::path samplesFileOf(const std::filesystem::path& run, const std::string& evaluation,
                                    const std::string& task);

}  // namespace cospadi
