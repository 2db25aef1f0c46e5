// Whether two models differ on a task, item by item: the same items were put to both, so that what
// counts are those that only one got right (McNemar). Far sharper than comparing two standard
// errors, which holds the items for different ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/lm_eval/task_samples.h"
#include "core/store/run_row.h"

namespace cospadi {

struct PairedTest {
    std::int64_t items = 0;      // that both answered
    std::int64_t onlyFirst = 0;  // right in the first alone
    std::int64_t onlySecond = 0;
    double difference = 0;     // of the accuracies, second − first
    double standardError = 0;  // of the difference
    double pValue = 1;         // exact, two-sided: of one this large or larger where none is
};

// A metric of the items that both answered and that ask the same, in the order of the first.
struct PairedValues {
    std::vector<double> first, second;
};
// metric: a member of TaskSample, e.g. &TaskSample::accNorm. Items without it are left out.
PairedValues pairedValues(const std::vector<TaskSample>& first,
                          const std::vector<TaskSample>& second, double TaskSample::*metric);

// Of what two runs recorded of the same task and metric, acc or acc_norm: from their samples files.
// Empty where the metric is another one, where a run kept none, and where no item pairs. Throws
// Error for a file that is damaged.
std::optional<PairedValues> storedPairs(const RunRow& a, const TaskResultRow& rowA, const RunRow& b,
                                        const TaskResultRow& rowB);

// McNemar of values that are 1 where an item is right, else 0.
PairedTest pairedTest(const PairedValues& values);

// The interval that the difference of the means has over other samples of items: items are drawn
// with replacement, both models' answers to an item together.
struct PairedBootstrap {
    std::int64_t items = 0;
    std::int64_t resamples = 0;
    double difference = 0;     // of the means, second − first
    double low = 0, high = 0;  // 95 % of the resampled differences lie between
};
inline constexpr double kBootstrapLevel = 0.95;
inline constexpr std::int64_t kBootstrapResamples = 10'000;
inline constexpr std::uint64_t kBootstrapSeed = 42;

// The same on every machine. All zero where there are no items.
PairedBootstrap pairedBootstrap(const PairedValues& values,
                                std::int64_t resamples = kBootstrapResamples,
                                std::uint64_t seed = kBootstrapSeed);

// P(X ≤ least) doubled, at most 1, for X of a binomial distribution of n throws at 1/2.
double exactSignTest(std::int64_t least, std::int64_t n);

}  // namespace cospadi
