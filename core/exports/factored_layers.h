// The compressed layers of a model as a Hugging Face folder holds them whose modelling file is ours
// (python/src/cospadi_transformers/modeling_cospadi.py): every tensor of a matrix file as it is,
// under the name that the layer has there, and a description of all in config.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/exports/recomposed_model.h"
#include "core/tensors/safetensors_stream.h"

namespace cospadi {

struct FactoredLayers {
    // {"format": 1, "count", "layers": {NAME: {"form", "d1", "d2", …, "tensors": {NAME: [type,
    // shape]}, "shared"}}, "shared": [{"tensors"}]}: the object `cospadi` of config.json. `shared`
    // of a layer is the place in the list of the factor that it has in common with others.
    nlohmann::json description;
    std::vector<TensorToStream> tensors;
    std::int64_t count = 0;  // of layers
    std::int64_t bytes = 0;  // of the tensors, without the head of their file
};

// Reads every matrix file through and throws Error for one that is damaged, and where the model has
// none: then there is nothing factored in it.
FactoredLayers factoredLayers(const RecomposedModel& model);

// What config.json says besides: our model_type, architecture and auto_map in the place of those of
// the architecture that the layers stand in.
void nameFactoredModel(nlohmann::json& config);

}  // namespace cospadi
