// Names of linear layers and what is known of one without loading it.
//
// Canonical names are GGUF's short ones: blk.10.ffn_up, blk.0.attn_q, attn_k, attn_v, attn_output,
// ffn_gate, ffn_up, ffn_down. Hugging Face names are mapped to these on reading.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cospadi {

struct LayerInfo {
    std::string name;         // "blk.10.ffn_up"
    std::int64_t block = 0;   // 10
    std::string kind;         // "ffn_up"
    std::int64_t d1 = 0;      // in_features
    std::int64_t d2 = 0;      // out_features
    std::string storedDtype;  // in the model's file, e.g. "Q4_1"
    std::int64_t storedBytes = 0;
    std::string gramKey;  // layers with the same input share one Gram: see gramKeyOf()
};

// The kinds in the order in which a block computes them.
inline constexpr std::array<std::string_view, 7> kLayerKinds = {
    "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"};

std::string layerName(std::int64_t block, std::string_view kind);

// q, k, v -> "blk.N.attn_q"; gate, up -> "blk.N.ffn_gate"; the others their own name.
std::string gramKeyOf(std::int64_t block, std::string_view kind);

// "blk.3.ffn_up" -> "model.layers.3.mlp.up_proj" (without ".weight").
std::string huggingFaceName(std::int64_t block, std::string_view kind);

}  // namespace cospadi
