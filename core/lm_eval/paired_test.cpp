#include "core/lm_eval/paired_test.h"

#include <algorithm>
#include <cmath>
#include <random>

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

namespace {

// 32 bits of a generator to a number below `count`, each as likely to within count / 2^32.
std::size_t below(std::uint32_t count, std::uint32_t bits) {
    return static_cast<std::size_t>((std::uint64_t{bits} * count) >> 32U);
}

}  // namespace

PairedTest pairedTest(const PairedValues& values) {
    PairedTest test;
    test.items = static_cast<std::int64_t>(values.first.size());
    for (std::size_t i = 0; i < values.first.size(); ++i) {
        test.onlyFirst += values.first[i] > 0 && values.second[i] <= 0 ? 1 : 0;
        test.onlySecond += values.first[i] <= 0 && values.second[i] > 0 ? 1 : 0;
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

PairedValues pairedValues(const std::vector<TaskSample>& first,
                          const std::vector<TaskSample>& second, double TaskSample::*metric) {
    PairedValues values;
    for (const SamplePair& pair : pairSamples(first, second)) {
        const double a = first[pair.first].*metric;
        const double b = second[pair.second].*metric;
        if (std::isfinite(a) && std::isfinite(b)) {
            values.first.push_back(a);
            values.second.push_back(b);
        }
    }
    return values;
}

std::optional<PairedValues> storedPairs(const RunRow& a, const TaskResultRow& rowA, const RunRow& b,
                                        const TaskResultRow& rowB) {
    double TaskSample::*const metric = rowA.metric == "acc"        ? &TaskSample::acc
                                       : rowA.metric == "acc_norm" ? &TaskSample::accNorm
                                                                   : nullptr;
    if (metric == nullptr || a.directory.empty() || b.directory.empty()) {
        return std::nullopt;
    }
    const auto first = samplesFileOf(a.directory, rowA.file, rowA.task);
    const auto second = samplesFileOf(b.directory, rowB.file, rowB.task);
    if (first.empty() || second.empty()) {
        return std::nullopt;
    }
    PairedValues values = pairedValues(readTaskSamples(first), readTaskSamples(second), metric);
    return values.first.empty() ? std::nullopt : std::optional(std::move(values));
}

PairedBootstrap pairedBootstrap(const PairedValues& values, std::int64_t resamples,
                                std::uint64_t seed) {
    PairedBootstrap result;
    const std::size_t items = values.first.size();
    result.items = static_cast<std::int64_t>(items);
    result.resamples = resamples;
    if (items == 0 || resamples < 1) {
        return result;
    }
    std::vector<double> difference(items);
    double sum = 0;
    for (std::size_t i = 0; i < items; ++i) {
        difference[i] = values.second[i] - values.first[i];
        sum += difference[i];
    }
    const auto count = static_cast<double>(items);
    result.difference = sum / count;
    std::mt19937_64 random(seed);
    std::vector<double> means(static_cast<std::size_t>(resamples));
    for (double& mean : means) {
        double drawn = 0;
        for (std::size_t i = 0; i < items; i += 2) {
            const std::uint64_t bits = random();
            drawn += difference[below(static_cast<std::uint32_t>(items),
                                      static_cast<std::uint32_t>(bits))];
            if (i + 1 < items) {
                drawn += difference[below(static_cast<std::uint32_t>(items),
                                          static_cast<std::uint32_t>(bits >> 32U))];
            }
        }
        mean = drawn / count;
    }
    std::sort(means.begin(), means.end());
    const double tail = (1 - kBootstrapLevel) / 2;
    const auto cut = static_cast<std::size_t>(tail * static_cast<double>(resamples));
    result.low = means[cut];
    result.high = means[means.size() - 1 - cut];
    return result;
}

}  // namespace cospadi
