// Floats into the blocks of GGUF's quantised types, without an importance matrix. The simpler types
// as llama.cpp's own quantiser rounds, bit for bit what the Python package `gguf` gives
// (gguf.quants); the K types with a search of their own (k_block_quantizer.h). The layouts are
// those that quantized_blocks.cpp reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tensors/dtype.h"

namespace cospadi {

// Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K: the types that quantize() writes.
const std::vector<DType>& writableBlockTypes();
bool isWritableBlockType(DType type);

// count elements (a multiple of blockElements), row after row, from source to target, which takes
// count / blockElements · blockBytes bytes. Throws Error naming `where` for NaN and infinity, for a
// block whose scale float16 cannot hold, and for a type that is none of those above.
void quantize(DType type, const float* source, std::int64_t count, std::byte* target,
              const std::string& where);

}  // namespace cospadi
