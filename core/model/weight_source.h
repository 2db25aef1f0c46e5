// Internal: one view of a model's tensors, whether they come from a GGUF file or from a Hugging
// Face folder. Headers only; nothing is dequantised here.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/kept_blocks.h"
#include "core/model/layer_info.h"
#include "core/model/model_config.h"
#include "core/tensors/gguf.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

// "blk.0.attn_q.weight" of "model.layers.0.self_attn.q_proj.weight"; the name itself where GGUF has
// no other for it.
std::string ggufName(const std::string& huggingFaceName);

// (d1, d2) of the linear layers of a kind ("attn_q", …).
std::pair<std::int64_t, std::int64_t> layerShape(const ModelConfig& config, std::string_view kind);

struct WeightSource {
    // Throws cospadi::Error for anything that is no supported model.
    static WeightSource open(const std::filesystem::path& path);

    std::filesystem::path path;
    std::optional<GgufFile> gguf;
    std::optional<SafetensorsFolder> folder;
    ModelConfig config;
    KeptBlocks kept;

    // As if the files had never had these blocks: configuration, names and layers are those of the
    // model that is left. Once at most. Errors as KeptBlocks has them.
    void leaveOut(const std::vector<std::int64_t>& blocks);

    // By Hugging Face name with suffix, e.g. "model.norm.weight"; null when absent.
    const TensorView* find(const std::string& huggingFaceName) const;
    // Error when absent or of another shape.
    const TensorView& require(const std::string& huggingFaceName,
                              const std::vector<std::int64_t>& shape) const;

    // Heads whose rows llama.cpp permuted for its interleaved rope; 0 where rows are in order.
    std::int64_t permutedHeads(std::string_view kind) const;

    // The linear layers in forward order; dtype and bytes are empty for those not stored densely.
    // Throws cospadi::Error where a stored weight has another shape than the configuration says.
    std::vector<LayerInfo> layers() const;

    std::vector<std::filesystem::path> weightFiles() const;
};

}  // namespace cospadi
