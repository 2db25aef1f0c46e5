#include "core/model/layer_info.h"

#include "core/base/error.h"

namespace cospadi {

std::string layerName(std::int64_t block, std::string_view kind) {
    return "blk." + std::to_string(block) + "." + std::string(kind);
}

std::string gramKeyOf(std::int64_t block, std::string_view kind) {
    if (kind == "attn_k" || kind == "attn_v") {
        return layerName(block, "attn_q");
    }
    return layerName(block, kind == "ffn_up" ? "ffn_gate" : kind);
}

std::string huggingFaceName(std::int64_t block, std::string_view kind) {
    constexpr std::array<std::string_view, 7> kModules = {
        "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
        "mlp.gate_proj",    "mlp.up_proj",      "mlp.down_proj"};
    for (std::size_t i = 0; i < kLayerKinds.size(); ++i) {
        if (kLayerKinds[i] == kind) {
            return "model.layers." + std::to_string(block) + "." + std::string(kModules[i]);
        }
    }
    throw Error("is not a known kind of linear layer", std::string(kind),
                "this is a bug; please report it");
}

}  // namespace cospadi
