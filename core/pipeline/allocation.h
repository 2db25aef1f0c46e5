// Which matrix may keep how much: compression ratios that differ by matrix, under the bytes that
// one uniform ratio would cost (`--allocation knapsack`).
//
// Trial: some matrices of every kind, spread over the depth, are compressed at three ratios with a
// short schedule, and one at a time replaced in the model. Two things come of it: the error's curve
// e(CR), and what a squared error costs the model's predictions, λ = KL / e². Both are carried over
// to the blocks between (geometric interpolation), and a knapsack minimises Σ λ e²(CR). Summed
// relative errors alone would spend the bytes where they are not felt.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/calibration/calibration.h"
#include "core/methods/compress_matrix.h"
#include "core/model/model.h"

namespace cospadi {

struct AllocatedRatio {
    double cr = 0;
    double sensitivity = 0;     // λ, nats a token at e = 1
    double predictedError = 0;  // e(cr) of the short schedule
};

struct AllocationOptions {
    MatrixOptions matrix;  // its cr is the mean that is to be kept
    std::int64_t trialBlocks = 9;
    int trialIterations = 5;
    double smallestRatio = 0.02;
    double largestRatio = 0.8;
};

// By layer name. nullopt when cancelled. Progress counts trials, stage "allocation". The model is
// as before afterwards. ids: whole sequences of `length` tokens for the divergence, other ones than
// the Grams were made from.
std::optional<std::map<std::string, AllocatedRatio>> allocateRatios(
    Model& model, ThreadPool& pool, const GramSet* grams, const std::vector<LayerInfo>& layers,
    std::span<const std::int32_t> ids, std::int64_t length, const AllocationOptions& options,
    const ProgressCallback& progress = {}, const std::stop_token& stop = {});

}  // namespace cospadi
