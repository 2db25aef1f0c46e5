// Float32 elements as an exported file stores them.
#pragma once

#include <span>
#include <string>

#include "core/base/thread_pool.h"
#include "core/tensors/dtype.h"
#include "core/tensors/safetensors_stream.h"

namespace cospadi {

// Rounds to nearest and hands over in pieces. dtype: F32, BF16, F16, or a type that
// block_quantizer.h writes; then the elements are a multiple of its block. Throws Error naming
// `name` for a value that the type cannot hold.
void narrow(std::span<const float> values, DType dtype, const std::string& name, ThreadPool& pool,
            const ByteSink& sink);

}  // namespace cospadi
