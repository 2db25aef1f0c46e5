#include "core/exports/gguf_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/tensors/block_quantizer.h"

namespace cospadi {

namespace {

constexpr const char* kLayers = "model.layers.";

// llama.cpp's rule for which blocks of a mixture have more bits: the first eighth, the last one,
// and every third between.
bool hasMoreBits(std::int64_t block, std::int64_t blocks) {
    const std::int64_t eighth = blocks / 8;
    return block < eighth || block >= 7 * blocks / 8 || (block - eighth) % 3 == 2;
}

DType typeInMixture(const RecomposedTensor& tensor, DType layers, const ModelConfig& config) {
    const std::string& name = tensor.huggingFaceName;
    if (!name.starts_with(kLayers)) {
        const bool isHead = name == "lm_head.weight" || config.tiedEmbeddings;
        return isHead ? DType::Q6_K : layers;
    }
    const std::int64_t block = std::stoll(name.substr(std::string_view(kLayers).size()));
    const bool isValue = name.ends_with("v_proj.weight");
    if ((isValue || name.ends_with("down_proj.weight")) && hasMoreBits(block, config.blocks)) {
        return DType::Q6_K;
    }
    // Its 70B models share a value among eight heads, so that more bits for it cost little.
    const bool is70B = config.blocks == 80 &&
                       (config.architecture == "qwen2" || config.keyValueHeads != config.heads);
    return isValue && is70B ? DType::Q5_K : layers;
}

DType wantedType(const RecomposedTensor& tensor, const GgufTypes& types,
                 const ModelConfig& config) {
    if (tensor.shape.size() < 2) {
        return DType::F32;
    }
    if (types.mixture) {
        return typeInMixture(tensor, types.layers, config);
    }
    const bool inBlocks = isWritableBlockType(types.layers);
    return inBlocks && !tensor.huggingFaceName.starts_with(kLayers) ? DType::Q8_0 : types.layers;
}

DType inSmallerBlocks(DType type) {
    switch (type) {
        case DType::Q4_K:
            return DType::Q5_0;
        case DType::Q5_K:
            return DType::Q5_1;
        case DType::Q6_K:
            return DType::Q8_0;
        default:
            return DType::F16;
    }
}

}  // namespace

GgufTypes ggufTypesFromName(const std::string& name) {
    if (name == "Q4_K_M" || name == "Q5_K_M") {
        return {name == "Q4_K_M" ? DType::Q4_K : DType::Q5_K, true};
    }
    std::vector<std::string_view> known;
    for (const DType type : writableBlockTypes()) {
        if (name == dtypeName(type)) {
            return {type, false};
        }
        known.push_back(dtypeName(type));
    }
    throw Error(fmt::format("weights cannot be quantised to \"{}\"", name), "--quantize",
                fmt::format("use {}, Q4_K_M or Q5_K_M; for other types use llama.cpp's own "
                            "quantiser on an export with --dtype f16",
                            fmt::join(known, ", ")));
}

std::uint32_t ggufFileType(const GgufTypes& types) {
    switch (types.layers) {
        case DType::F32:
            return 0;
        case DType::F16:
            return 1;
        case DType::Q4_0:
            return 2;
        case DType::Q4_1:
            return 3;
        case DType::Q8_0:
            return 7;
        case DType::Q5_0:
            return 8;
        case DType::Q5_1:
            return 9;
        case DType::Q4_K:
            return types.mixture ? 15 : 14;  // Q4_K_M, else what it calls small
        case DType::Q5_K:
            return types.mixture ? 17 : 16;
        case DType::Q6_K:
            return 18;
        default:
            return 32;  // bfloat16
    }
}

GgufTensorType ggufTensorType(const RecomposedTensor& tensor, const GgufTypes& types,
                              const ModelConfig& config) {
    GgufTensorType type;
    type.wanted = wantedType(tensor, types, config);
    type.written = type.wanted;
    while (tensor.shape.size() > 1 && tensor.shape[1] % blockElements(type.written) != 0) {
        type.written = inSmallerBlocks(type.written);
    }
    return type;
}

}  // namespace cospadi
