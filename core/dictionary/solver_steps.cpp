#include "core/dictionary/solver_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "core/base/permutation.h"

namespace cospadi::solver {

namespace {

constexpr float kTaken = 0.2F;  // of a direction, by every column that has it

Eigen::MatrixXf gaussian(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<float> normal;
    Eigen::MatrixXf a(rows, cols);
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        a.data()[i] = normal(generator);
    }
    return a;
}

// Columns of W in random order, then Gaussian columns once W has no more.
void fillWithColumns(Backend& backend, const Matrix& w, std::int64_t from, std::uint64_t seed,
                     Matrix& d) {
    const std::vector<double> norms = backend.squaredColumnNorms(w);
    std::int64_t next = from;
    for (const std::int64_t j : permutation(w.cols, seed)) {
        if (next == d.cols) {
            return;
        }
        if (norms[static_cast<std::size_t>(j)] > 0) {
            backend.copyColumn(w, j, d, next++);
        }
    }
    if (next < d.cols) {
        const Matrix extra = backend.upload(gaussian(d.rows, d.cols - next, seed));
        for (std::int64_t j = 0; next < d.cols; ++j) {
            backend.copyColumn(extra, j, d, next++);
        }
    }
}

// Leading left singular vectors of W by its shorter side's Gram in float32: near enough to begin
// with, and half the time of doubles. Columns need not have unit length.
Matrix leadingDirections(Backend& backend, const Matrix& w, std::int64_t count) {
    const bool wide = w.rows <= w.cols;
    Matrix gram = backend.zeros(std::min(w.rows, w.cols), std::min(w.rows, w.cols));
    backend.syrk(wide ? Op::None : Op::Transpose, w, gram);
    Matrix vectors = backend.leadingEigenvectors(gram, count);
    if (wide) {
        return vectors;
    }
    Matrix u = backend.zeros(w.rows, count);
    backend.gemm(Op::None, Op::None, 1, w, vectors, 0, u);
    return u;
}

}  // namespace

Matrix copyOf(Backend& backend, const Matrix& a) {
    Matrix copy = backend.zeros(a.rows, a.cols);
    backend.copy(a, copy);
    return copy;
}

double checkedSquaredNorm(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s) {
    if (s < 1 || s > k) {
        throw Error(fmt::format("s = {} non-zeros per column with k = {} atoms", s, k), "s",
                    "s must be between 1 and k");
    }
    const double squared = backend.dot(w, w);
    if (!std::isfinite(squared)) {
        throw Error("the weight holds NaN or infinite values", "weight",
                    "check the model file and the calibration Gram");
    }
    if (!(squared > 0)) {
        throw Error("the weight is zero", "weight", "exclude this layer");
    }
    return squared;
}

Matrix initialDictionary(Backend& backend, const Matrix& w, std::int64_t k, DictionaryInit init,
                         std::uint64_t seed) {
    Matrix d = backend.zeros(w.rows, k);
    switch (init) {
        case DictionaryInit::RandomColumns:
        case DictionaryInit::WeightColumns:
            fillWithColumns(backend, w, 0, seed, d);
            break;
        case DictionaryInit::Gaussian:
            d = backend.upload(gaussian(w.rows, k, seed));
            break;
        case DictionaryInit::Svd: {
            const std::int64_t leading = std::min({k, w.rows, w.cols});
            const Matrix u = leadingDirections(backend, w, leading);
            for (std::int64_t j = 0; j < leading; ++j) {
                backend.copyColumn(u, j, d, j);
            }
            fillWithColumns(backend, w, leading, seed, d);
            break;
        }
    }
    backend.normalizeAtoms(d, {});
    return d;
}

double relativeError(double squaredNorm, double overlapWithP, double overlapWithR) {
    const double squared = squaredNorm - overlapWithP - overlapWithR;
    return std::sqrt(std::max(squared, 0.0) / squaredNorm);  // no number stays none
}

bool Ridge::settle(bool held) {
    if (held) {
        return true;
    }
    if (m_value > 1) {
        throw Error("a normal-equations matrix could not be factorised", "dictionary update",
                    "check the weight and the Gram matrix for non-finite values");
    }
    m_value *= 10;
    return false;
}

std::int64_t threshold(Backend& backend, const Matrix& r, float mu, const Support& support,
                       Matrix& codes) {
    const NmPattern& pattern = support.pattern;
    if (!pattern.isGrouped()) {
        return backend.thresholdStep(r, mu, std::min(support.s, codes.rows), codes);
    }
    const auto groups = [&](const Matrix& a) {
        return Matrix{pattern.group, a.size() / pattern.group, a.data};
    };
    Matrix grouped = groups(codes);
    return backend.thresholdStep(groups(r), mu, pattern.kept, grouped);
}

void leastSquaresDictionary(Backend& backend, const Matrix& w, const Ridge& ridge, Matrix& d,
                            Matrix& s) {
    Matrix normal = backend.zeros(s.rows, s.rows);
    Matrix next = backend.zeros(d.rows, d.cols);
    backend.syrk(Op::None, s, normal);
    backend.gemm(Op::None, Op::Transpose, 1, w, s, 0, next);
    backend.solveRight(normal, ridge.value(), d, next);
    backend.normalizeAtoms(next, {s});
    d = next;
}

std::vector<std::int64_t> largestColumns(Backend& backend, const Matrix& a, std::int64_t count) {
    const std::vector<double> norms = backend.squaredColumnNorms(a);
    const auto normOf = [&](std::int64_t j) { return norms[static_cast<std::size_t>(j)]; };
    std::vector<std::int64_t> order(norms.size());
    std::iota(order.begin(), order.end(), 0);
    const auto wanted =
        std::min(static_cast<std::ptrdiff_t>(count), static_cast<std::ptrdiff_t>(order.size()));
    std::partial_sort(order.begin(), order.begin() + wanted, order.end(),
                      [&](std::int64_t i, std::int64_t j) {
                          return normOf(i) != normOf(j) ? normOf(i) > normOf(j) : i < j;
                      });
    order.resize(static_cast<std::size_t>(wanted));
    std::erase_if(order, [&](std::int64_t j) { return !(normOf(j) > 0); });
    return order;
}

std::vector<std::int64_t> spreadColumns(Backend& backend, const Matrix& a, std::int64_t count) {
    std::vector<double> norms = backend.squaredColumnNorms(a);
    Matrix left = copyOf(backend, a);
    Matrix direction = backend.zeros(a.rows, 1);
    Matrix along = backend.zeros(1, a.cols);
    std::vector<std::int64_t> picked;
    while (static_cast<std::int64_t>(picked.size()) < std::min(count, a.cols)) {
        const auto largest = std::max_element(norms.begin(), norms.end());
        if (!(*largest > 0)) {
            break;
        }
        const std::int64_t j = largest - norms.begin();
        picked.push_back(j);
        backend.copyColumn(left, j, direction, 0);
        backend.normalizeAtoms(direction, {});
        backend.gemm(Op::Transpose, Op::None, 1, direction, left, 0, along);
        backend.gemm(Op::None, Op::None, -kTaken, direction, along, 1, left);
        const Eigen::MatrixXf shares = backend.download(along);
        for (std::size_t i = 0; i < norms.size(); ++i) {
            const double share = shares(0, static_cast<Eigen::Index>(i));
            norms[i] -= kTaken * (2 - kTaken) * share * share;
        }
        *largest = 0;
    }
    return picked;
}

std::int64_t replaceDeadAtoms(Backend& backend, const Matrix& residual,
                              const std::vector<std::int64_t>& usage, Matrix& d) {
    std::vector<std::int64_t> dead;
    for (std::size_t i = 0; i < usage.size(); ++i) {
        if (usage[i] == 0) {
            dead.push_back(static_cast<std::int64_t>(i));
        }
    }
    if (dead.empty()) {
        return 0;
    }
    const auto count = static_cast<std::int64_t>(dead.size());
    std::int64_t replaced = 0;
    for (const std::int64_t worst : largestColumns(backend, residual, count)) {
        backend.copyColumn(residual, worst, d, dead[static_cast<std::size_t>(replaced++)]);
    }
    backend.normalizeAtoms(d, {});
    return replaced;
}

void keepDeadAtoms(Backend& backend, const Matrix& before, const std::vector<std::int64_t>& usage,
                   Matrix& d) {
    for (std::size_t i = 0; i < usage.size(); ++i) {
        if (usage[i] == 0) {
            const auto atom = static_cast<std::int64_t>(i);
            backend.copyColumn(before, atom, d, atom);
        }
    }
}

void countUsage(Backend& backend, const Matrix& codes, IterationSummary& summary) {
    summary.atomUsage = backend.rowCounts(codes);
    summary.deadAtoms =
        std::count(summary.atomUsage.begin(), summary.atomUsage.end(), std::int64_t{0});
}

bool converged(double before, double after, double tolerance) {
    return tolerance > 0 && before - after < tolerance * before;
}

}  // namespace cospadi::solver
