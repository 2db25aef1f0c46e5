#include "core/patterns/pattern_difference.h"

#include <algorithm>
#include <cmath>

namespace cospadi {

namespace {

constexpr double kRounding = 1e-5;  // of the values' size: what turning and scaling atoms leaves

void pairRows(const PatternComparison& comparison, Eigen::Index secondAtoms,
              PatternDifference& result) {
    std::vector<bool> placed(static_cast<std::size_t>(secondAtoms), false);
    for (std::size_t atom = 0; atom < comparison.partner.size(); ++atom) {
        const std::int64_t partner = comparison.partner[atom];
        result.firstAtom.push_back(static_cast<std::int64_t>(atom));
        result.secondAtom.push_back(partner);
        if (partner >= 0) {
            placed[static_cast<std::size_t>(partner)] = true;
        }
    }
    for (std::int64_t atom = 0; atom < secondAtoms; ++atom) {
        if (!placed[static_cast<std::size_t>(atom)]) {
            result.firstAtom.push_back(-1);
            result.secondAtom.push_back(atom);
        }
    }
    result.rows = static_cast<std::int64_t>(result.firstAtom.size());
}

// What a coefficient of each row is multiplied by, 0 where the row has no atom.
struct Weights {
    Eigen::VectorXf first, second;
};

Weights weightsOf(const PatternDifference& rows, const Eigen::MatrixXf& first,
                  const Eigen::MatrixXf& second) {
    Weights weights{Eigen::VectorXf::Zero(rows.rows), Eigen::VectorXf::Zero(rows.rows)};
    for (std::int64_t row = 0; row < rows.rows; ++row) {
        const std::int64_t a = rows.firstAtom[static_cast<std::size_t>(row)];
        const std::int64_t b = rows.secondAtom[static_cast<std::size_t>(row)];
        weights.first[row] = a >= 0 ? first.col(a).norm() : 0;
        weights.second[row] = b >= 0 ? second.col(b).norm() : 0;
        if (a >= 0 && b >= 0 && first.col(a).dot(second.col(b)) < 0) {
            weights.second[row] = -weights.second[row];
        }
    }
    return weights;
}

}  // namespace

PatternDifference patternDifference(const SparseDictionaryFactors& first,
                                    const SparseDictionaryFactors& second,
                                    const PatternComparison& comparison) {
    PatternDifference result;
    pairRows(comparison, second.codes.rows(), result);
    result.columns = first.codes.cols();
    const Weights weights = weightsOf(result, first.dictionary, second.dictionary);
    const auto entries = static_cast<std::size_t>(result.rows * result.columns);
    result.where.assign(entries, PatternDifference::Neither);
    result.valueDifference.assign(entries, 0);

    const auto code = [](const Eigen::MatrixXf& codes, std::int64_t atom, std::int64_t column) {
        return atom >= 0 ? codes(atom, column) : 0.0F;
    };
    double squares = 0;  // of the differences
    double sizes = 0;    // squared, of the first's values
    std::int64_t both = 0;
    for (std::int64_t column = 0; column < result.columns; ++column) {
        for (std::int64_t row = 0; row < result.rows; ++row) {
            const auto at = static_cast<std::size_t>(column * result.rows + row);
            const float here =
                code(first.codes, result.firstAtom[static_cast<std::size_t>(row)], column) *
                weights.first[row];
            const float there =
                code(second.codes, result.secondAtom[static_cast<std::size_t>(row)], column) *
                weights.second[row];
            if (here != 0 && there != 0) {
                result.where[at] = PatternDifference::Both;
                result.valueDifference[at] = here - there;
                squares += std::pow(static_cast<double>(here - there), 2);
                sizes += std::pow(static_cast<double>(here), 2);
                ++both;
            } else if (here != 0) {
                result.where[at] = PatternDifference::OnlyFirst;
            } else if (there != 0) {
                result.where[at] = PatternDifference::OnlySecond;
            }
        }
    }
    if (squares > kRounding * kRounding * sizes) {
        result.scale = 3 * std::sqrt(squares / static_cast<double>(both));
    } else {
        std::fill(result.valueDifference.begin(), result.valueDifference.end(), 0.0F);
    }
    return result;
}

}  // namespace cospadi
