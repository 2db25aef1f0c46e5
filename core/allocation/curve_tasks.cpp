#include "core/allocation/curve_tasks.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/allocation/trial.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr std::size_t kSampledBlocks = 4;
constexpr std::string_view kValues = "attn_v";

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

// Those that stand for the others, at the beginning and at the end: the first and the last block
// are odd.
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

// Sixty iterations of K-SVD take minutes where the trials take seconds.
bool hasEnds(const MatrixOptions& options) {
    return options.method->uses("iterations") && options.iterations != kTrialIterations &&
           options.solver == Solver::Fast;
}

struct GroupSetting {
    TrialSetting at;
    bool isProbed = false;
};

// Of the layers that it is to be of, those that have a form there; nothing where none has.
void addGroup(const std::vector<LayerInfo>& layers,
              const std::function<bool(const LayerInfo&)>& isOfIt, const GroupSetting& setting,
              const MatrixOptions& options, std::vector<GroupTask>& tasks) {
    GroupTask task{{}, setting.at, setting.isProbed};
    for (const LayerInfo& layer : layers) {
        if (isOfIt(layer) && isStorableAt(layer, setting.at.cr, options)) {
            task.layers.push_back(layer);
        }
    }
    if (!task.layers.empty()) {
        tasks.push_back(std::move(task));
    }
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
    const std::vector<std::int64_t> sampled = sampledBlocks(layers);
    const std::vector<std::int64_t> middle = middleBlocks(layers);
    std::vector<CurveTask> tasks;
    for (const LayerInfo& layer : layers) {
        if (auto trials = trialsAt(kLevelRatios, layer, options); !trials.empty()) {
            tasks.push_back(
                {&layer, std::move(trials), isStorableAt(layer, kProbedRatio, options)});
        }
    }
    const auto turnOf = [&](const CurveTask& task) {
        return isOneOf(middle, *task.layer) ? 0 : isOneOf(sampled, *task.layer) ? 1 : 2;
    };
    std::stable_sort(tasks.begin(), tasks.end(),
                     [&](const CurveTask& a, const CurveTask& b) { return turnOf(a) < turnOf(b); });
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

std::vector<GroupTask> kindTasks(const std::vector<LayerInfo>& layers,
                                 const MatrixOptions& options) {
    std::vector<GroupTask> tasks;
    for (const std::string_view kind : kLayerKinds) {
        const auto isOfKind = [kind](const LayerInfo& layer) { return layer.kind == kind; };
        for (const double cr : kLevelRatios) {
            addGroup(layers, isOfKind, {trialAt(cr, options), true}, options, tasks);
        }
        for (const double cr : kLevelRatios) {
            if (kind == kValues && hasEnds(options)) {
                addGroup(layers, isOfKind, {{cr, options.rho, options.iterations}, true}, options,
                         tasks);
            }
        }
    }
    return tasks;
}

std::vector<GroupTask> endTasks(const std::vector<LayerInfo>& layers,
                                const MatrixOptions& options) {
    const std::vector<std::int64_t> blocks = middleBlocks(layers);
    std::vector<GroupTask> tasks;
    for (std::size_t i = 0; hasEnds(options) && i < kEndRatios.size(); ++i) {
        const std::int64_t block = blocks[i % blocks.size()];
        addGroup(
            layers, [block](const LayerInfo& layer) { return layer.block == block; },
            {{kEndRatios[i], options.rho, options.iterations}, false}, options, tasks);
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
