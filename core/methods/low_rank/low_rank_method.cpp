#include "core/methods/low_rank/low_rank_method.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/layer_groups.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

constexpr double kFactorRefitSteps = 5;  // that its nearly orthogonal columns take

// A space and the weight in it.
struct Target {
    Backend& backend;
    const TruncationSpace& space;
    Matrix weight;  // T W

    // Right ← (T left)⁺ T W.
    void refit(const Eigen::MatrixXf& left, Matrix& right) const {
        refitCodes(backend, weight, backend.upload(space.into(left)), right,
                   FastOptions().refitSteps);
    }
};

// U and Uᵀ T W of the leading `count` singular vectors of T W.
LowRankFactors leadingFactors(const Target& target, std::int64_t count) {
    Backend& backend = target.backend;
    const Matrix u = backend.leftSingularVectors(target.weight, count);
    Matrix right = backend.zeros(count, target.weight.cols);
    backend.gemm(Op::Transpose, Op::None, 1, u, target.weight, 0, right);
    return {backend.download(u), backend.download(right)};
}

// Singular values that T W does not have need no rank: where T has lost directions it may have
// fewer rows than the budget has columns.
std::int64_t usefulRank(const Target& target, std::int64_t rank) {
    return std::min({rank, target.weight.rows, target.weight.cols});
}

StoredWeightPtr remappedFactors(const Target& target, const Eigen::MatrixXf& left,
                                const Eigen::MatrixXf& right, bool refit) {
    const std::int64_t coded = std::min(left.rows(), right.cols());
    RemappedColumns storedLeft = remapped(left, coded);
    Matrix fitted = target.backend.upload(right);
    if (refit) {
        target.refit(storedLeft.decoded(), fitted);
    }
    RemappedColumns storedRight = remapped(target.backend.download(fitted).transpose(), coded);
    return std::make_shared<const RemappedWeight>(std::move(storedLeft), std::move(storedRight));
}

// nullopt where it was asked to stop.
std::optional<LowRankFactors> integerFactors(const Target& target, const Eigen::MatrixXf& left,
                                             const Eigen::MatrixXf& right, bool refit,
                                             const LowRankBudget& budget,
                                             const std::stop_token& stop) {
    const IntegerProblem problem{target.backend,
                                 target.weight,
                                 [&](const Eigen::MatrixXf& a) { return target.space.into(a); },
                                 [&](const Eigen::MatrixXf& a) { return target.space.back(a); },
                                 budget.leftBits,
                                 budget.rightBits,
                                 budget.integerRun,
                                 0,
                                 refit};
    auto fitted = fitIntegers(problem, left, right, stop);
    if (!fitted) {
        return std::nullopt;
    }
    LowRankFactors factors;
    factors.left = std::move(fitted->left);
    factors.right = std::move(fitted->right);
    factors.leftBits = budget.leftBits;
    factors.rightBits = budget.rightBits;
    factors.integerRun = budget.integerRun;
    factors.leftScales = std::move(fitted->leftScales);
    factors.rightScales = std::move(fitted->rightScales);
    return factors;
}

// The first of the leading factors as they are stored; null where it was asked to stop.
StoredWeightPtr storedFactors(const Target& target, const LowRankFactors& leading,
                              const MatrixOptions& options, const LowRankBudget& budget,
                              const std::stop_token& stop) {
    const std::int64_t rank = usefulRank(target, budget.rank);
    LowRankFactors factors;
    factors.left = target.space.back(leading.left.leftCols(rank));
    if (budget.remapped) {
        return remappedFactors(target, factors.left, leading.right.topRows(rank), refits(options));
    }
    if (budget.integerRun > 0) {
        auto integers = integerFactors(target, factors.left, leading.right.topRows(rank),
                                       refits(options), budget, stop);
        return integers ? storedWeight(*std::move(integers)) : nullptr;
    }
    factors.leftBits = budget.leftBits;
    factors.rightBits = budget.rightBits;
    factors.rightFormat = coefficientFormatOf(options);
    Matrix right = target.backend.upload(leading.right.topRows(rank));
    roundColumns(target.backend, factors.leftBits, factors.left, right);
    if (refits(options)) {
        target.refit(factors.left, right);
    }
    factors.right = target.backend.download(right);
    roundCodes(factors);
    return storedWeight(std::move(factors));
}

struct Found {
    StoredWeightPtr weight;
    double error = 0;
};

// Of the candidates of bits the one that comes nearest to the measured weight, `measured` =
// `into`(W); without a weight where it was asked to stop.
template <typename Into>
Found bestOfBits(const Target& target, const LowRankFactors& leading, const MatrixOptions& options,
                 const Eigen::Index d1, const Matrix& measured, const Into& into,
                 const std::stop_token& stop) {
    Found best;
    for (const MatrixOptions& candidate : bitCandidates(options)) {
        const LowRankBudget budget = lowRankBudgetOf(candidate, d1, target.weight.cols);
        Found found{storedFactors(target, leading, candidate, budget, stop), 0};
        if (found.weight == nullptr) {
            return found;
        }
        const auto product = found.weight->product();
        found.error = productError(target.backend, measured, into(product->left), product->right);
        if (best.weight == nullptr || found.error < best.error) {
            best = std::move(found);
        }
    }
    return best;
}

LowRankBudget plannedBudget(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return largestBudget(options,
                         [&](const MatrixOptions& of) { return lowRankBudgetOf(of, d1, d2); });
}

std::int64_t largestRank(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    std::int64_t largest = 0;
    for (const MatrixOptions& candidate : bitCandidates(options)) {
        largest = std::max(largest, lowRankBudgetOf(candidate, d1, d2).rank);
    }
    return largest;
}

}  // namespace

Eigen::MatrixXf ScaledRows::into(const Eigen::MatrixXf& w) const {
    return (m_scales.asDiagonal() * w.cast<double>()).cast<float>();
}

Eigen::MatrixXf ScaledRows::back(const Eigen::MatrixXf& u) const {
    return (m_scales.cwiseInverse().asDiagonal() * u.cast<double>()).cast<float>();
}

const char* LowRankMethod::form() const { return LowRankWeight::kForm; }

const char* LowRankMethod::formUnder(const MatrixOptions& options) const {
    return options.accounting == Accounting::Remapped ? RemappedWeight::kForm : form();
}

const std::vector<std::string>& LowRankMethod::settings() const {
    static const std::vector<std::string> plain = {
        "cr",     "accounting", "coefficient_bits", "coefficient_format", "refit",
        "groups", "refine",     "refine_rate",      "dictionary_bits"};
    static const std::vector<std::string> calibrated = [] {
        std::vector<std::string> all = plain;
        all.insert(all.end(), {"ridge", "allocation", "propagation", "held_out"});
        return all;
    }();
    return needsCalibration() ? calibrated : plain;
}

const std::vector<Option>& LowRankMethod::ownOptions() const { return groupOptions(); }

void LowRankMethod::validate(const MatrixOptions& options) const {
    validateOwnOptions(options);
    requireBits(options);
    if (options.accounting == Accounting::Remapped && groupsLayers(options)) {
        throw Error("layers cannot share remapped factors", "groups",
                    "use none, or another accounting");
    }
}

StoragePlan LowRankMethod::plan(const MatrixOptions& options, std::int64_t d1,
                                std::int64_t d2) const {
    const LowRankBudget budget = plannedBudget(options, d1, d2);
    return {budget.remapped ? RemappedWeight::factsOf(d1, d2, budget.rank)
                            : LowRankWeight::factsOf(budget.rank, budget.leftBits, budget.rightBits,
                                                     budget.integerRun),
            {{"left", budget.leftBytes()}, {"right", budget.rightBytes()}}};
}

int LowRankMethod::coefficientBits(const MatrixOptions& options, std::int64_t d1,
                                   std::int64_t d2) const {
    const LowRankBudget budget = plannedBudget(options, d1, d2);
    return budget.remapped ? 16 : budget.rightBits;
}

bool LowRankMethod::usuallyRefits(const MatrixOptions& options) const {
    return isPacked(options.accounting) || options.accounting == Accounting::Remapped;
}

double LowRankMethod::work(const MatrixOptions& options, std::int64_t rows,
                           std::int64_t cols) const {
    const auto d1 = static_cast<double>(rows);
    const auto d2 = static_cast<double>(cols);
    const auto rank = static_cast<double>(lowRankBudgetOf(options, rows, cols).rank);
    const double n = std::min(d1, d2);
    if (options.accounting == Accounting::Integers) {
        const auto candidates = static_cast<double>(bitCandidates(options).size());
        return n * n * std::max(d1, d2) + 9 * n * n * n + 2 * d1 * d2 * rank +
               candidates * integerWork(d1, d2, rank, 0) + spaceWork(d1);
    }
    const double products = refits(options) ? 2 * d1 * d2 * rank + d1 * rank * rank +
                                                  kFactorRefitSteps * 2 * rank * rank * d2
                                            : 0;
    return n * n * std::max(d1, d2) + 9 * n * n * n + 4 * d1 * d2 * rank + products + spaceWork(d1);
}

double LowRankMethod::spaceWork(double /*d1*/) const { return 0; }

WorkRate LowRankMethod::workRate(const MatrixOptions& options) const {
    if (options.accounting == Accounting::Integers) {
        return {kIntegerFamily, kIntegerRate};
    }
    return {"low-rank", 10e9};  // an eigendecomposition in double
}

CompressedMatrix LowRankMethod::solve(const MatrixProblem& problem,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& stop) const {
    const std::int64_t rank = largestRank(problem.options, problem.w.rows(), problem.w.cols());
    const auto metric = space({needsCalibration() ? problem.whitening : nullptr, problem.rowFisher},
                              problem.options);
    const Target target{problem.backend, *metric, problem.backend.upload(metric->into(problem.w))};
    const LowRankFactors leading = leadingFactors(target, usefulRank(target, rank));
    CompressedMatrix result;
    result.weight = bestOfBits(
                        target, leading, problem.options, problem.w.rows(), target.weight,
                        [&](const Eigen::MatrixXf& a) { return metric->into(a); }, stop)
                        .weight;
    result.termination = result.weight ? Termination::Converged : Termination::Cancelled;
    return result;
}

LowRankBudget lowRankBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return lowRankBudget(d1, d2, options.cr, options.accounting, options.coefficientBits,
                         options.dictionaryBits);
}

std::vector<double> lowRankErrors(Backend& backend, const Eigen::MatrixXf& w,
                                  const Whitening* whitening,
                                  const std::vector<MatrixOptions>& options) {
    std::vector<double> errors;
    if (options.empty()) {
        return errors;
    }
    std::int64_t largest = 0;
    for (const MatrixOptions& of : options) {
        largest = std::max(largest, largestRank(of, w.rows(), w.cols()));
    }
    const auto& method = dynamic_cast<const LowRankMethod&>(*options.front().method);
    const std::optional<Whitening> ridged = ridgedMetric(backend, whitening, options.front());
    const Whitening* solvedIn = ridged ? &*ridged : whitening;
    const auto metric =
        method.space({method.needsCalibration() ? solvedIn : nullptr}, options.front());
    const Target target{backend, *metric, backend.upload(metric->into(w))};
    const LowRankFactors leading = leadingFactors(target, usefulRank(target, largest));
    const Matrix measured = backend.upload(whitenedIf(whitening, w));  // without the ridge
    for (const MatrixOptions& of : options) {
        errors.push_back(
            bestOfBits(target, leading, of, w.rows(), measured,
                       [&](const Eigen::MatrixXf& a) { return whitenedIf(whitening, a); }, {})
                .error);
    }
    return errors;
}

}  // namespace cospadi
