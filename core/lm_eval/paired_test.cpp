#include "core/lm_eval/paired_test.h"

#include <algorithm>
#include <cmath>

namespace cospadi {

double exactSignTest(std::int64_t least, std::int64_t n) {
    if (n == 0) {
        return 1;
    }
    // In logarithms: 2^-n is zero in double from 1075 throws on.
    double sum = 0;
    double term = -static_cast<double>(n) * std::log(2.0);
    for (std::int64_t k = 0; k <= least; ++k) {
        sum += std::exp(term);
        term += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
    }
    return std::min(1.0, 2 * sum);
}

PairedTest pairedTest(const std::vector<SamplePair>& pairs) {
    PairedTest test;
    for (const SamplePair& pair : pairs) {
        test.items += pair.change == SampleChange::Unknown ? 0 : 1;
        test.onlyFirst += pair.change == SampleChange::Lost ? 1 : 0;
        test.onlySecond += pair.change == SampleChange::Gained ? 1 : 0;
    }
    if (test.items == 0) {
        return test;
    }
    const auto n = static_cast<double>(test.items);
    const auto unlike = static_cast<double>(test.onlyFirst + test.onlySecond);
    const auto shift = static_cast<double>(test.onlySecond - test.onlyFirst);
    test.difference = shift / n;
    test.standardError = std::sqrt(std::max(0.0, unlike - shift * shift / n)) / n;
    test.pValue =
        exactSignTest(std::min(test.onlyFirst, test.onlySecond), test.onlyFirst + test.onlySecond);
    return test;
}

}  // namespace cospadi
