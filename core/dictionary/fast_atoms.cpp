#include "core/dictionary/fast_atoms.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace cospadi::solver {

namespace {

void requireWholeGroups(const Support& support, std::int64_t k, std::int64_t rows) {
    const NmPattern& pattern = support.pattern;
    if (pattern.isGrouped() &&
        (k % pattern.group != 0 || support.s != k / pattern.group * pattern.kept ||
         rows < pattern.group)) {
        throw Error(fmt::format("codes of {} do not divide k = {} atoms of {} entries with s = {}",
                                pattern.name(), k, rows, support.s),
                    "code_pattern", "use unstructured, or exclude the layer");
    }
}

}  // namespace

Matrix leadingAtoms(Backend& backend, const Matrix& target, std::int64_t k, const Support& support,
                    std::uint64_t seed) {
    requireWholeGroups(support, k, target.rows);
    const Matrix leading = initialDictionary(
        backend, target, support.atomsWithin(std::min(k, target.rows)), DictionaryInit::Svd, seed);
    const std::int64_t members = support.pattern.group;
    if (members == 0) {
        return leading;
    }
    Matrix dealt = backend.zeros(leading.rows, leading.cols);
    const std::int64_t groups = leading.cols / members;
    for (std::int64_t j = 0; j < leading.cols; ++j) {
        backend.copyColumn(leading, j, dealt, j % groups * members + j / groups);
    }
    return dealt;
}

Matrix largestProjections(Backend& backend, const Matrix& d, const Matrix& w,
                          const Support& support) {
    Matrix projected = backend.zeros(d.cols, w.cols);
    backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, projected);
    Matrix codes = backend.zeros(d.cols, w.cols);
    threshold(backend, projected, 1, support, codes);
    return codes;
}

std::vector<std::int64_t> columnsForAtoms(Backend& backend, const Matrix& directions,
                                          std::int64_t count, NewAtoms choice) {
    return choice == NewAtoms::Spread ? spreadColumns(backend, directions, count)
                                      : largestColumns(backend, directions, count);
}

std::pair<Matrix, Matrix> grownAtoms(Backend& backend, CodingProblem& problem, std::int64_t k,
                                     NewAtoms choice) {
    const Matrix& from = problem.dictionary();
    Matrix d = backend.zeros(from.rows, k);
    for (std::int64_t j = 0; j < from.cols; ++j) {
        backend.copyColumn(from, j, d, j);
    }
    const Matrix directions = problem.unexplained();
    std::int64_t next = from.cols;
    for (const std::int64_t j : columnsForAtoms(backend, directions, k - from.cols, choice)) {
        backend.copyColumn(directions, j, d, next++);
    }
    backend.normalizeAtoms(d, {});
    Matrix codes = backend.zeros(k, directions.cols);
    backend.copyRows(problem.codes(), 0, from.cols, codes, 0);
    return {d, codes};
}

}  // namespace cospadi::solver
