#include "core/patterns/pattern_comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr float kLeastCosine = 0.05F;  // below that two atoms have nothing to do with each other

Eigen::MatrixXf unitColumns(const Eigen::MatrixXf& a) {
    Eigen::MatrixXf unit = a;
    for (Eigen::Index j = 0; j < unit.cols(); ++j) {
        const float norm = unit.col(j).norm();
        if (norm > 0) {
            unit.col(j) /= norm;
        }
    }
    return unit;
}

void checkComparable(const SparseDictionaryFactors& first, const SparseDictionaryFactors& second) {
    if (first.side != second.side) {
        throw Error("the two dictionaries are on different sides of the layer", "pattern",
                    "compare runs with the same --side, input or output");
    }
    if (first.dictionary.rows() != second.dictionary.rows() ||
        first.codes.cols() != second.codes.cols()) {
        throw Error(fmt::format("the two matrices have different shapes: {} x {} and {} x {}",
                                first.dictionary.rows(), first.codes.cols(),
                                second.dictionary.rows(), second.codes.cols()),
                    "pattern", "compare runs of the same model");
    }
}

struct Pair {
    float cosine;
    Eigen::Index first, second;
};

}  // namespace

double PatternComparison::overlap() const {
    const std::int64_t all = both + onlyFirst + onlySecond;
    return all > 0 ? static_cast<double>(both) / static_cast<double>(all) : 0;
}

PatternComparison comparePatterns(const SparseDictionaryFactors& first,
                                  const SparseDictionaryFactors& second) {
    checkComparable(first, second);
    const Eigen::MatrixXf cosines =
        (unitColumns(first.dictionary).transpose() * unitColumns(second.dictionary)).cwiseAbs();
    std::vector<Pair> pairs;
    for (Eigen::Index j = 0; j < cosines.cols(); ++j) {
        for (Eigen::Index i = 0; i < cosines.rows(); ++i) {
            if (cosines(i, j) > kLeastCosine) {
                pairs.push_back({cosines(i, j), i, j});
            }
        }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.cosine > b.cosine; });
    PatternComparison result;
    result.partner.assign(static_cast<std::size_t>(cosines.rows()), -1);
    std::vector<bool> taken(static_cast<std::size_t>(cosines.cols()), false);
    for (const Pair& pair : pairs) {
        auto& partner = result.partner[static_cast<std::size_t>(pair.first)];
        if (partner < 0 && !taken[static_cast<std::size_t>(pair.second)]) {
            partner = pair.second;
            taken[static_cast<std::size_t>(pair.second)] = true;
            ++result.matched;
            result.meanCosine += static_cast<double>(pair.cosine);
        }
    }
    result.meanCosine /= static_cast<double>(std::max<std::int64_t>(result.matched, 1));

    const auto nonZeros = [](const Eigen::MatrixXf& codes) {
        return static_cast<std::int64_t>((codes.array() != 0).count());
    };
    for (Eigen::Index i = 0; i < cosines.rows(); ++i) {
        const std::int64_t partner = result.partner[static_cast<std::size_t>(i)];
        if (partner >= 0) {
            result.both += static_cast<std::int64_t>(
                ((first.codes.row(i).array() != 0) && (second.codes.row(partner).array() != 0))
                    .count());
        }
    }
    result.onlyFirst = nonZeros(first.codes) - result.both;
    result.onlySecond = nonZeros(second.codes) - result.both;
    const Eigen::MatrixXf here = recompose(first);
    result.approximationDifference = (here - recompose(second)).norm() / here.norm();
    return result;
}

}  // namespace cospadi
