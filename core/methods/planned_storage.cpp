#include "core/methods/planned_storage.h"

#include <algorithm>
#include <set>

#include "core/methods/block_method.h"
#include "core/methods/layer_groups.h"

namespace cospadi {

namespace {

double shareThatStays(const MatrixOptions& options, const std::vector<LayerInfo>& layers) {
    const BlockMethod* method = options.method->asBlockMethod();
    if (method == nullptr) {
        return 1;
    }
    std::set<std::int64_t> blocks;
    for (const LayerInfo& layer : layers) {
        blocks.insert(layer.block);
    }
    const auto all = static_cast<std::int64_t>(blocks.size());
    return 1 - static_cast<double>(method->blocksLeftOut(options, all)) / static_cast<double>(all);
}

}  // namespace

StoragePlan plannedStorage(const MatrixOptions& options, const std::vector<LayerInfo>& layers) {
    StoragePlan sum;
    for (const LayerUnit& unit : unitsOf(options, layers)) {
        const LayerInfo whole = unit.shape();
        const StoragePlan plan =
            options.method->plan(optionsOfUnit(options, unit), whole.d1, whole.d2);
        sum.parts.resize(std::max(sum.parts.size(), plan.parts.size()));
        for (std::size_t i = 0; i < plan.parts.size(); ++i) {
            sum.parts[i].name = plan.parts[i].name;
            sum.parts[i].bytes += plan.parts[i].bytes;
        }
    }
    const double share = shareThatStays(options, layers);
    for (StoragePart& part : sum.parts) {
        part.bytes *= share;
    }
    return sum;
}

}  // namespace cospadi
