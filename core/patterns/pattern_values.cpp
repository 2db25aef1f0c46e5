#include "core/patterns/pattern_values.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cospadi {

namespace {

void sortBySize(std::vector<PatternEntry>& entries) {
    std::stable_sort(entries.begin(), entries.end(),
                     [](const PatternEntry& a, const PatternEntry& b) {
                         return std::abs(a.value) > std::abs(b.value);
                     });
}

}  // namespace

PatternValues patternValues(const SparseDictionaryFactors& factors) {
    const Eigen::Index k = factors.codes.rows();
    const Eigen::Index columns = factors.codes.cols();
    PatternValues result;
    result.values.resize(static_cast<std::size_t>(k * columns));
    Eigen::Map<Eigen::MatrixXf> values(result.values.data(), k, columns);
    const Eigen::VectorXf lengths = factors.dictionary.colwise().norm().transpose();
    values = lengths.asDiagonal() * factors.codes;
    const auto entries = (factors.codes.array() != 0).count();
    if (entries > 0) {
        result.scale =
            3 * std::sqrt(values.cast<double>().squaredNorm() / static_cast<double>(entries));
    }
    return result;
}

std::vector<PatternEntry> entriesOfAtom(const SparsityPattern& pattern, const PatternValues& values,
                                        std::int64_t atom) {
    std::vector<PatternEntry> entries;
    for (std::int64_t column = 0; column < pattern.d2; ++column) {
        const auto at = static_cast<std::size_t>(column * pattern.k + atom);
        if (pattern.entries[at] != 0) {
            entries.push_back({column, values.values[at]});
        }
    }
    sortBySize(entries);
    return entries;
}

std::vector<PatternEntry> entriesOfColumn(const SparsityPattern& pattern,
                                          const PatternValues& values, std::int64_t column) {
    std::vector<PatternEntry> entries;
    for (std::int64_t atom = 0; atom < pattern.k; ++atom) {
        const auto at = static_cast<std::size_t>(column * pattern.k + atom);
        if (pattern.entries[at] != 0) {
            entries.push_back({atom, values.values[at]});
        }
    }
    sortBySize(entries);
    return entries;
}

std::vector<std::int64_t> columnUsage(const SparsityPattern& pattern) {
    std::vector<std::int64_t> usage(static_cast<std::size_t>(pattern.d2), 0);
    for (std::int64_t column = 0; column < pattern.d2; ++column) {
        const auto begin = pattern.entries.begin() + column * pattern.k;
        usage[static_cast<std::size_t>(column)] =
            std::accumulate(begin, begin + pattern.k, std::int64_t{0});
    }
    return usage;
}

}  // namespace cospadi
