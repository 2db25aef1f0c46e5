// Which matrix may keep how much: compression ratios that differ by matrix, under the bytes that
// one uniform ratio would cost (`--allocation knapsack`).
//
// Every matrix is compressed on trial at a few ratios around the one that is asked for, with a
// short schedule: its curve e(CR), made monotone, is used between these ratios and never beyond
// them. Two of the trials, one at a time, take the layer's place in the model: from KL at two
// errors follows what an error costs, KL = a e^b. A knapsack then minimises the summed cost; no
// matrix may lose more than twice the mean error (ROCKET's bound).
//
// Where ρ is to be chosen (`--rho auto`), every candidate is tried at every ratio, and e(CR) is
// their lower envelope.
//
// Summed costs are a prediction: errors of many layers add up differently. So the whole is tried,
// too, all layers in the model at once, and where it diverges further than the uniform ratio does,
// ratios go back half-way to it, and up together until their bytes fit again, twice at most; then
// the uniform ratio stays.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/allocation/trial.h"
#include "core/base/progress.h"
#include "core/calibration/calibration.h"
#include "core/methods/compress_matrix.h"
#include "core/model/model.h"

namespace cospadi {

class CurveStore;
class OutputGrams;

struct AllocatedRatio {
    double cr = 0;
    double rho = 0;
    double predictedError = 0;       // e(cr) of the short schedule
    double predictedDivergence = 0;  // nats a token that this layer alone costs
};

struct AllocationResult {
    std::map<std::string, AllocatedRatio> ratios;  // by layer name
    // How far they are from the uniform ratio: 1 as the knapsack chose them, ½, ¼, or 0.
    double share = 1;
    // Nats a token, with the short schedule: what the knapsack promised, and what the model came to
    // with these ratios and with the uniform one.
    double predictedDivergence = 0;
    double divergence = 0;
    double uniformDivergence = 0;
};

struct AllocationOptions {
    MatrixOptions matrix;  // its cr is the mean that is to be kept
    int trialIterations = kTrialIterations;
    static constexpr int kCurveSolves = 5;
    static constexpr int kSolvesALayer = kCurveSolves + 2;  // and two in the whole model
    // What ρ may be, matrix by matrix; none: that of `matrix`.
    std::vector<double> rhos = {};
    // Of any layer; above a mean of 0.6 the ratio that leaves it half of its uniform bytes instead.
    // Never more than it has a form at.
    double largestRatio = 0.8;
    // What was measured before, by whomever, and where to what is measured now; or null. Found or
    // measured, ratios are the same to the bit.
    CurveStore* curves = nullptr;
    // Gradients, for a method that solves in a metric of the outputs; or null. With them an error's
    // cost is known without probes: KL = a e², a the loss's second order.
    const OutputGrams* outputs = nullptr;
};

// nullopt when cancelled. Progress counts trials, stage "allocation". The model is as before
// afterwards. ids: whole sequences of `length` tokens for the divergence, other ones than the Grams
// were made from. Throws Error as compressMatrix(), and as Method::plan() where a layer has no form
// at the uniform ratio.
std::optional<AllocationResult> allocateRatios(
    Model& model, ThreadPool& pool, const GramSet* grams, const std::vector<LayerInfo>& layers,
    std::span<const std::int32_t> ids, std::int64_t length, const AllocationOptions& options,
    const ProgressCallback& progress = {}, const std::stop_token& stop = {});

}  // namespace cospadi
