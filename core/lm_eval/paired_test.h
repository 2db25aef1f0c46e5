// Whether two models differ on a task, item by item: the same items were put to both, so that what
// counts are those that only one got right (McNemar). Far sharper than comparing two standard
// errors, which holds the items for different ones.
#pragma once

#include <cstdint>
#include <vector>

#include "core/lm_eval/task_samples.h"

namespace cospadi {

struct PairedTest {
    std::int64_t items = 0;      // that both answered
    std::int64_t onlyFirst = 0;  // right in the first alone
    std::int64_t onlySecond = 0;
    double difference = 0;     // of the accuracies, second − first
    double standardError = 0;  // of the difference
    double pValue = 1;         // exact, two-sided: of one this large or larger where none is
};

// By acc. Pairs of which no metric says count as neither right alone.
PairedTest pairedTest(const std::vector<SamplePair>& pairs);

// P(X ≤ least) doubled, at most 1, for X of a binomial distribution of n throws at 1/2.
double exactSignTest(std::int64_t least, std::int64_t n);

}  // namespace cospadi
