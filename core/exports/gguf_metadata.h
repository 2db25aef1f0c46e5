// The metadata of an exported GGUF file: carried over from a GGUF original with every field it has,
// or made from a Hugging Face folder's config.json and tokenizer.
#pragma once

#include <vector>

#include "core/exports/gguf_types.h"
#include "core/model/weight_source.h"
#include "core/tensors/gguf_writer.h"

namespace cospadi {

// Throws Error where the folder's tokenizer cannot be written as GGUF.
GgufMetadata ggufMetadata(const WeightSource& source, const GgufTypes& types);

// rope_freqs, (headDim/2): what llama.cpp divides the rope's frequencies by for Llama 3's scaling.
// Empty where there is none.
std::vector<float> ggufRopeDivisors(const ModelConfig& config);

}  // namespace cospadi
