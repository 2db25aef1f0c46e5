#include "core/run/cost_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/allocation/allocation.h"
#include "core/base/error.h"
#include "core/methods/compress_matrix.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

constexpr int kFastIterations = 22;
constexpr double kRefitSteps = 2 * 20;  // of at most 2 · 40; columns stop early

double fastWork(double d1, double d2, double k, int iterations) {
    const double leastSquares = 2 * d1 * d2 * k + k * k * d2 + k * k * k / 3 + 2 * d1 * k * k;
    const double coding = 2 * d1 * d2 * k + d1 * k * k + 3 * 2 * k * k * d2;  // P, G, two gradients
    const double step = 2 * k * k * d2;                                       // of CG
    const double spectrum = d1 * d1 * d2 + 9 * d1 * d1 * d1;
    return spectrum + iterations * (leastSquares + coding + step) + kRefitSteps * step;
}

// One update of all atoms. Each atom's residual has the columns that use it, s d2 over all atoms.
double updateWork(const RunSpecification& s, double d1, double d2, double k, double nonZeros) {
    const double residuals = 8 * d1 * d2 * nonZeros;  // gathered, projected on, put back
    if (s.update == name(DictionaryUpdate::Mod)) {
        return k * k * d2 + 2 * d1 * d2 * k + k * k * k / 3 + 2 * d1 * k * k;
    }
    if (s.update == name(DictionaryUpdate::KsvdExact)) {
        // Every residual's Gram matrix over d1 and its leading eigenvector, by tridiagonal form.
        return residuals + 2 * d1 * d1 * d2 * nonZeros + k * 4 * d1 * d1 * d1 / 3;
    }
    return residuals + 4.0 * s.powerIterations * d1 * d2 * nonZeros;
}

// s: as it takes effect.
double ksvdWork(const RunSpecification& s, double d1, double d2, double k, double nonZeros) {
    const double omp =
        2 * d2 * (k * nonZeros * nonZeros / 2 + std::pow(nonZeros, 3) / 3) + 2 * d1 * d2 * k;
    return s.iterations * (omp + updateWork(s, d1, d2, k, nonZeros));
}

constexpr double kLowRankRefitSteps = 5;  // its columns are nearly orthogonal

double lowRankWork(double d1, double d2, double rank, bool refit) {
    const double n = std::min(d1, d2);
    const double products =
        refit ? 2 * d1 * d2 * rank + d1 * rank * rank + kLowRankRefitSteps * 2 * rank * rank * d2
              : 0;
    return n * n * std::max(d1, d2) + 9 * n * n * n + 4 * d1 * d2 * rank + products;
}

constexpr double kProgramBytes = 1e8;
constexpr double kHeapSlack = 1.2;  // what the allocator keeps for the next matrix

}  // namespace

double solverWork(const RunSpecification& s, const LayerInfo& layer) {
    if (s.method == "dense") {
        return 0;
    }
    auto d1 = static_cast<double>(layer.d1);
    auto d2 = static_cast<double>(layer.d2);
    const double whitening = 2 * d1 * d1 * d2 + d1 * d1 * d1 / 3;
    const MatrixOptions options = matrixOptionsOf(s);
    try {
        if (!isSparse(s)) {
            const LowRankBudget budget = lowRankBudgetOf(options, layer.d1, layer.d2);
            return whitening +
                   lowRankWork(d1, d2, static_cast<double>(budget.rank), refits(options));
        }
        const SparseBudget budget = sparseBudgetOf(options, layer.d1, layer.d2);
        const auto k = static_cast<double>(budget.k);
        if (sideOf(options, layer.d1, layer.d2) == DictionarySide::Output) {
            std::swap(d1, d2);  // the dictionary is over the outputs
        }
        if (s.solver == "ksvd") {
            const double refit = refits(options) ? kRefitSteps * 2 * k * k * d2 : 0;
            return whitening + refit +
                   ksvdWork(effective(s), d1, d2, k, static_cast<double>(budget.s));
        }
        return whitening + fastWork(d1, d2, k, s.iterations > 0 ? s.iterations : kFastIterations);
    } catch (const Error&) {
        return 0;
    }
}

double solverWork(const RunSpecification& s, const std::vector<LayerInfo>& layers) {
    double work = 0;
    for (const LayerInfo& layer : layers) {
        work += solverWork(s, layer);
    }
    return work;
}

double allocationWork(const RunSpecification& s, const std::vector<LayerInfo>& layers) {
    if (s.allocation != "knapsack") {
        return 0;
    }
    AllocationOptions options;
    options.matrix = matrixOptionsOf(s);
    RunSpecification trial = s;
    trial.iterations = options.trialIterations;
    return AllocationOptions::kSolvesALayer * solverWork(trial, layers);
}

double calibrationWork(const CalibrationSpecification& calibration,
                       const std::vector<LayerInfo>& allLayers) {
    double perToken = 0;
    std::set<std::string> grams;
    for (const LayerInfo& layer : allLayers) {
        const auto d1 = static_cast<double>(layer.d1);
        perToken += 2 * d1 * static_cast<double>(layer.d2);
        if (grams.insert(layer.gramKey).second) {
            perToken += 2 * d1 * d1;  // half of it, in double
        }
    }
    return perToken * static_cast<double>(calibration.sequences) *
           static_cast<double>(calibration.length);
}

double propagationWork(const RunSpecification& s, const std::vector<LayerInfo>& allLayers) {
    if (s.propagation == "off") {
        return 0;
    }
    // Four partial passes over a block and a whole one cost about 2.5 passes; target adds that of
    // the original model and a full product where the Gram takes half of one.
    const double passes = s.propagation == "target" ? 4.5 : 2.5;
    return passes * calibrationWork(s.calibration, allLayers);
}

double usualRate(const RunSpecification& s) {
    if (!isSparse(s)) {
        return 10e9;  // an eigendecomposition in double
    }
    if (s.solver != "ksvd") {
        return 35e9;  // products
    }
    // Small steps that wait for memory; of an exact update most is a product of its own.
    return effective(s).update == name(DictionaryUpdate::KsvdExact) ? 9e9 : 6e9;
}

double usualCalibrationRate() { return 60e9; }

double memoryEstimate(const RunSpecification& s, const std::vector<LayerInfo>& layers,
                      double modelParameters, int cores) {
    double largest = 0;
    double grams = 0;  // those that are touched stay mapped
    std::set<std::string> seen;
    for (const LayerInfo& layer : layers) {
        const auto d1 = static_cast<double>(layer.d1);
        const auto d2 = static_cast<double>(layer.d2);
        if (isCalibrated(s) && seen.insert(layer.gramKey).second) {
            grams += 8 * d1 * (d1 + 1) / 2;
        }
        double floats = 4 * d1 * d2 + 3 * 2 * d1 * d1;  // W in some forms; G and L in double
        try {
            if (isSparse(s)) {
                const auto k =
                    static_cast<double>(sparseBudgetOf(matrixOptionsOf(s), layer.d1, layer.d2).k);
                floats += 6 * k * d2 + 3 * d1 * k + 3 * k * k;  // S, P, R and copies; D; G
            }
        } catch (const Error&) {
        }
        largest = std::max(largest, 4 * floats);
    }
    const auto jobs = std::min<double>(cores, static_cast<double>(layers.size()));
    return kProgramBytes + kHeapSlack * (4 * modelParameters + grams + jobs * largest);
}

}  // namespace cospadi
