// llama.cpp interleaves the two halves of each head's rows of q and k, for its rope: row i + p·half
// of a head in the Hugging Face order stands in the file as row 2i + p.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensors/tensor_view.h"

namespace cospadi {

// Where row `row` of the Hugging Face order stands in the file; heads: 0 where rows are in order
// (WeightSource::permutedHeads()).
inline std::int64_t rowInFile(std::int64_t row, std::int64_t rows, std::int64_t heads) {
    if (heads == 0) {
        return row;
    }
    const std::int64_t dim = rows / heads;
    const std::int64_t inHead = row % dim;
    const std::int64_t half = dim / 2;
    return row - inHead + 2 * (inHead % half) + inHead / half;
}

// Where the elements of that row stand, of a weight {rows, columns}.
inline const std::byte* rowInFile(const TensorView& view, std::int64_t row, std::int64_t heads) {
    const std::int64_t rows = view.shape[0];
    const std::int64_t columns = view.elementCount() / rows;
    const std::int64_t bytes = columns / blockElements(view.dtype) * blockBytes(view.dtype);
    return view.bytes.data() + rowInFile(row, rows, heads) * bytes;
}

// The other way round.
inline std::int64_t rowInHuggingFaceOrder(std::int64_t row, std::int64_t rows, std::int64_t heads) {
    if (heads == 0) {
        return row;
    }
    const std::int64_t dim = rows / heads;
    const std::int64_t inHead = row % dim;
    return row - inHead + inHead / 2 + inHead % 2 * (dim / 2);
}

}  // namespace cospadi
