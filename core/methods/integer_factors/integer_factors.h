// Two factors in integers of a few bits, T W ≈ T (left · right), each fitted to the other as it is
// stored (accounting `integers`, docs/decisions/0022-factors-in-few-bits.md). From a solver's
// factors on, some times over, of which the one of least error counts:
//
//   left ← its columns as long as their rows of `right` are large, each entry rounded
//   right ← integers near the minimum of ‖T W − T left · right‖, on their support (nearest_plane.h)
//   left ← the minimum of ‖T W − T left · right‖ over real numbers
//
// The first pass is what rounding one factor after the other gives; the passes after it let the
// left factor make up for what rounding did to the right one, which halves the error where a few
// directions carry most of the weight.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/linalg/backend.h"
#include "core/methods/matrix_options.h"

namespace cospadi {

struct IntegerProblem {
    Backend& backend;
    const Matrix& target;                                         // T W (q, d2)
    std::function<Eigen::MatrixXf(const Eigen::MatrixXf&)> into;  // A (d1, n) → T A
    std::function<Eigen::MatrixXf(const Eigen::MatrixXf&)> back;  // T A → A
    int leftBits = 4;
    int rightBits = 4;
    std::int64_t run = 64;  // entries that share a scale, at most
    // Of sparse codes: how many non-zeros a column has; what is zero in them stays zero. 0: a dense
    // right factor.
    std::int64_t nonZeros = 0;
    bool refit = true;  // false: both are rounded as they are, once
};

struct IntegerFactors {
    Eigen::MatrixXf left;  // (d1, k), as stored
    Eigen::MatrixXf right;
    Eigen::MatrixXf leftScales;  // half-steps (runs, k)
    Eigen::MatrixXf rightScales;
    double error = 0;  // ‖T (W − left · right)‖ / ‖T W‖
};

// left (d1, k), right (k, d2). nullopt where it was asked to stop.
std::optional<IntegerFactors> fitIntegers(const IntegerProblem& problem, Eigen::MatrixXf left,
                                          Eigen::MatrixXf right, const std::stop_token& stop);

// Operations of fitIntegers() for factors (d1, k) and (k, d2). nonZeros: as there.
double integerWork(double d1, double d2, double k, double nonZeros);
// The family that such solves are timed in (WorkRate), and what is assumed before any was: most is
// substitution in double.
constexpr const char* kIntegerFamily = "integers";
constexpr double kIntegerRate = 3e9;

// Throws Error naming the setting where bits are out of range for the accounting.
void requireBits(const MatrixOptions& options);

// Under the accounting `integers`, where the bits of a factor are left to trial (0): the options
// with each pair that is tried. Else the options alone.
std::vector<MatrixOptions> bitCandidates(const MatrixOptions& options);

// The budget of the options; where bits are left to trial, that of most bytes among the candidates:
// whichever is taken stores no more. Under the usual bits alone a rank, or k, that has ended at the
// shorter side would promise fewer bytes than wider entries then fill. ofOptions: of MatrixOptions,
// a SparseBudget or LowRankBudget. Throws as it does for any of them: the trial would.
template <typename OfOptions>
auto largestBudget(const MatrixOptions& options, const OfOptions& ofOptions) {
    const std::vector<MatrixOptions> candidates = bitCandidates(options);
    auto largest = ofOptions(candidates.front());
    for (std::size_t i = 1; i < candidates.size(); ++i) {
        const auto budget = ofOptions(candidates[i]);
        largest = budget.totalBytes() > largest.totalBytes() ? budget : largest;
    }
    return largest;
}

}  // namespace cospadi
