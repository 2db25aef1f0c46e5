// A named tensor inside a mapped file: no copy, valid as long as `owner` lives.
//
// shape is written as Hugging Face and NumPy have it, slowest dimension first (GGUF's `ne`
// reversed); elements are row-major. A linear layer's weight is therefore {out, in}, and its bytes
// are at the same time the column-major (in, out) = (d1, d2) matrix W of the paper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/tensors/dtype.h"

namespace cospadi {

struct TensorView {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::string file;  // where it stands, for messages

    // Validated on reading: never overflows.
    std::int64_t elementCount() const;

    // All elements widened to float32. Throws cospadi::Error for integer types.
    std::vector<float> toFloat() const;
};

// a * b, or cospadi::Error naming `where` when the product leaves the non-negative int64 range.
std::int64_t checkedProduct(std::int64_t a, std::int64_t b, const std::string& where);

}  // namespace cospadi
