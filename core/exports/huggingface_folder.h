// A model as a folder that Hugging Face's loaders take: weights, config.json, the tokenizer's
// files, a model card. Dense, or factored, with two files of weights, so that what the compressed
// layers take can be seen, their index, and the modelling file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/exports/factored_layers.h"
#include "core/exports/recomposed_model.h"
#include "core/tensors/dtype.h"
#include "core/tensors/safetensors_stream.h"

namespace cospadi {

struct HuggingFaceFolder {
    const RecomposedModel& model;
    const std::vector<TensorToStream>& tensors;  // dense ones, not empty
    const FactoredLayers* factors = nullptr;     // null: all is dense
    DType dtype = DType::BF16;                   // of a dense model's weights
    std::int64_t bytes = 0;                      // of all tensors
};

// Beside the target, then renamed: a folder that is not whole is never seen under its name. An
// empty folder of that name is replaced. Returns the bytes of its files. Throws Error where it
// cannot be written, and what the tensors throw.
std::int64_t writeHuggingFaceFolder(const std::filesystem::path& target,
                                    const HuggingFaceFolder& content);

}  // namespace cospadi
