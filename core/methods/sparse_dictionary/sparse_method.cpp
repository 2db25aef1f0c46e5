#include "core/methods/sparse_dictionary/sparse_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/dictionary/solver_steps.h"
#include "core/methods/compress_matrix.h"
#include "core/methods/integer_factors/integer_factors.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

SparseBudget SparseMethod::budget(const MatrixOptions& options, std::int64_t d1,
                                  std::int64_t d2) const {
    const bool input = side(options, d1, d2) == DictionarySide::Input;
    return sparseBudget(input ? d1 : d2, input ? d2 : d1, options.cr, options.rho,
                        options.accounting, options.coefficientBits, options.dictionaryBits,
                        codePattern(options));
}

SparseBudget SparseMethod::plannedBudget(const MatrixOptions& options, std::int64_t d1,
                                         std::int64_t d2) const {
    return largestBudget(options, [&](const MatrixOptions& of) { return budget(of, d1, d2); });
}

NmPattern SparseMethod::codePattern(const MatrixOptions& /*options*/) const { return {}; }

StoragePlan SparseMethod::plan(const MatrixOptions& options, std::int64_t d1,
                               std::int64_t d2) const {
    const SparseBudget sizes = plannedBudget(options, d1, d2);
    return {SparseDictionaryWeight::factsOf(sizes.k, sizes.s, side(options, d1, d2),
                                            sizes.dictionaryBits, sizes.coefficientBits,
                                            sizes.integerRun, sizes.codes),
            {{"dictionary", sizes.dictionaryBytes()},
             {"values", sizes.valueBytes()},
             {"mask", sizes.maskBytes()}}};
}

int SparseMethod::coefficientBits(const MatrixOptions& options, std::int64_t d1,
                                  std::int64_t d2) const {
    return plannedBudget(options, d1, d2).coefficientBits;
}

// S, P, R and copies; D; G.
double SparseMethod::workingFloats(const MatrixOptions& options, std::int64_t d1,
                                   std::int64_t d2) const {
    const auto k = static_cast<double>(budget(options, d1, d2).k);
    if (side(options, d1, d2) == DictionarySide::Output) {  // atoms of d2, codes of d1 columns
        std::swap(d1, d2);
    }
    return 6 * k * static_cast<double>(d2) + 3 * static_cast<double>(d1) * k + 3 * k * k;
}

std::vector<MetricLayer> SparseMethod::metricLayers(const MatrixProblem& problem,
                                                    DictionarySide side) {
    std::vector<MetricLayer> layers;
    Eigen::Index first = 0;
    for (const UnitPart& part : problem.parts) {
        layers.push_back({side == DictionarySide::Input
                              ? Eigen::MatrixXf(problem.w.middleCols(first, part.width))
                              : Eigen::MatrixXf(problem.w.middleRows(first, part.width)),
                          problem.options.ridge > 0
                              ? part.whitening->ridged(problem.options.ridge, problem.backend)
                              : *part.whitening});
        first += part.width;
    }
    if (layers.empty()) {
        layers.push_back({problem.w, *problem.whitening});
    }
    return layers;
}

std::unique_ptr<SparseTarget> SparseMethod::target(const MatrixProblem& problem,
                                                   DictionarySide side) const {
    return sparseTarget(problem.backend, problem.w,
                        needsCalibration() ? problem.whitening : nullptr, side, problem.outputs);
}

namespace {

// The callback, told of every iteration the error on held-out inputs as well: that of the product
// that D and S stand for, on either side, by one more product.
IterationCallback withHeldOutErrors(const MatrixProblem& problem, const SparseTarget& target,
                                    DictionarySide side, const IterationCallback& callback) {
    if (problem.heldOut == nullptr || !callback) {
        return callback;
    }
    const Matrix wanted = problem.backend.upload(problem.heldOut->whitenedFromOriginal(problem.w));
    return [&problem, &target, side, &callback, wanted](const IterationSummary& summary) {
        Backend& backend = problem.backend;
        const auto whitened = [&](const Eigen::MatrixXf& left) {
            return backend.upload(problem.heldOut->whitenedFromOriginal(left));
        };
        IterationSummary both = summary;
        both.heldOutError =
            side == DictionarySide::Input
                ? productError(backend, wanted,
                               whitened(target.stored(backend.download(*summary.dictionary))),
                               Op::None, *summary.codes)
                : productError(
                      backend, wanted, whitened(backend.download(*summary.codes).transpose()),
                      Op::Transpose,
                      backend.upload(target.stored(backend.download(*summary.dictionary))));
        callback(both);
    };
}

// Both factors as integers; false where it was asked to stop.
bool fitIntegersTo(const MatrixProblem& problem, const Whitening* space, const SparseBudget& sizes,
                   const Eigen::MatrixXf& codes, const std::stop_token& stop,
                   SparseDictionaryFactors& factors) {
    const Matrix target = problem.backend.upload(whitenedIf(space, problem.w));
    const IntegerProblem asked{problem.backend,
                               target,
                               [space](const Eigen::MatrixXf& a) { return whitenedIf(space, a); },
                               [space](const Eigen::MatrixXf& a) {
                                   return space != nullptr ? space->originalFromWhitened(a) : a;
                               },
                               sizes.dictionaryBits,
                               sizes.coefficientBits,
                               sizes.integerRun,
                               factors.s,
                               refits(problem.options)};
    auto fitted = fitIntegers(asked, factors.dictionary, codes, stop);
    if (!fitted) {
        return false;
    }
    factors.integerRun = sizes.integerRun;
    factors.dictionary = std::move(fitted->left);
    factors.codes = std::move(fitted->right);
    factors.dictionaryScales = std::move(fitted->leftScales);
    factors.codeScales = std::move(fitted->rightScales);
    return true;
}

constexpr int kTrialIterations = 8;

}  // namespace

void SparseMethod::validate(const MatrixOptions& options) const {
    validateOwnOptions(options);
    requireBits(options);
}

double SparseMethod::withIntegers(const MatrixOptions& options, std::int64_t d1, std::int64_t d2,
                                  double solver) const {
    if (options.accounting != Accounting::Integers) {
        return solver;
    }
    const SparseBudget sizes = budget(options, d1, d2);
    const std::size_t candidates = bitCandidates(options).size();
    const double trials = candidates > 1 ? static_cast<double>(candidates) : 0;
    const int iterations = options.iterations > 0 ? options.iterations : usualIterations(options);
    const double share =
        iterations > kTrialIterations ? kTrialIterations / static_cast<double>(iterations) : 1.0;
    const double fit = integerWork(static_cast<double>(d1), static_cast<double>(d2),
                                   static_cast<double>(sizes.k), static_cast<double>(sizes.s));
    return (1 + trials * share) * solver + (1 + trials) * fit;
}

// Where bits of integers are left to trial, each pair is tried in a few iterations.
CompressedMatrix SparseMethod::solve(const MatrixProblem& problem,
                                     const IterationCallback& callback,
                                     const std::stop_token& stop) const {
    const std::vector<MatrixOptions> candidates = bitCandidates(problem.options);
    const auto under = [&problem](const MatrixOptions& options) {
        return MatrixProblem{problem.backend, problem.w,       problem.whitening, options,
                             problem.parts,   problem.heldOut, problem.outputs};
    };
    if (candidates.size() == 1) {
        return solveAs(under(candidates.front()), callback, stop);
    }
    const MatrixOptions* best = nullptr;
    double least = 0;
    for (const MatrixOptions& candidate : candidates) {
        MatrixOptions trial = candidate;
        trial.iterations =
            trial.iterations > 0 ? std::min(trial.iterations, kTrialIterations) : kTrialIterations;
        const CompressedMatrix tried = solveAs(under(trial), {}, stop);
        if (tried.termination == Termination::Cancelled) {
            return tried;
        }
        const double error =
            storedError(problem.backend, problem.w, problem.whitening, *tried.weight);
        if (best == nullptr || error < least) {
            best = &candidate;
            least = error;
        }
    }
    return solveAs(under(*best), callback, stop);
}

CompressedMatrix SparseMethod::solveAs(const MatrixProblem& problem,
                                       const IterationCallback& callback,
                                       const std::stop_token& stop) const {
    const MatrixOptions& options = problem.options;
    const SparseBudget sizes = budget(options, problem.w.rows(), problem.w.cols());
    SparseDictionaryFactors factors;
    factors.side = side(options, problem.w.rows(), problem.w.cols());
    const auto asked = target(problem, factors.side);
    LearnedDictionary learned = learn(
        *asked, sizes, options, withHeldOutErrors(problem, *asked, factors.side, callback), stop);
    CompressedMatrix result;
    result.iterations = learned.iterations;
    result.replacedAtoms = learned.replacedAtoms;
    result.solvedError = learned.relativeError;
    result.termination = learned.termination;
    if (learned.termination == Termination::Cancelled) {
        return result;
    }
    factors.s = std::min(sizes.s, learned.dictionary.cols);
    factors.coefficientBits = sizes.coefficientBits;
    factors.coefficientFormat = coefficientFormatOf(options);
    factors.dictionaryBits = sizes.dictionaryBits;
    factors.pattern = sizes.codes;
    factors.dictionary = asked->stored(problem.backend.download(learned.dictionary));
    if (sizes.integerRun > 0) {
        const Whitening* space = needsCalibration() ? problem.whitening : nullptr;
        solver::PhaseClock clock(problem.backend);
        if (!fitIntegersTo(problem, space, sizes, problem.backend.download(learned.codes), stop,
                           factors)) {
            result.termination = Termination::Cancelled;
            return result;
        }
        learned.phases.coding += clock.lap();
        result.phases = learned.phases;
        result.weight = storedWeight(std::move(factors));
        return result;
    }
    roundColumns(problem.backend, factors.dictionaryBits, factors.dictionary, learned.codes);
    if (refits(options)) {
        solver::PhaseClock clock(problem.backend);
        asked->refit(factors.dictionary, learned.codes, FastOptions().refitSteps);
        learned.phases.coding += clock.lap();
    }
    factors.codes = problem.backend.download(learned.codes);
    roundCodes(factors, options.coefficientRounding);
    result.phases = learned.phases;
    result.weight = storedWeight(std::move(factors));
    return result;
}

DictionarySide UndercompleteMethod::side(const MatrixOptions& /*options*/, std::int64_t /*d1*/,
                                         std::int64_t /*d2*/) const {
    return DictionarySide::Input;
}

SparseBudget UndercompleteMethod::budget(const MatrixOptions& options, std::int64_t d1,
                                         std::int64_t d2) const {
    return withAtMost(std::min(d1, d2), SparseMethod::budget(options, d1, d2));
}

bool UndercompleteMethod::usuallyRefits(const MatrixOptions& options) const {
    return options.accounting == Accounting::Packed8 || options.accounting == Accounting::Integers;
}

namespace {

const SparseMethod& sparseMethodOf(const MatrixOptions& options) {
    const auto* sparse = dynamic_cast<const SparseMethod*>(options.method);
    if (sparse == nullptr) {
        throw Error(fmt::format("method {} has no dictionary", options.method->name()), "method",
                    "use a method of the cospadi family");
    }
    return *sparse;
}

}  // namespace

DictionarySide sideOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return sparseMethodOf(options).side(options, d1, d2);
}

SparseBudget sparseBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) {
    return sparseMethodOf(options).budget(options, d1, d2);
}

NmPattern codePatternOf(const MatrixOptions& options) {
    return isSparse(*options.method) ? sparseMethodOf(options).codePattern(options) : NmPattern{};
}

bool isSparse(const Method& method) {
    return dynamic_cast<const SparseMethod*>(&method) != nullptr;
}

}  // namespace cospadi
