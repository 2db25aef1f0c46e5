#include "core/model/layer_weight.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/model/permuted_rows.h"
#include "core/model/weight_source.h"

namespace cospadi {

LayerWeight readLayerWeight(const std::filesystem::path& path, const std::string& layer) {
    const WeightSource source = WeightSource::open(path);
    const std::vector<LayerInfo> layers = source.layers();
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const LayerInfo& info) { return info.name == layer; });
    if (found == layers.end()) {
        throw Error("has no linear layer " + layer, path.string(),
                    "names are like blk.10.ffn_up; see cospadi inspect");
    }
    const TensorView* view = source.find(huggingFaceName(found->block, found->kind) + ".weight");
    if (view == nullptr) {
        throw Error("does not contain " + layer + " as a dense weight", path.string(),
                    "open the model that the compressed one was made from");
    }
    LayerWeight result{*found, Eigen::MatrixXf(found->d1, found->d2)};
    const std::int64_t heads = source.permutedHeads(found->kind);
    for (std::int64_t row = 0; row < found->d2; ++row) {
        dequantize(view->dtype, rowInFile(*view, row, heads), found->d1,
                   result.weight.col(row).data());
    }
    return result;
}

}  // namespace cospadi
