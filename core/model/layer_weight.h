// One linear layer's weight, read without loading the rest of the model: what a look at a single
// matrix needs from a model of any size.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>

#include "core/model/layer_info.h"

namespace cospadi {

struct LayerWeight {
    LayerInfo info;
    Eigen::MatrixXf weight;  // W (d1, d2), rows in the Hugging Face order
};

// path: a GGUF file or a folder, as for Model::load. Throws cospadi::Error where the model has no
// such layer, or holds it in another than a dense form.
LayerWeight readLayerWeight(const std::filesystem::path& path, const std::string& layer);

}  // namespace cospadi
