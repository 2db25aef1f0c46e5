#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/online_dictionary.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi {

namespace {

Matrix firstDictionary(Backend& backend, const Matrix& w, std::int64_t k,
                       const KsvdOptions& options) {
    const bool ofWeight = options.init == DictionaryInit::WeightColumns && options.weight;
    if (ofWeight && options.weight.rows != w.rows) {
        throw Error(
            fmt::format("{} rows initialise a dictionary of {}", options.weight.rows, w.rows),
            "init", "pass the weight that was whitened");
    }
    return solver::initialDictionary(backend, ofWeight ? options.weight : w, k, options.init,
                                     options.seed);
}

solver::Encode encoderOf(Backend& backend, Coder coder, std::int64_t s) {
    return [&backend, coder, s](const Matrix& g, const Matrix& p, Matrix& codes) {
        coder == Coder::Lasso ? backend.lassoEncode(g, p, s, codes)
                              : backend.ompEncode(g, p, s, codes);
    };
}

const char* phaseName(DictionaryUpdate update) {
    return update == DictionaryUpdate::Mod      ? "mod"
           : update == DictionaryUpdate::Online ? "online"
                                                : "ksvd";
}

}  // namespace

LearnedDictionary solveKsvd(Backend& backend, const Matrix& w, std::int64_t k, std::int64_t s,
                            const KsvdOptions& options, const IterationCallback& callback,
                            const std::stop_token& stop) {
    const double squaredNorm = solver::checkedSquaredNorm(backend, w, k, s);
    LearnedDictionary result;
    result.termination = Termination::MaxIterations;
    result.dictionary = firstDictionary(backend, w, k, options);
    Matrix& d = result.dictionary;
    Matrix& codes = result.codes = backend.zeros(k, w.cols);
    Matrix g = backend.zeros(k, k);
    Matrix p = backend.zeros(k, w.cols);
    Matrix e = backend.zeros(w.rows, w.cols);
    solver::Ridge ridge;
    const solver::Encode encode = encoderOf(backend, options.coder, s);
    const bool keeps = options.deadAtoms == DeadAtoms::Keep;
    double previous = std::numeric_limits<double>::infinity();
    for (int iteration = 1; iteration <= options.iterations; ++iteration) {
        if (stop.stop_requested()) {
            result.termination = Termination::Cancelled;
            return result;
        }
        solver::PhaseClock clock(backend);
        PhaseSeconds phases;
        if (options.update == DictionaryUpdate::Online) {
            phases = solver::onlinePass(backend, w, encode, d, codes);
            clock.lap();
        }
        backend.syrk(Op::Transpose, d, g);
        backend.gemm(Op::Transpose, Op::None, 1, d, w, 0, p);
        encode(g, p, codes);
        phases.coding += clock.lap();

        if (options.update == DictionaryUpdate::Mod) {
            const Matrix before = d;  // MOD makes a new one, with zeros for dead atoms
            do {
                solver::leastSquaresDictionary(backend, w, ridge, d, codes);
            } while (!ridge.settle(backend.solveHeld()));
            if (keeps) {
                solver::keepDeadAtoms(backend, before, backend.rowCounts(codes), d);
            }
        }
        backend.copy(w, e);
        backend.gemm(Op::None, Op::None, -1, d, codes, 1, e);
        if (options.update == DictionaryUpdate::KsvdSketch) {
            backend.ksvdSketchSweep(options.seed + static_cast<std::uint64_t>(iteration), e, d,
                                    codes);
        } else if (options.update == DictionaryUpdate::KsvdPower ||
                   options.update == DictionaryUpdate::KsvdExact) {
            const bool exact = options.update == DictionaryUpdate::KsvdExact;
            backend.ksvdSweep(exact ? 0 : options.powerIterations, e, d, codes);
        }
        phases.dictionary += clock.lap();
        result.relativeError = std::sqrt(backend.dot(e, e) / squaredNorm);
        result.iterations = iteration;

        IterationSummary summary;
        solver::countUsage(backend, codes, summary);
        // Not after the last pass: a replaced atom has no code yet.
        if (!keeps && summary.deadAtoms > 0 && iteration < options.iterations) {
            clock.lap();
            result.replacedAtoms += solver::replaceDeadAtoms(backend, e, summary.atomUsage, d);
            phases.dictionary += clock.lap();
        }
        result.phases += phases;
        if (callback) {
            summary.phase = phaseName(options.update);
            summary.iteration = iteration;
            summary.relativeError = result.relativeError;
            summary.phases = phases;
            summary.seconds = clock.seconds();
            summary.dictionary = &d;
            summary.codes = &codes;
            callback(summary);
        }
        if (solver::converged(previous, result.relativeError, options.tolerance)) {
            result.termination = Termination::Converged;
            break;
        }
        previous = result.relativeError;
    }
    return result;
}

}  // namespace cospadi
