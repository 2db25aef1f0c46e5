#include "core/methods/low_rank/low_rank_method.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/forms/low_rank/low_rank_weight.h"
#include "core/methods/layer_groups.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

constexpr double kRefitSteps = 5;  // that its nearly orthogonal columns take

// U and Uᵀ W of the leading `count` singular vectors of W.
LowRankFactors leadingFactors(Backend& backend, const Matrix& target, std::int64_t count) {
    const Matrix u = backend.leftSingularVectors(target, count);
    Matrix right = backend.zeros(count, target.cols);
    backend.gemm(Op::Transpose, Op::None, 1, u, target, 0, right);
    return {backend.download(u), backend.download(right)};
}

// The first of them as they are stored; target = L W.
LowRankFactors storedFactors(Backend& backend, const Matrix& target, const LowRankFactors& leading,
                             const Whitening* space, const MatrixOptions& options,
                             const LowRankBudget& budget) {
    LowRankFactors factors;
    factors.leftBits = budget.leftBits;
    factors.rightBits = budget.rightBits;
    factors.rightFormat = coefficientFormatOf(options);
    factors.left = leading.left.leftCols(budget.rank);
    if (space != nullptr) {
        factors.left = space->originalFromWhitened(factors.left);
    }
    Matrix right = backend.upload(leading.right.topRows(budget.rank));
    roundColumns(backend, factors.leftBits, factors.left, right);
    if (refits(options)) {
        refitCodes(backend, target, backend.upload(whitenedIf(space, factors.left)), right,
                   FastOptions().refitSteps);
    }
    factors.right = backend.download(right);
    roundCodes(factors);
    return factors;
}

class LowRankMethod final : public Method {
  public:
    explicit LowRankMethod(bool calibrated) : m_calibrated(calibrated) {}

    const char* name() const override { return m_calibrated ? "svd-llm" : "svd"; }
    const char* title() const override { return m_calibrated ? "SVD-LLM" : "SVD"; }
    const char* summary() const override {
        return m_calibrated ? "truncated SVD of the whitened weight"
                            : "truncated SVD of the weight";
    }
    const char* source() const override {
        return m_calibrated ? "Wang et al., SVD-LLM (ICLR 2025)" : "Eckart and Young (1936)";
    }
    const char* form() const override { return LowRankWeight::kForm; }
    bool needsCalibration() const override { return m_calibrated; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> plain = {
            "cr", "accounting", "coefficient_bits", "coefficient_format", "refit", "groups"};
        static const std::vector<std::string> whitened = [] {
            std::vector<std::string> all = plain;
            all.insert(all.end(), {"ridge", "allocation", "propagation"});
            return all;
        }();
        return m_calibrated ? whitened : plain;
    }

    const std::vector<Option>& ownOptions() const override { return groupOptions(); }

    StoragePlan plan(const MatrixOptions& options, std::int64_t d1,
                     std::int64_t d2) const override {
        const LowRankBudget budget = lowRankBudgetOf(options, d1, d2);
        return {LowRankWeight::factsOf(budget.rank, budget.leftBits, budget.rightBits),
                {{"left", budget.leftBytes()}, {"right", budget.rightBytes()}}};
    }

    int coefficientBits(const MatrixOptions& options, std::int64_t d1,
                        std::int64_t d2) const override {
        return lowRankBudgetOf(options, d1, d2).rightBits;
    }

    // Published without; but where what is saved buys rank.
    bool usuallyRefits(const MatrixOptions& options) const override {
        return isPacked(options.accounting);
    }

    double work(const MatrixOptions& options, std::int64_t rows, std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        const auto d2 = static_cast<double>(cols);
        const auto rank = static_cast<double>(lowRankBudgetOf(options, rows, cols).rank);
        const double n = std::min(d1, d2);
        const double products = refits(options) ? 2 * d1 * d2 * rank + d1 * rank * rank +
                                                      kRefitSteps * 2 * rank * rank * d2
                                                : 0;
        return n * n * std::max(d1, d2) + 9 * n * n * n + 4 * d1 * d2 * rank + products;
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override {
        return {"low-rank", 10e9};  // an eigendecomposition in double
    }

    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& /*callback*/,
                           const std::stop_token& /*stop*/) const override {
        const LowRankBudget budget =
            lowRankBudgetOf(problem.options, problem.w.rows(), problem.w.cols());
        const Whitening* space = m_calibrated ? problem.whitening : nullptr;
        const Matrix target = problem.backend.upload(whitenedIf(space, problem.w));
        CompressedMatrix result;
        result.termination = Termination::Converged;
        result.weight = storedWeight(storedFactors(
            problem.backend, target, leadingFactors(problem.backend, target, budget.rank), space,
            problem.options, budget));
        return result;
    }

  private:
    bool m_calibrated;
};

}  // namespace

const Method& svdMethod() {
    static const LowRankMethod method(false);
    return method;
}

const Method& svdLlmMethod() {
    static const LowRankMethod method(true);
    return method;
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
    const Matrix target = backend.upload(whitenedIf(whitening, w));
    const LowRankFactors leading = leadingFactors(backend, target, largest);
    for (std::size_t i = 0; i < options.size(); ++i) {
        const LowRankFactors factors =
            storedFactors(backend, target, leading, whitening, options[i], budgets[i]);
        errors.push_back(
            productError(backend, target, whitenedIf(whitening, factors.left), factors.right));
    }
    return errors;
}

}  // namespace cospadi
