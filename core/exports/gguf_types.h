// The type that every tensor of an exported GGUF file has.
//
// Norms and biases are F32, as llama.cpp keeps them. Of a file in blocks the layers have the type
// asked for; embedding and head, whose errors outweigh their bytes, are Q8_0. llama.cpp's mixtures
// Q4_K_M and Q5_K_M give Q6_K to the head (or the embedding that is one), and in about half of the
// blocks to attn_v and ffn_down. Rows that are no whole blocks of a type have the one that
// llama.cpp falls back to: Q5_0 for Q4_K, Q5_1 for Q5_K, Q8_0 for Q6_K, whose blocks are 32
// elements, or else F16.
#pragma once

#include <cstdint>
#include <string>

#include "core/exports/recomposed_model.h"
#include "core/tensors/dtype.h"

namespace cospadi {

struct GgufTypes {
    DType layers = DType::BF16;  // BF16, F16, F32, or a type that block_quantizer.h writes
    bool mixture = false;        // of Q4_K and Q5_K: llama.cpp's Q4_K_M and Q5_K_M
};

// "Q8_0", "Q4_K", "Q4_K_M", …; throws Error naming --quantize and what there is.
GgufTypes ggufTypesFromName(const std::string& name);

// general.file_type, llama.cpp's enumeration of what most tensors of a file are.
std::uint32_t ggufFileType(const GgufTypes& types);

// wanted and written differ where the tensor's rows are no whole blocks of what is wanted.
struct GgufTensorType {
    DType wanted = DType::F32;
    DType written = DType::F32;
};
GgufTensorType ggufTensorType(const RecomposedTensor& tensor, const GgufTypes& types,
                              const ModelConfig& config);

}  // namespace cospadi
