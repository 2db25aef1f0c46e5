#include "core/methods/compress_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/bfloat16.h"
#include "core/base/error.h"

namespace cospadi {

namespace {

struct MethodName {
    Method method;
    const char* name;
};

constexpr MethodName kMethods[] = {{Method::Dense, "dense"},
                                   {Method::Svd, "svd"},
                                   {Method::SvdLlm, "svd-llm"},
                                   {Method::CospadiFree, "cospadi-free"},
                                   {Method::Cospadi, "cospadi"}};

void roundEntries(Eigen::MatrixXf& a, int bits) {
    for (float& value : a.reshaped()) {
        value = roundedToBf16(value, bits);
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

void compressLowRank(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                     const MatrixOptions& options, CompressedMatrix& result) {
    const LowRankBudget budget = lowRankBudget(w.rows(), w.cols(), options.cr);
    const Whitening* space = options.method == Method::SvdLlm ? whitening : nullptr;
    const Matrix target = backend.upload(whitenedIf(space, w));
    const Matrix u = backend.leftSingularVectors(target, budget.rank);
    Matrix right = backend.zeros(budget.rank, w.cols());
    backend.gemm(Op::Transpose, Op::None, 1, u, target, 0, right);
    LowRankFactors factors{backend.download(u), backend.download(right)};
    if (space != nullptr) {
        factors.left = space->originalFromWhitened(factors.left);
    }
    roundEntries(factors.left, 16);
    roundEntries(factors.right, 16);
    result.rank = budget.rank;
    result.relativeError = measuredError(backend, backend.upload(whitenedIf(whitening, w)),
                                         whitenedIf(whitening, factors.left), factors.right);
    result.termination = Termination::Converged;
    result.factors = std::move(factors);
}

LearnedDictionary learn(Backend& backend, const Matrix& target, const SparseBudget& budget,
                        const MatrixOptions& options, const IterationCallback& callback,
                        const std::stop_token& stop) {
    if (options.solver == Solver::Ksvd) {
        KsvdOptions ksvd;
        ksvd.iterations = options.iterations > 0 ? options.iterations : ksvd.iterations;
        ksvd.powerIterations = options.powerIterations;
        ksvd.tolerance = options.tolerance;
        ksvd.seed = options.seed;
        return solveKsvd(backend, target, budget.k, budget.s, ksvd, callback, stop);
    }
    FastOptions fast;
    if (options.iterations > 0) {
        fast.orthogonalIterations = std::min(fast.orthogonalIterations, options.iterations - 1);
        fast.generalIterations = options.iterations - fast.orthogonalIterations;
    }
    fast.tolerance = options.tolerance;
    fast.seed = options.seed;
    return solveFast(backend, target, budget.k, budget.s, fast, callback, stop);
}

void compressSparse(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                    const MatrixOptions& options, const IterationCallback& callback,
                    const std::stop_token& stop, CompressedMatrix& result) {
    const SparseBudget budget =
        sparseBudget(w.rows(), w.cols(), options.cr, options.rho, options.accounting);
    const int bits = options.coefficientBits > 0 ? options.coefficientBits : budget.coefficientBits;
    const Whitening* space = options.method == Method::Cospadi ? whitening : nullptr;
    const Matrix target = backend.upload(whitenedIf(space, w));
    LearnedDictionary learned = learn(backend, target, budget, options, callback, stop);
    result.k = budget.k;
    result.s = budget.s;
    result.iterations = learned.iterations;
    result.replacedAtoms = learned.replacedAtoms;
    result.termination = learned.termination;
    if (learned.termination == Termination::Cancelled) {
        return;
    }
    SparseDictionaryFactors factors;
    factors.s = budget.s;
    factors.coefficientBits = bits;
    factors.dictionary = backend.download(learned.dictionary);
    if (space != nullptr) {
        factors.dictionary = space->originalFromWhitened(factors.dictionary);
    }
    roundEntries(factors.dictionary, 16);
    if (options.solver == Solver::Fast) {  // K-SVD stays as published
        // The values are fitted once more to the dictionary as it is stored.
        const Matrix stored = backend.upload(whitenedIf(space, factors.dictionary));
        refitCodes(backend, target, stored, learned.codes);
    }
    factors.codes = backend.download(learned.codes);
    roundEntries(factors.codes, bits);
    result.relativeError = measuredError(backend, backend.upload(whitenedIf(whitening, w)),
                                         whitenedIf(whitening, factors.dictionary), factors.codes);
    result.factors = std::move(factors);
}

}  // namespace

const char* name(Method method) {
    for (const MethodName& entry : kMethods) {
        if (entry.method == method) {
            return entry.name;
        }
    }
    return "unknown";
}

const char* name(Solver solver) { return solver == Solver::Fast ? "fast" : "ksvd"; }

Method methodFromName(const std::string& name) {
    for (const MethodName& entry : kMethods) {
        if (name == entry.name) {
            return entry.method;
        }
    }
    throw Error(fmt::format("'{}' is not a method", name), "method",
                "use dense, svd, svd-llm, cospadi-free or cospadi");
}

Solver solverFromName(const std::string& name) {
    if (name == "fast") {
        return Solver::Fast;
    }
    if (name == "ksvd") {
        return Solver::Ksvd;
    }
    throw Error(fmt::format("'{}' is not a solver", name), "solver", "use fast or ksvd");
}

bool needsCalibration(Method method) {
    return method == Method::SvdLlm || method == Method::Cospadi;
}

bool isSparse(Method method) { return method == Method::CospadiFree || method == Method::Cospadi; }

Eigen::MatrixXf recompose(const Factorization& factors) {
    if (const auto* lowRank = std::get_if<LowRankFactors>(&factors)) {
        return lowRank->left * lowRank->right;
    }
    const auto& sparse = std::get<SparseDictionaryFactors>(factors);
    return sparse.dictionary * sparse.codes;
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
    CompressedMatrix result;
    switch (options.method) {
        case Method::Dense:
            throw Error("the dense model has nothing to compress", "method", "");
        case Method::Svd:
        case Method::SvdLlm:
            compressLowRank(backend, w, whitening, options, result);
            break;
        case Method::CospadiFree:
        case Method::Cospadi:
            compressSparse(backend, w, whitening, options, callback, stop, result);
            break;
    }
    return result;
}

}  // namespace cospadi
