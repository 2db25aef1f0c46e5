#include "core/methods/low_rank/low_rank_method.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/forms/remapped/remapped_weight.h"
#include "core/methods/compress_matrix.h"
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

// The first of the leading factors as they are stored.
StoredWeightPtr storedFactors(const Target& target, const LowRankFactors& leading,
                              const MatrixOptions& options, const LowRankBudget& budget) {
    const std::int64_t rank = usefulRank(target, budget.rank);
    LowRankFactors factors;
    factors.left = target.space.back(leading.left.leftCols(rank));
    if (budget.remapped) {
        return remappedFactors(target, factors.left, leading.right.topRows(rank), refits(options));
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

}  // namespace

const char* LowRankMethod::form() const { return LowRankWeight::kForm; }

const char* LowRankMethod::formUnder(const MatrixOptions& options) const {
    return options.accounting == Accounting::Remapped ? RemappedWeight::kForm : form();
}

const std::vector<std::string>& LowRankMethod::settings() const {
    static const std::vector<std::string> plain = {
        "cr",    "accounting", "coefficient_bits", "coefficient_format",
        "refit", "groups",     "refine",           "refine_rate"};
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
    if (options.accounting == Accounting::Remapped && groupsLayers(options)) {
        throw Error("remapped factors are none that layers could share", "groups",
                    "use none, or another accounting");
    }
}

StoragePlan LowRankMethod::plan(const MatrixOptions& options, std::int64_t d1,
                                std::int64_t d2) const {
    const LowRankBudget budget = lowRankBudgetOf(options, d1, d2);
    return {budget.remapped
                ? RemappedWeight::factsOf(d1, d2, budget.rank)
                : LowRankWeight::factsOf(budget.rank, budget.leftBits, budget.rightBits),
            {{"left", budget.leftBytes()}, {"right", budget.rightBytes()}}};
}

int LowRankMethod::coefficientBits(const MatrixOptions& options, std::int64_t d1,
                                   std::int64_t d2) const {
    const LowRankBudget budget = lowRankBudgetOf(options, d1, d2);
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
    const double products = refits(options) ? 2 * d1 * d2 * rank + d1 * rank * rank +
                                                  kFactorRefitSteps * 2 * rank * rank * d2
                                            : 0;
    return n * n * std::max(d1, d2) + 9 * n * n * n + 4 * d1 * d2 * rank + products + spaceWork(d1);
}

double LowRankMethod::spaceWork(double /*d1*/) const { return 0; }

WorkRate LowRankMethod::workRate(const MatrixOptions& /*options*/) const {
    return {"low-rank", 10e9};  // an eigendecomposition in double
}

CompressedMatrix LowRankMethod::solve(const MatrixProblem& problem,
                                      const IterationCallback& /*callback*/,
                                      const std::stop_token& /*stop*/) const {
    const LowRankBudget budget =
        lowRankBudgetOf(problem.options, problem.w.rows(), problem.w.cols());
    const auto metric = space(needsCalibration() ? problem.whitening : nullptr, problem.options);
    const Target target{problem.backend, *metric, problem.backend.upload(metric->into(problem.w))};
    CompressedMatrix result;
    result.termination = Termination::Converged;
    result.weight = storedFactors(target, leadingFactors(target, usefulRank(target, budget.rank)),
                                  problem.options, budget);
    return result;
}

LowRankBudget lowRankBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return lowRankBudget(d1, d2, options.cr, options.accounting, options.coefficientBits);
}

std::vector<double> lowRankErrors(Backend& backend, const Eigen::MatrixXf& w,
                                  const Whitening* whitening,
                                  const std::vector<MatrixOptions>& options) {
    std::vector<double> errors;
    if (options.empty()) {
        return errors;
    }
    std::vector<LowRankBudget> budgets;
    std::int64_t largest = 0;
    for (const MatrixOptions& of : options) {
        budgets.push_back(lowRankBudgetOf(of, w.rows(), w.cols()));
        largest = std::max(largest, budgets.back().rank);
    }
    const auto& method = dynamic_cast<const LowRankMethod&>(*options.front().method);
    const std::optional<Whitening> ridged = ridgedMetric(backend, whitening, options.front());
    const Whitening* solvedIn = ridged ? &*ridged : whitening;
    const auto metric =
        method.space(method.needsCalibration() ? solvedIn : nullptr, options.front());
    const Target target{backend, *metric, backend.upload(metric->into(w))};
    const LowRankFactors leading = leadingFactors(target, usefulRank(target, largest));
    const Matrix measured = backend.upload(whitenedIf(whitening, w));  // without the ridge
    for (std::size_t i = 0; i < options.size(); ++i) {
        const auto product = storedFactors(target, leading, options[i], budgets[i])->product();
        errors.push_back(
            productError(backend, measured, whitenedIf(whitening, product->left), product->right));
    }
    return errors;
}

}  // namespace cospadi
