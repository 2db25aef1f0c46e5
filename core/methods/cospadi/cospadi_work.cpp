#include "core/methods/cospadi/cospadi_work.h"

#include <cmath>

#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/online_dictionary.h"

namespace cospadi {

namespace {

constexpr double kSupportRefitSteps = 2 * 20;  // of at most 2 · 40; columns stop early
// Products of codes with a metric: of an iteration, of the refit. Layers of 8192 to 14336 columns
// took 65 to 97 in all, of 22 iterations (docs/benchmarks.md, "Layers").
constexpr double kMetricProducts = 2;
constexpr double kMetricRefitProducts = 30;

double stepWork(double k, double d2) { return 2 * k * k * d2; }  // of conjugate gradients

// One update of all atoms. Each atom's residual has the columns that use it, s d2 over all atoms.
double updateWork(const MatrixOptions& options, double d1, double d2, double k, double nonZeros) {
    const double residuals = 8 * d1 * d2 * nonZeros;  // gathered, projected on, put back
    switch (dictionaryUpdateOf(options)) {
        case DictionaryUpdate::Mod:
            return k * k * d2 + 2 * d1 * d2 * k + k * k * k / 3 + 2 * d1 * k * k;
        case DictionaryUpdate::KsvdExact:
            // Every residual's Gram matrix over d1 and its leading eigenvector, by tridiagonal
            // form.
            return residuals + 2 * d1 * d1 * d2 * nonZeros + k * 4 * d1 * d1 * d1 / 3;
        case DictionaryUpdate::KsvdSketch:  // four products with eight directions
            return residuals + 4 * 2 * 8 * d1 * d2 * nonZeros;
        case DictionaryUpdate::Online:  // sums, and every atom against all others, a batch
            return solver::kOnlineBatches * 2 * d1 * k * k + 4 * (k * k + d1 * k) * d2;
        case DictionaryUpdate::KsvdPower:
            break;
    }
    return residuals + 4.0 * options.powerIterations * d1 * d2 * nonZeros;
}

}  // namespace

DictionaryUpdate dictionaryUpdateOf(const MatrixOptions& options) {
    return options.update == DictionaryUpdate::KsvdPower && options.powerIterations == 0
               ? DictionaryUpdate::KsvdExact
               : options.update;
}

double supportRefitWork(double k, double d2) { return kSupportRefitSteps * stepWork(k, d2); }

double fastWork(double d1, double d2, double k, int iterations) {
    const double leastSquares = 2 * d1 * d2 * k + k * k * d2 + k * k * k / 3 + 2 * d1 * k * k;
    const double coding = 2 * d1 * d2 * k + d1 * k * k + 3 * 2 * k * k * d2;  // P, G, two gradients
    const double step = stepWork(k, d2);
    const double spectrum = d1 * d1 * d2 + 9 * d1 * d1 * d1;
    return spectrum + iterations * (leastSquares + coding + step) + supportRefitWork(k, d2);
}

double couplingWork(double d2, double k, int iterations) {
    return (iterations * kMetricProducts + kMetricRefitProducts) * 2 * k * d2 * d2;
}

double ksvdWork(const MatrixOptions& options, double d1, double d2, double k, double nonZeros) {
    // A step of the LASSO's path passes over all atoms in double and factorises none anew.
    const double perStep = options.coder == Coder::Lasso ? 4 : 1;
    const double passes = options.update == DictionaryUpdate::Online ? 2 : 1;
    const double coding =
        perStep * 2 * d2 * (k * nonZeros * nonZeros / 2 + std::pow(nonZeros, 3) / 3) +
        2 * d1 * d2 * k;
    const int iterations = options.iterations > 0 ? options.iterations : KsvdOptions().iterations;
    return iterations * (passes * coding + updateWork(options, d1, d2, k, nonZeros));
}

}  // namespace cospadi
