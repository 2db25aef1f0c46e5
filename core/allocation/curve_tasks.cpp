#include "core/allocation/curve_tasks.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "core/allocation/trial.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr std::size_t kSampledBlocks = 4;

// Spread over the depth, the first and the last among them.
std::vector<std::int64_t> sampledBlocks(const std::vector<LayerInfo>& layers) {
    std::set<std::int64_t> there;
    for (const LayerInfo& layer : layers) {
        there.insert(layer.block);
    }
    const std::vector<std::int64_t> blocks(there.begin(), there.end());
    const std::size_t count = std::min(kSampledBlocks, blocks.size());
    std::vector<std::int64_t> sampled;
    for (std::size_t i = 0; i < count; ++i) {
        sampled.push_back(blocks[count > 1 ? i * (blocks.size() - 1) / (count - 1) : 0]);
    }
    return sampled;
}

// Those that stand for the others at the end: the first and the last block are odd.
std::vector<std::int64_t> middleBlocks(const std::vector<LayerInfo>& layers) {
    std::vector<std::int64_t> blocks = sampledBlocks(layers);
    return blocks.size() < 3 ? blocks : std::vector(blocks.begin() + 1, blocks.end() - 1);
}

bool isOneOf(const std::vector<std::int64_t>& blocks, const LayerInfo& layer) {
    return std::find(blocks.begin(), blocks.end(), layer.block) != blocks.end();
}

std::vector<TrialSetting> trialsAt(std::span<const double> ratios, const LayerInfo& layer,
                                   const MatrixOptions& options) {
    std::vector<TrialSetting> trials;
    for (const double cr : ratios) {
        if (isStorableAt(layer, cr, options)) {
            trials.push_back(trialAt(cr, options));
        }
    }
    return trials;
}

}  // namespace

TrialSetting trialAt(double cr, const MatrixOptions& options) {
    return {cr, options.rho, kTrialIterations};
}

bool isStorableAt(const LayerInfo& layer, double cr, const MatrixOptions& options) {
    MatrixOptions at = options;
    at.cr = cr;
    return isStorable(at, layer.d1, layer.d2);
}

std::vector<CurveTask> levelTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options) {
    const std::vector<std::int64_t> blocks = sampledBlocks(layers);
    std::vector<CurveTask> tasks;
    for (const bool sampled : {true, false}) {
        for (const LayerInfo& layer : layers) {
            auto trials = trialsAt(kLevelRatios, layer, options);
            if (isOneOf(blocks, layer) == sampled && !trials.empty()) {
                tasks.push_back(
                    {&layer, std::move(trials), isStorableAt(layer, kProbedRatio, options)});
            }
        }
    }
    return tasks;
}

std::vector<CurveTask> probeTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options) {
    std::vector<CurveTask> tasks;
    for (const LayerInfo& layer : layers) {
        if (isStorableAt(layer, kProbedRatio, options)) {
            tasks.push_back({&layer, {trialAt(kProbedRatio, options)}, true});
        }
    }
    return tasks;
}

std::vector<BlockTask> blockTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options) {
    const std::vector<std::int64_t> blocks = middleBlocks(layers);
    std::vector<BlockTask> tasks;
    const auto add = [&](std::int64_t block, const TrialSetting& at) {
        BlockTask task{{}, at};
        for (const LayerInfo& layer : layers) {
            if (layer.block == block && isStorableAt(layer, at.cr, options)) {
                task.layers.push_back(layer);
            }
        }
        if (!task.layers.empty()) {
            tasks.push_back(std::move(task));
        }
    };
    for (const std::int64_t block : blocks) {
        for (const double cr : kLevelRatios) {
            add(block, trialAt(cr, options));
        }
    }
    // Sixty iterations of K-SVD take minutes where the trials take seconds.
    if (options.method->uses("iterations") && options.iterations != kTrialIterations &&
        options.solver == Solver::Fast) {
        for (std::size_t i = 0; i < kEndRatios.size(); ++i) {
            add(blocks[i % blocks.size()], {kEndRatios[i], options.rho, options.iterations});
        }
    }
    return tasks;
}

std::vector<CurveTask> shapeTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options) {
    const std::vector<std::int64_t> blocks = sampledBlocks(layers);
    std::vector<CurveTask> tasks;
    for (const LayerInfo& layer : layers) {
        auto trials = trialsAt(kShapeRatios, layer, options);
        if (isOneOf(blocks, layer) && !trials.empty()) {
            tasks.push_back({&layer, std::move(trials), false});
        }
    }
    return tasks;
}

}  // namespace cospadi
