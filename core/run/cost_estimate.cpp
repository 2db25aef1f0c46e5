#include "core/run/cost_estimate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/allocation/allocation_rule.h"
#include "core/allocation/curve_tasks.h"
#include "core/allocation/trial.h"
#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/calibration/residual_stream.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/output_metric.h"
#include "core/methods/rho_candidates.h"
#include "core/model/model_info.h"
#include "core/model/model_locator.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

namespace {

constexpr double kProgramBytes = 1e8;
constexpr double kHeapSlack = 1.2;  // what the allocator keeps for the next matrix

// The Gram of the weight's shorter side and its eigenvalues, by tridiagonal form; of L W where it
// is whitened.
double spectrumWork(const LayerInfo& layer, bool whitened) {
    const auto d1 = static_cast<double>(layer.d1);
    const auto d2 = static_cast<double>(layer.d2);
    const double n = std::min(d1, d2);
    const double whitening = whitened ? 2 * d1 * d1 * d2 + d1 * d1 * d1 / 3 : 0;
    return whitening + 2 * n * n * std::max(d1, d2) + 4 * n * n * n / 3;
}

}  // namespace

bool isCalibrationKept(const RunSpecification& specification) {
    try {
        const std::filesystem::path model = locateModel(specification.model);
        const CalibrationOptions options =
            calibrationOptionsOf(specification, inspectModel(model).layers);
        return areGramsCached(gramCacheKey(modelSha256(model), options), options.blocks);
    } catch (const Error&) {
        return false;
    }
}

namespace {

double workOfSolver(const MatrixOptions& options, std::int64_t rows, std::int64_t cols,
                    const std::vector<std::int64_t>& widths) {
    const auto d1 = static_cast<double>(rows);
    const Method& method = *options.method;
    const bool isWhitened = method.needsCalibration() && method.asBlockMethod() == nullptr;
    const double whitening =
        isWhitened ? 2 * d1 * d1 * static_cast<double>(cols) + d1 * d1 * d1 / 3 : 0;
    try {
        return whitening + method.work(options, rows, cols) +
               method.metricsWork(options, rows, cols, widths);
    } catch (const Error&) {
        return 0;
    }
}

}  // namespace

double solverWork(const MatrixOptions& options, std::int64_t rows, std::int64_t cols) {
    return workOfSolver(options, rows, cols, {});
}

double solverWork(const MatrixOptions& options, const LayerUnit& unit) {
    const LayerInfo whole = unit.shape();
    return workOfSolver(options, whole.d1, whole.d2,
                        unit.overOutputs ? unit.widths() : std::vector<std::int64_t>());
}

double shareOfAnIteration(const MatrixOptions& options, const LayerUnit& unit) {
    const auto workOf = [&](int count) {
        MatrixOptions counted = options;
        counted.iterations = count;
        return solverWork(counted, unit);
    };
    const double all = solverWork(options, unit);
    return all > 0 ? (workOf(2) - workOf(1)) / all : 0;
}

double solverWork(const RunSpecification& s, const std::vector<LayerInfo>& layers) {
    if (isDense(s)) {
        return 0;
    }
    double work = 0;
    const MatrixOptions& options = s;
    for (const LayerUnit& unit : unitsOf(options, layers)) {
        work += solverWork(optionsOfUnit(options, unit), unit);
    }
    return work;
}

namespace {

// Of trials where ρ is chosen, too: the rule's own, some at every candidate, in more iterations; or
// one a candidate beside them.
double rhoTrialWork(RunSpecification trial, const AllocationNeeds& needs,
                    const std::vector<LayerInfo>& layers) {
    const bool byRule = needs.rhoTrials > 0;
    trial.iterations = byRule ? kRhoTrialIterations : kTrialIterations;
    double work = (needs.trials - needs.rhoTrials) * solverWork(trial, layers);
    trial.iterations = kRhoTrialIterations;
    for (const double rho : rhoCandidatesOf(trial)) {
        trial.rho = rho;
        work += (byRule ? needs.rhoTrials : 1) * solverWork(trial, layers);
    }
    return work;
}

}  // namespace

double allocationWork(const RunSpecification& s, const std::vector<LayerInfo>& layers) {
    const AllocationNeeds needs = s.allocation->needs();
    RunSpecification trial = s;
    trial.iterations = kTrialIterations;
    double work = s.autoRho          ? rhoTrialWork(trial, needs, layers)
                  : needs.trials > 0 ? needs.trials * solverWork(trial, layers)
                                     : 0;
    if (methodOf(s).weighsPartsByCost(s)) {
        RunSpecification alone = trial;
        static_cast<MatrixOptions&>(alone) = withoutGroups(trial);
        alone.cr = kProbedRatio;
        work += solverWork(alone, layers);
    }
    if (needs.spectra) {
        for (const LayerInfo& layer : layers) {
            work += spectrumWork(layer, needs.grams);
        }
    }
    return work;
}

double calibrationWork(const CalibrationSpecification& calibration,
                       const std::vector<LayerInfo>& layers) {
    double perToken = 0;
    std::set<std::string> grams;
    for (const LayerInfo& layer : layers) {
        const auto d1 = static_cast<double>(layer.d1);
        perToken += 2 * d1 * static_cast<double>(layer.d2);
        if (grams.insert(layer.gramKey).second) {
            perToken += 2 * d1 * d1;  // half of it, in double
        }
    }
    return perToken * static_cast<double>(calibration.sequences) *
           static_cast<double>(calibration.length);
}

std::vector<LayerInfo> calibratedLayers(const std::vector<LayerInfo>& compressed,
                                        std::vector<LayerInfo> allLayers) {
    const std::int64_t blocks = blocksUpTo(compressed);
    std::erase_if(allLayers, [&](const LayerInfo& layer) { return layer.block >= blocks; });
    return allLayers;
}

double gradientWork(const RunSpecification& s, const std::vector<LayerInfo>& allLayers) {
    if (!usesOutputMetric(s) && !methodOf(s).needsGradients()) {
        return 0;
    }
    double perToken = 0;
    for (const LayerInfo& layer : allLayers) {
        const auto d1 = static_cast<double>(layer.d1);
        const auto d2 = static_cast<double>(layer.d2);
        // Forward, once more on the way back, and back; the weights' gradients, or the sums where
        // all of B is kept.
        const double sums = methodOf(s).needsGradients() ? 2 * d1 * d2
                            : layer.d2 <= layer.d1       ? 2 * d2 * d2
                                                         : 0;
        perToken += 3 * 2 * d1 * d2 + sums;
    }
    const CalibrationOptions calibration = calibrationOptionsOf(s);
    return perToken * static_cast<double>(gradientSequences(calibration) * calibration.length);
}

double refinementWork(const RunSpecification& s, const std::vector<LayerInfo>& allLayers) {
    double perToken = 0;
    for (const LayerInfo& layer : allLayers) {
        perToken += 2 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    // The dense model forward; the compressed one forward, once more on the way back, and back.
    constexpr double kPasses = 5;
    return kPasses * perToken * static_cast<double>(s.refine * refinementLength(s));
}

double propagationWork(const RunSpecification& s, const std::vector<LayerInfo>& allLayers) {
    if (s.propagation == PropagationKind::Off) {
        return 0;
    }
    // Four partial passes over a block and a whole one cost about 2.5 passes; target adds that of
    // the original model and a full product where the Gram takes half of one.
    const double passes = s.propagation == PropagationKind::Target ? 4.5 : 2.5;
    return passes * calibrationWork(s.calibration, allLayers);
}

double usualCalibrationRate() { return 60e9; }

namespace {

double floatsOf(const LayerInfo& layer) {
    return static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
}

// Of so many that stand next to each other.
double mostSideBySide(const std::vector<double>& bytes, int count) {
    double most = 0;
    double together = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        together += bytes[i];
        if (i >= static_cast<std::size_t>(count)) {
            together -= bytes[i - static_cast<std::size_t>(count)];
        }
        most = std::max(most, together);
    }
    return most;
}

// Whether layers are needed again after the sums of their block.
bool needsWholeModel(const RunSpecification& s) {
    return isDense(s) || isRefined(s) || s.propagation != PropagationKind::Off || s.autoRho ||
           s.allocation->needs().trials > 0 || usesOutputMetric(s) ||
           methodOf(s).needsGradients() || methodOf(s).weighsPartsByCost(s) ||
           methodOf(s).asBlockMethod() != nullptr;
}

// The weights of a block, its sums and what of a batch of tokens is in work: of the largest.
double calibrationBytes(const std::vector<LayerInfo>& allLayers) {
    std::map<std::int64_t, double> weights, sums;
    std::set<std::string> seen;
    double widest = 0;
    for (const LayerInfo& layer : allLayers) {
        const auto d1 = static_cast<double>(layer.d1);
        weights[layer.block] += 4 * floatsOf(layer);
        if (seen.insert(layer.gramKey).second) {
            sums[layer.block] += 8 * d1 * d1;
        }
        widest = std::max({widest, d1, static_cast<double>(layer.d2)});
    }
    double most = 0;
    for (const auto& [block, bytes] : weights) {
        most = std::max(most, bytes + sums[block]);
    }
    constexpr double kFloatsAToken = 6;  // times the widest of its activations
    return most + kFloatsAToken * 4 * widest * kCalibrationBatchTokens;
}

}  // namespace

double memoryEstimate(const RunSpecification& s, const std::vector<LayerInfo>& layers,
                      const std::vector<LayerInfo>& allLayers, double modelParameters, int cores) {
    std::vector<double> working;  // bytes of each unit, in the order of their solves
    const bool heldOut = isCalibrated(s) && s.heldOut > 0;
    const MatrixOptions& options = s;
    const std::vector<LayerUnit> units = unitsOf(options, layers);
    for (const LayerUnit& unit : units) {
        const LayerInfo whole = unit.shape();
        const auto d1 = static_cast<double>(whole.d1);
        const auto d2 = static_cast<double>(whole.d2);
        double metrics = 3 * 2 * d1 * d1;  // G and L in double
        if (unit.overOutputs) {
            metrics = 0;
            for (const std::int64_t width : unit.widths()) {
                metrics += 4 * 2 * static_cast<double>(width) * static_cast<double>(width);
            }
        }
        double floats = 4 * d1 * d2 + metrics;                  // W in some forms
        floats += heldOut ? 2 * 2 * d1 * d1 + 2 * d1 * d2 : 0;  // L_h and its G; L_h W, a residual
        try {
            MatrixOptions at = optionsOfUnit(options, unit);
            at.rho = s.autoRho ? kRhoCandidates.back() : at.rho;  // the most atoms
            floats += options.method->workingFloats(at, whole.d1, whole.d2);
        } catch (const Error&) {
        }
        working.push_back(4 * floats);
    }
    // In the place of all that: the compressed weights, their factors with two moments and a
    // gradient, and the dense model's hidden states.
    double refined = 0;
    if (isRefined(s)) {
        double hidden = 0;
        for (const LayerInfo& layer : layers) {
            const auto d1 = static_cast<double>(layer.d1);
            refined += 4 * 4 * floatsOf(layer);
            hidden = hidden == 0 ? d1 : std::min(hidden, d1);
        }
        refined += 4 * (modelParameters + hidden * static_cast<double>(s.refine) *
                                              static_cast<double>(refinementLength(s)));
    }
    double rest = modelParameters;  // embedding and head
    for (const LayerInfo& layer : allLayers) {
        rest -= floatsOf(layer);
    }
    constexpr double kBytesWritten = 10;  // two copies as float32, one as stored
    const double written = isDense(s) ? 0 : kBytesWritten * std::max(0.0, rest);
    const double calibrating = isCalibrated(s) ? calibrationBytes(allLayers) : 0;
    const double model = needsWholeModel(s) ? 4 * modelParameters : 0;
    const double solving = mostSideBySide(working, cores);
    return kProgramBytes +
           kHeapSlack * (model + std::max({calibrating, solving, refined, written}));
}

}  // namespace cospadi
