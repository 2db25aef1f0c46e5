#include "core/methods/integer_factors/integer_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/forms/integer_columns.h"
#include "core/methods/integer_factors/nearest_plane.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::MatrixXf;

constexpr int kPasses = 4;
constexpr double kLeftRidge = 1e-7;

// Tried where none are given: what is best between two and eight bits a weight in all.
constexpr std::array<std::pair<int, int>, 4> kCandidates{{{3, 2}, {3, 3}, {4, 4}, {6, 6}}};

// Root mean square of what a row stores; 1 where it stores nothing.
Eigen::VectorXf rowSizes(const MatrixXf& right) {
    Eigen::VectorXf sizes(right.rows());
    for (Index i = 0; i < right.rows(); ++i) {
        const Index count = (right.row(i).array() != 0).count();
        const float norm = right.row(i).norm();
        sizes(i) = norm > 0 ? norm / std::sqrt(static_cast<float>(count)) : 1.0F;
    }
    return sizes;
}

class Fit {
  public:
    Fit(const IntegerProblem& problem, MatrixXf left, MatrixXf right)
        : m_problem(problem), m_left(std::move(left)), m_right(std::move(right)) {}

    std::optional<IntegerFactors> run(const std::stop_token& stop) {
        IntegerFactors best;
        const int passes = m_problem.refit ? kPasses : 1;
        for (int pass = 0; pass < passes; ++pass) {
            IntegerFactors now = rounded(stop);
            if (stop.stop_requested()) {
                return std::nullopt;
            }
            const Matrix right = m_problem.backend.upload(now.right);
            const Matrix inMetric = m_problem.backend.upload(m_problem.into(now.left));
            now.error =
                productError(m_problem.backend, m_problem.target, inMetric, Op::None, right);
            if (pass + 1 < passes) {
                fitLeft(right, inMetric);
                m_right = now.right;
            }
            if (pass == 0 || now.error < best.error) {
                best = std::move(now);
            }
        }
        return best;
    }

  private:
    bool isSparse() const { return m_problem.nonZeros > 0; }

    IntegerFactors rounded(const std::stop_token& stop) {
        IntegerFactors now;
        const Eigen::VectorXf sizes = rowSizes(m_right);
        now.left = m_left * sizes.asDiagonal();
        now.leftScales = roundToIntegers(
            m_problem.leftBits, integerRuns(now.left.rows(), m_problem.run), false, now.left);
        const std::int64_t runs =
            integerRuns(isSparse() ? m_problem.nonZeros : m_right.rows(), m_problem.run);
        now.right = sizes.cwiseInverse().asDiagonal() * m_right;
        if (m_problem.refit) {
            fitRight(runs, stop, now);
        } else {
            now.rightScales = roundToIntegers(m_problem.rightBits, runs, isSparse(), now.right);
        }
        return now;
    }

    // On the host, one thread: a column's substitution is small, and there are many layers.
    void fitRight(std::int64_t runs, const std::stop_token& stop, IntegerFactors& now) const {
        Backend& backend = m_problem.backend;
        const Matrix left = backend.upload(m_problem.into(now.left));
        Matrix gram = backend.zeros(left.cols, left.cols);
        backend.syrk(Op::Transpose, left, gram);
        Matrix wanted = backend.zeros(left.cols, m_problem.target.cols);
        backend.gemm(Op::Transpose, Op::None, 1, left, m_problem.target, 0, wanted);
        const MatrixXd a = backend.download(gram).cast<double>();
        const MatrixXf p = backend.download(wanted);
        const MatrixXd whole = isSparse() ? MatrixXd() : lowerFactor(a);
        now.rightScales = MatrixXf::Zero(runs, now.right.cols());
        for (Index j = 0; j < now.right.cols() && !stop.stop_requested(); ++j) {
            const std::vector<Index> rows = storedRows(now.right.col(j), isSparse());
            if (rows.empty()) {
                continue;
            }
            const Eigen::VectorXd own = p.col(j)(rows).cast<double>();
            Eigen::VectorXf x(own.size());
            roundToNearestPlane(isSparse() ? lowerFactor(a(rows, rows)) : whole, own,
                                m_problem.rightBits,
                                {&now.rightScales(0, j), static_cast<std::size_t>(runs)}, x);
            now.right.col(j)(rows) = x;
        }
    }

    // T left ← T W rightᵀ (right rightᵀ)⁻¹.
    void fitLeft(const Matrix& right, const Matrix& otherwise) {
        Backend& backend = m_problem.backend;
        Matrix gram = backend.zeros(right.rows, right.rows);
        backend.syrk(Op::None, right, gram);
        Matrix fitted = backend.zeros(m_problem.target.rows, right.rows);
        backend.gemm(Op::None, Op::Transpose, 1, m_problem.target, right, 0, fitted);
        backend.solveRight(gram, kLeftRidge, otherwise, fitted);
        m_left = m_problem.back(backend.download(fitted));
    }

    const IntegerProblem& m_problem;
    MatrixXf m_left;
    MatrixXf m_right;
};

void requireBits(int bits, int most, const char* setting) {
    if (bits != 0 && (bits < kFewestIntegerBits || bits > most)) {
        throw Error(
            fmt::format("integers of {} bits", bits), setting,
            fmt::format("give {} to {}, or 0 for the best by trial", kFewestIntegerBits, most));
    }
}

}  // namespace

std::optional<IntegerFactors> fitIntegers(const IntegerProblem& problem, MatrixXf left,
                                          MatrixXf right, const std::stop_token& stop) {
    return Fit(problem, std::move(left), std::move(right)).run(stop);
}

double integerWork(double d1, double d2, double k, double nonZeros) {
    const double factors = nonZeros > 0 ? d2 * nonZeros * nonZeros * nonZeros / 3 : k * k * k / 3;
    const double used = nonZeros > 0 ? nonZeros : k;
    const double products = 2 * d1 * k * k + 8 * d1 * d2 * k + 2 * k * k * d2;
    return kPasses * (factors + 2 * d2 * used * used + products);
}

void requireBits(const MatrixOptions& options) {
    if (options.accounting == Accounting::Integers) {
        requireBits(options.coefficientBits, kMostIntegerBits, "coefficient_bits");
        requireBits(options.dictionaryBits, kMostIntegerBits, "dictionary_bits");
    }
}

std::vector<MatrixOptions> bitCandidates(const MatrixOptions& options) {
    if (options.accounting != Accounting::Integers ||
        (options.coefficientBits > 0 && options.dictionaryBits > 0)) {
        return {options};
    }
    std::vector<MatrixOptions> candidates;
    for (const auto& [left, right] : kCandidates) {
        MatrixOptions candidate = options;
        candidate.dictionaryBits = options.dictionaryBits > 0 ? options.dictionaryBits : left;
        candidate.coefficientBits = options.coefficientBits > 0 ? options.coefficientBits : right;
        const bool isKnown =
            std::any_of(candidates.begin(), candidates.end(), [&](const MatrixOptions& known) {
                return known.dictionaryBits == candidate.dictionaryBits &&
                       known.coefficientBits == candidate.coefficientBits;
            });
        if (!isKnown) {
            candidates.push_back(candidate);
        }
    }
    return candidates;
}

}  // namespace cospadi
