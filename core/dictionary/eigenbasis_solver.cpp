#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

// Moves the `count` largest of `scores` (0: not to be had) from `projected` into `codes`.
void restoreLargest(const Eigen::MatrixXf& projected, const Eigen::MatrixXf& scores,
                    std::int64_t count, Eigen::MatrixXf& codes) {
    std::vector<float> sorted;
    std::copy_if(scores.data(), scores.data() + scores.size(), std::back_inserter(sorted),
                 [](float score) { return score > 0; });
    const bool all = count >= static_cast<std::int64_t>(sorted.size());
    float least = 0;
    std::int64_t ties = 0;  // entries of that very score that are restored, too
    if (!all) {
        std::nth_element(sorted.begin(), sorted.begin() + count, sorted.end(), std::greater<>());
        least = sorted[static_cast<std::size_t>(count)];
        ties = count - std::count_if(sorted.begin(), sorted.begin() + count,
                                     [&](float score) { return score > least; });
    }
    for (Eigen::Index at = 0; at < scores.size(); ++at) {
        const float score = scores.data()[at];
        const bool isTie = ties > 0 && score == least;
        ties -= isTie ? 1 : 0;
        if (score > least || isTie) {
            codes.data()[at] = projected.data()[at];
        }
    }
}

// What stays of P (k, d2); see solveEigenbasis().
Eigen::MatrixXf mostImportant(const Eigen::MatrixXf& projected, const Eigen::VectorXf& lengths,
                              std::int64_t s, const EigenbasisOptions& options) {
    const Eigen::Index k = projected.rows();
    const double cut = options.restoredShare * static_cast<double>(k);
    const auto kept = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::floor(static_cast<double>(s) - cut)));
    const Eigen::VectorXf weights = lengths.array().pow(static_cast<float>(options.lengthExponent));
    Eigen::MatrixXf codes = Eigen::MatrixXf::Zero(k, projected.cols());
    Eigen::MatrixXf scores = lengths.asDiagonal() * projected.cwiseAbs();
    std::vector<Eigen::Index> order(static_cast<std::size_t>(k));
    for (Eigen::Index j = 0; j < projected.cols(); ++j) {
        const Eigen::VectorXf importance = projected.col(j).cwiseAbs().cwiseProduct(weights);
        std::iota(order.begin(), order.end(), 0);
        const auto end = order.begin() + kept;
        std::nth_element(order.begin(), end, order.end(), [&](Eigen::Index a, Eigen::Index b) {
            return importance(a) != importance(b) ? importance(a) > importance(b) : a < b;
        });
        for (auto row = order.begin(); row != end; ++row) {
            codes(*row, j) = projected(*row, j);
            scores(*row, j) = 0;
        }
    }
    restoreLargest(projected, scores, (s - kept) * projected.cols(), codes);
    return codes;
}

// D = W Cᵀ (C Cᵀ + μ I)⁻¹; B where that cannot be had.
Matrix ridgedLeastSquares(Backend& backend, const Matrix& w, const Matrix& codes, double ridge,
                          const Matrix& basis) {
    const std::int64_t k = codes.rows;
    const double mu = ridge * backend.dot(codes, codes) / static_cast<double>(k);
    Matrix normal = backend.upload(static_cast<float>(mu) * Eigen::MatrixXf::Identity(k, k));
    Matrix squares = backend.zeros(k, k);
    backend.syrk(Op::None, codes, squares);
    backend.axpby(1, squares, 1, normal);
    Matrix dictionary = backend.zeros(w.rows, k);
    backend.gemm(Op::None, Op::Transpose, 1, w, codes, 0, dictionary);
    backend.solveRight(normal, 0, basis, dictionary);
    return dictionary;
}

}  // namespace

LearnedDictionary solveEigenbasis(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                                  const EigenbasisOptions& options,
                                  const IterationCallback& callback, const std::stop_token& stop) {
    if (k > std::min(w.rows, w.cols)) {
        throw Error(fmt::format("{} eigenvectors of {} x {}", k, w.rows, w.cols), "k",
                    "give at most as many atoms as the shorter side has entries");
    }
    const double squaredNorm = solver::checkedSquaredNorm(backend, w, k, s);
    LearnedDictionary result;
    result.termination = Termination::Cancelled;
    if (stop.stop_requested()) {
        return result;
    }
    solver::PhaseClock clock(backend);
    const Matrix basis = backend.leftSingularVectors(w, k);
    if (stop.stop_requested()) {
        return result;
    }
    clock.lap();
    Matrix projected = backend.zeros(k, w.cols);
    backend.gemm(Op::Transpose, Op::None, 1, basis, w, 0, projected);
    const Eigen::VectorXf lengths = options.stored
                                        ? options.stored(backend.download(basis)).colwise().norm()
                                        : Eigen::VectorXf(Eigen::VectorXf::Ones(k));
    result.codes = backend.upload(mostImportant(backend.download(projected), lengths, s, options));
    result.phases.coding = clock.lap();

    const auto errorWith = [&](const Matrix& dictionary) {
        Matrix residual = backend.zeros(w.rows, w.cols);
        backend.copy(w, residual);
        backend.gemm(Op::None, Op::None, -1, dictionary, result.codes, 1, residual);
        return std::sqrt(backend.dot(residual, residual) / squaredNorm);
    };
    IterationSummary summary;
    solver::countUsage(backend, result.codes, summary);
    clock.lap();
    result.dictionary = ridgedLeastSquares(backend, w, result.codes, options.ridge, basis);
    result.relativeError = errorWith(result.dictionary);
    if (const double unfitted = errorWith(basis); unfitted < result.relativeError) {
        result.dictionary = basis;
        result.relativeError = unfitted;
    } else {
        backend.normalizeAtoms(result.dictionary, {result.codes});
        solver::keepDeadAtoms(backend, basis, summary.atomUsage, result.dictionary);
    }
    result.phases.dictionary = clock.lap();
    result.iterations = 1;
    result.termination = Termination::Converged;
    if (callback) {
        summary.phase = "eigenbasis";
        summary.iteration = 1;
        summary.relativeError = result.relativeError;
        summary.seconds = clock.seconds();
        summary.phases = result.phases;
        summary.dictionary = &result.dictionary;
        summary.codes = &result.codes;
        callback(summary);
    }
    return result;
}

}  // namespace cospadi
