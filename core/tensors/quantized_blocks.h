// The block formats of GGUF's quantised types. A block of blockBytes(type) bytes gives
// blockElements(type) floats; the formulas stand in quantized_blocks.cpp, in the order and rounding
// of ggml's reference.
#pragma once

#include <cstdint>

#include "core/tensors/dtype.h"

namespace cospadi {

using BlockDequantizer = void (*)(const std::uint8_t* block, float* target);

// Only for quantised types.
BlockDequantizer blockDequantizer(DType type);

}  // namespace cospadi
