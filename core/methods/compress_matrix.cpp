#include "core/methods/compress_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "core/base/bfloat16.h"
#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr int kCarriedOverSteps = 6;

void roundEntries(Eigen::MatrixXf& a) {
    for (float& value : a.reshaped()) {
        value = roundedToBf16(value);
    }
}

Eigen::MatrixXf whitenedIf(const Whitening* whitening, const Eigen::MatrixXf& a) {
    return whitening != nullptr ? whitening->whitenedFromOriginal(a) : a;
}

// ‖W_L − A_L B‖ / ‖W_L‖ with A_L the left factor as it is measured.
double measuredError(Backend& backend, const Matrix& w, const Eigen::MatrixXf& left,
                     const Eigen::MatrixXf& right) {
    Matrix residual = backend.zeros(w.rows, w.cols);
    backend.copy(w, residual);
    backend.gemm(Op::None, Op::None, -1, backend.upload(left), backend.upload(right), 1, residual);
    return std::sqrt(backend.dot(residual, residual) / backend.dot(w, w));
}

// U and Uᵀ W of the leading `count` singular vectors of W.
LowRankFactors leadingFactors(Backend& backend, const Matrix& target, std::int64_t count) {
    const Matrix u = backend.leftSingularVectors(target, count);
    Matrix right = backend.zeros(count, target.cols);
    backend.gemm(Op::Transpose, Op::None, 1, u, target, 0, right);
    return {backend.download(u), backend.download(right)};
}

// A dictionary, or a left factor, as it is stored; what it is multiplied by follows where columns
// are stretched.
void roundDictionary(Backend& backend, int bits, Eigen::MatrixXf& dictionary, Matrix& codes) {
    if (bits == 16) {
        roundEntries(dictionary);
        return;
    }
    const Eigen::VectorXf stretch = roundAtomsToBytes(dictionary);
    codes = backend.upload(stretch.cwiseInverse().asDiagonal() * backend.download(codes));
}

// The first of them as they are stored; target = L W.
LowRankFactors storedLowRank(Backend& backend, const Matrix& target, const LowRankFactors& leading,
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
    roundDictionary(backend, factors.leftBits, factors.left, right);
    if (refits(options)) {
        refitCodes(backend, target, backend.upload(whitenedIf(space, factors.left)), right,
                   FastOptions().refitSteps);
    }
    factors.right = backend.download(right);
    roundCodes(factors);
    return factors;
}

void compressLowRank(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                     const MatrixOptions& options, CompressedMatrix& result) {
    const LowRankBudget budget = lowRankBudgetOf(options, w.rows(), w.cols());
    result.rank = budget.rank;
    const Whitening* space = options.method == Method::SvdLlm ? whitening : nullptr;
    const Matrix target = backend.upload(whitenedIf(space, w));
    result.termination = Termination::Converged;
    result.weight = storedWeight(storedLowRank(
        backend, target, leadingFactors(backend, target, result.rank), space, options, budget));
}

KsvdOptions ksvdOptions(const MatrixOptions& options) {
    KsvdOptions ksvd;
    ksvd.iterations = options.iterations > 0 ? options.iterations : ksvd.iterations;
    ksvd.powerIterations = options.powerIterations;
    ksvd.init = options.init;
    ksvd.update = options.update;
    ksvd.deadAtoms = options.deadAtoms;
    ksvd.tolerance = options.tolerance;
    ksvd.seed = options.seed;
    return ksvd;
}

FastOptions fastOptions(const MatrixOptions& options, FastOptions fast) {
    if (options.iterations > 0) {
        fast.orthogonalIterations = std::min(fast.orthogonalIterations, options.iterations - 1);
        fast.generalIterations = options.iterations - fast.orthogonalIterations;
    }
    if (refits(options)) {
        fast.refitSteps = 0;  // refitted once, to the dictionary as it is stored
    }
    fast.tolerance = options.tolerance;
    fast.seed = options.seed;
    return fast;
}

// A target that the solver approximates by D S, and how its codes are fitted once more to the
// dictionary as it is stored.
class SparseTarget {
  public:
    virtual ~SparseTarget() = default;
    virtual LearnedDictionary learn(const SparseBudget& budget, const MatrixOptions& options,
                                    const IterationCallback& callback,
                                    const std::stop_token& stop) = 0;
    // D as learned → as stored, before rounding.
    virtual Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const = 0;
    // Returns the relative error after it, before rounding.
    virtual double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) = 0;
};

// W_L, or a weight that needs no metric.
class PlainTarget final : public SparseTarget {
  public:
    PlainTarget(Backend& backend, const Eigen::MatrixXf& w, const Whitening* space)
        : m_backend(backend),
          m_space(space),
          m_original(space != nullptr ? &w : nullptr),
          m_target(backend.upload(whitenedIf(space, w))) {}

    LearnedDictionary learn(const SparseBudget& budget, const MatrixOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        if (options.solver == Solver::Fast) {
            return solveFast(m_backend, m_target, budget.k, budget.s, fastOptions(options, {}),
                             callback, stop);
        }
        KsvdOptions ksvd = ksvdOptions(options);
        if (ksvd.init == DictionaryInit::WeightColumns && m_original != nullptr) {
            ksvd.weight = m_backend.upload(*m_original);
        }
        return solveKsvd(m_backend, m_target, budget.k, budget.s, ksvd, callback, stop);
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override {
        return m_space != nullptr ? m_space->originalFromWhitened(dictionary) : dictionary;
    }

    double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) override {
        return refitCodes(m_backend, m_target,
                          m_backend.upload(whitenedIf(m_space, storedDictionary)), codes, steps);
    }

  private:
    Backend& m_backend;
    const Whitening* m_space;
    const Eigen::MatrixXf* m_original;  // W, the caller's; null where it is the target itself
    Matrix m_target;
};

// Wᵀ in the metric of the layer's inputs.
class CoupledTarget final : public SparseTarget {
  public:
    CoupledTarget(Backend& backend, const Eigen::MatrixXf& w, const Whitening& space)
        : m_backend(backend), m_z(backend.upload(w.transpose())) {
        // Mean diagonal 1: the sums grow with the number of tokens.
        const Eigen::MatrixXd metric = space.gram();
        const double scale = 1 / metric.diagonal().mean();
        m_metric = backend.upload((scale * metric).cast<float>());
        m_target = backend.upload(static_cast<float>(std::sqrt(scale)) *
                                  space.whitenedFromOriginal(w).transpose());
    }

    LearnedDictionary learn(const SparseBudget& budget, const MatrixOptions& options,
                            const IterationCallback& callback,
                            const std::stop_token& stop) override {
        return solveFastCoupled(m_backend, m_z, m_target, m_metric, budget.k, budget.s,
                                fastOptions(options, FastOptions::coupled()), callback, stop);
    }

    Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const override { return dictionary; }

    double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) override {
        return refitCodesCoupled(m_backend, m_z, m_metric, m_backend.upload(storedDictionary),
                                 codes, steps);
    }

  private:
    Backend& m_backend;
    Matrix m_z;
    Matrix m_metric;
    Matrix m_target;
};

std::unique_ptr<SparseTarget> sparseTarget(Backend& backend, const Eigen::MatrixXf& w,
                                           const Whitening* space, DictionarySide side) {
    if (side == DictionarySide::Input) {
        return std::make_unique<PlainTarget>(backend, w, space);
    }
    if (space == nullptr) {
        return std::make_unique<PlainTarget>(backend, w.transpose(), nullptr);
    }
    return std::make_unique<CoupledTarget>(backend, w, *space);
}

void compressSparse(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                    const MatrixOptions& options, const IterationCallback& callback,
                    const std::stop_token& stop, CompressedMatrix& result) {
    const SparseBudget budget = sparseBudgetOf(options, w.rows(), w.cols());
    const Whitening* space = options.method == Method::Cospadi ? whitening : nullptr;
    result.side = sideOf(options, w.rows(), w.cols());
    const auto target = sparseTarget(backend, w, space, result.side);
    LearnedDictionary learned = target->learn(budget, options, callback, stop);
    result.k = learned.dictionary.cols;
    result.s = std::min(budget.s, result.k);
    result.iterations = learned.iterations;
    result.replacedAtoms = learned.replacedAtoms;
    result.solvedError = learned.relativeError;
    result.termination = learned.termination;
    if (learned.termination == Termination::Cancelled) {
        return;
    }
    SparseDictionaryFactors factors;
    factors.s = result.s;
    factors.coefficientBits = budget.coefficientBits;
    factors.coefficientFormat = coefficientFormatOf(options);
    factors.side = result.side;
    factors.dictionaryBits = budget.dictionaryBits;
    factors.dictionary = target->stored(backend.download(learned.dictionary));
    roundDictionary(backend, factors.dictionaryBits, factors.dictionary, learned.codes);
    if (refits(options)) {
        target->refit(factors.dictionary, learned.codes, FastOptions().refitSteps);
    }
    factors.codes = backend.download(learned.codes);
    roundCodes(factors, options.coefficientRounding);
    result.weight = storedWeight(std::move(factors));
}

// The k rows of most weight, and of every column's entries in them the s largest.
Eigen::MatrixXf largestEntries(const Eigen::MatrixXf& codes, const Eigen::VectorXf& lengths,
                               std::int64_t k, std::int64_t s) {
    const Eigen::VectorXf weights = codes.rowwise().norm().cwiseProduct(lengths);
    const auto kthLargest = [](std::vector<float> values, std::int64_t place) {
        const auto at = values.begin() + (place - 1);
        std::nth_element(values.begin(), at, values.end(), std::greater<>());
        return *at;
    };
    const float least = k < codes.rows() ? kthLargest({weights.begin(), weights.end()}, k) : 0.0F;
    Eigen::MatrixXf kept = codes;
    std::vector<float> sizes;
    for (Eigen::Index j = 0; j < codes.cols(); ++j) {
        sizes.clear();
        for (Eigen::Index i = 0; i < codes.rows(); ++i) {
            kept(i, j) = weights(i) < least ? 0 : kept(i, j);
            if (kept(i, j) != 0) {
                sizes.push_back(std::abs(kept(i, j)) * lengths(i));
            }
        }
        if (static_cast<std::int64_t>(sizes.size()) > s) {
            const float smallest = kthLargest(sizes, s);
            for (Eigen::Index i = 0; i < codes.rows(); ++i) {
                kept(i, j) = std::abs(kept(i, j)) * lengths(i) < smallest ? 0 : kept(i, j);
            }
        }
    }
    return kept;
}

}  // namespace

DictionarySide sideOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    if (options.solver == Solver::Ksvd) {
        // OMP and K-SVD treat columns one by one, which a metric on the other side couples.
        if (options.side == DictionarySide::Output && needsCalibration(options.method)) {
            throw Error("K-SVD has no calibrated dictionary on the output side", "side",
                        "use the solver fast, the input side, or the method cospadi-free");
        }
        return options.side.value_or(DictionarySide::Input);
    }
    return options.side.value_or(d2 < d1 ? DictionarySide::Output : DictionarySide::Input);
}

bool usuallyRefits(Method method, Solver solver, Accounting accounting) {
    if (!isSparse(method)) {
        return isPacked(accounting);
    }
    return solver == Solver::Fast || accounting == Accounting::Packed8;
}

bool refits(const MatrixOptions& options) {
    return options.refit.value_or(
        usuallyRefits(options.method, options.solver, options.accounting));
}

SparseBudget sparseBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    const bool input = sideOf(options, d1, d2) == DictionarySide::Input;
    return sparseBudget(input ? d1 : d2, input ? d2 : d1, options.cr, options.rho,
                        options.accounting, options.coefficientBits);
}

LowRankBudget lowRankBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return lowRankBudget(d1, d2, options.cr, options.accounting, options.coefficientBits);
}

double budgetBytes(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return isSparse(options.method) ? sparseBudgetOf(options, d1, d2).totalBytes()
                                    : lowRankBudgetOf(options, d1, d2).totalBytes();
}

CoefficientFormat usualCoefficientFormat(Method method, Solver solver) {
    return isSparse(method) && solver == Solver::Ksvd ? CoefficientFormat::ShortMantissa
                                                      : CoefficientFormat::ShortExponent;
}

CoefficientFormat coefficientFormatOf(const MatrixOptions& options) {
    return options.coefficientFormat.value_or(
        usualCoefficientFormat(options.method, options.solver));
}

int fewestCoefficientBits(CoefficientFormat format) {
    return format == CoefficientFormat::ShortMantissa ? 9 : 8;
}

bool isStorable(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    try {
        const int bits = isSparse(options.method) ? sparseBudgetOf(options, d1, d2).coefficientBits
                                                  : lowRankBudgetOf(options, d1, d2).rightBits;
        return bits >= fewestCoefficientBits(coefficientFormatOf(options));
    } catch (const Error&) {
        return false;
    }
}

CompressedMatrix compressMatrix(Backend& backend, const Eigen::MatrixXf& w,
                                const Whitening* whitening, const MatrixOptions& options,
                                const IterationCallback& callback, const std::stop_token& stop) {
    if (!w.allFinite()) {
        throw Error("the weight holds NaN or infinite values", "weight", "check the model file");
    }
    if (needsCalibration(options.method) && whitening == nullptr) {
        throw Error(fmt::format("method {} needs calibration", name(options.method)), "method",
                    "give calibration text or use a data-free method");
    }
    std::optional<Whitening> ridged;
    if (whitening != nullptr && options.ridge > 0 && needsCalibration(options.method)) {
        ridged = whitening->ridged(options.ridge, backend);
    }
    const Whitening* metric = ridged ? &*ridged : whitening;
    CompressedMatrix result;
    switch (options.method) {
        case Method::Dense:
            throw Error("the dense model has nothing to compress", "method", "");
        case Method::Svd:
        case Method::SvdLlm:
            compressLowRank(backend, w, metric, options, result);
            break;
        case Method::CospadiFree:
        case Method::Cospadi:
            compressSparse(backend, w, metric, options, callback, stop, result);
            break;
    }
    if (result.termination != Termination::Cancelled) {
        result.relativeError = storedError(backend, w, whitening, *result.weight);
    }
    return result;
}

double storedError(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                   const StoredWeight& stored) {
    const Matrix target = backend.upload(whitenedIf(whitening, w));
    if (const auto product = stored.product()) {
        return measuredError(backend, target, whitenedIf(whitening, product->left), product->right);
    }
    const Matrix residual = backend.upload(whitenedIf(whitening, w - stored.recomposed()));
    return std::sqrt(backend.dot(residual, residual) / backend.dot(target, target));
}

std::optional<double> errorOfCarriedOver(Backend& backend, const Eigen::MatrixXf& w,
                                         const Whitening* whitening,
                                         const SparseDictionaryFactors& known,
                                         const MatrixOptions& options) {
    if (known.side != sideOf(options, w.rows(), w.cols())) {
        return std::nullopt;
    }
    const SparseBudget budget = sparseBudgetOf(options, w.rows(), w.cols());
    const Whitening* space = options.method == Method::Cospadi ? whitening : nullptr;
    const bool input = known.side == DictionarySide::Input;
    const Eigen::VectorXf lengths =
        whitenedIf(input ? space : nullptr, known.dictionary).colwise().norm().transpose();
    Matrix codes = backend.upload(largestEntries(known.codes, lengths, budget.k, budget.s));
    return sparseTarget(backend, w, space, known.side)
        ->refit(known.dictionary, codes, kCarriedOverSteps);
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
            storedLowRank(backend, target, leading, whitening, options[i], budgets[i]);
        errors.push_back(
            measuredError(backend, target, whitenedIf(whitening, factors.left), factors.right));
    }
    return errors;
}

}  // namespace cospadi
