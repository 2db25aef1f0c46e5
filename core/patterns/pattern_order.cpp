#include "core/patterns/pattern_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cospadi {

namespace {

constexpr int kMostClusters = 24;
constexpr int kRounds = 12;

// (k, d2), 0 or 1.
Eigen::MatrixXf maskOf(const SparsityPattern& pattern) {
    return Eigen::Map<const Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>>(
               pattern.entries.data(), pattern.k, pattern.d2)
        .cast<float>();
}

void normalizeColumns(Eigen::MatrixXf& a) {
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        const float norm = a.col(j).norm();
        if (norm > 0) {
            a.col(j) /= norm;
        }
    }
}

// Each next centre is the column that is least like those before.
Eigen::MatrixXf farthestFirst(const Eigen::MatrixXf& columns, int count) {
    Eigen::MatrixXf centres(columns.rows(), count);
    const Eigen::VectorXf mean = columns.rowwise().mean();
    Eigen::Index chosen = 0;
    (columns.transpose() * mean).maxCoeff(&chosen);
    Eigen::VectorXf nearest = Eigen::VectorXf::Constant(columns.cols(), -1);
    for (int c = 0; c < count; ++c) {
        centres.col(c) = columns.col(chosen);
        nearest = nearest.cwiseMax(columns.transpose() * centres.col(c));
        nearest.minCoeff(&chosen);
    }
    return centres;
}

}  // namespace

std::vector<std::int64_t> rowsByUsage(const std::vector<std::int64_t>& atomUsage) {
    std::vector<std::int64_t> order(atomUsage.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return atomUsage[static_cast<std::size_t>(a)] > atomUsage[static_cast<std::size_t>(b)];
    });
    return order;
}

ColumnClusters clusterColumns(const SparsityPattern& pattern, int count) {
    ColumnClusters result;
    if (pattern.k == 0 || pattern.d2 == 0) {
        return result;
    }
    Eigen::MatrixXf columns = maskOf(pattern);
    normalizeColumns(columns);
    if (count <= 0) {
        count = std::clamp(
            static_cast<int>(std::lround(std::sqrt(static_cast<double>(pattern.d2) / 2))), 1,
            kMostClusters);
    }
    count = static_cast<int>(std::min<std::int64_t>(count, pattern.d2));
    Eigen::MatrixXf centres = farthestFirst(columns, count);
    std::vector<Eigen::Index> cluster(static_cast<std::size_t>(columns.cols()), -1);
    Eigen::VectorXf likeness(columns.cols());
    for (int round = 0; round < kRounds; ++round) {
        const Eigen::MatrixXf cosines = centres.transpose() * columns;
        bool changed = false;
        for (Eigen::Index j = 0; j < columns.cols(); ++j) {
            Eigen::Index best = 0;
            likeness(j) = cosines.col(j).maxCoeff(&best);
            changed = changed || cluster[static_cast<std::size_t>(j)] != best;
            cluster[static_cast<std::size_t>(j)] = best;
        }
        if (!changed) {
            break;
        }
        Eigen::MatrixXf sums = Eigen::MatrixXf::Zero(columns.rows(), count);
        for (Eigen::Index j = 0; j < columns.cols(); ++j) {
            sums.col(cluster[static_cast<std::size_t>(j)]) += columns.col(j);
        }
        normalizeColumns(sums);
        centres = sums;
    }
    std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(count));
    for (Eigen::Index j = 0; j < columns.cols(); ++j) {
        members[static_cast<std::size_t>(cluster[static_cast<std::size_t>(j)])].push_back(j);
    }
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (auto& group : members) {
        if (group.empty()) {
            continue;
        }
        std::stable_sort(group.begin(), group.end(),
                         [&](std::int64_t a, std::int64_t b) { return likeness(a) > likeness(b); });
        result.sizes.push_back(static_cast<std::int64_t>(group.size()));
        result.order.insert(result.order.end(), group.begin(), group.end());
    }
    return result;
}

Eigen::MatrixXf atomCoOccurrence(const SparsityPattern& pattern) {
    const Eigen::MatrixXf mask = maskOf(pattern);
    Eigen::MatrixXf together = mask * mask.transpose();
    const Eigen::VectorXf uses = together.diagonal();
    for (Eigen::Index j = 0; j < together.cols(); ++j) {
        for (Eigen::Index i = 0; i < together.rows(); ++i) {
            const float either = uses(i) + uses(j) - together(i, j);
            together(i, j) = either > 0 ? together(i, j) / either : 0;
        }
    }
    return together;
}

std::vector<std::uint8_t> coOccurrenceMap(const SparsityPattern& pattern,
                                          const std::vector<std::int64_t>& order) {
    const Eigen::MatrixXf together = atomCoOccurrence(pattern);
    std::vector<std::uint8_t> map;
    map.reserve(order.size() * order.size());
    for (const std::int64_t i : order) {
        for (const std::int64_t j : order) {
            map.push_back(static_cast<std::uint8_t>(std::lround(255 * together(i, j))));
        }
    }
    return map;
}

}  // namespace cospadi
