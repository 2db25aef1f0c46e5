// Products with packed matrices (compressed inference; paper §"Inference efficiency"), all that
// have their X in common at once: X is prepared once, and threads meet once a factor, not once a
// matrix.
//
// Few columns of X (decoding) read a matrix once, in vector registers; for many (prefill) it is
// unpacked tile by tile in the cache, and where there are matrix units, which read what is not
// sparse where it lies and no quantised codes, whose values are no bfloat16. Nothing dense is ever
// kept; on matrix units AᵀX is never written as floats.
// Results do not depend on the number of threads, nor on what is multiplied beside them; the
// instruction sets differ in the order of their sums.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/thread_pool.h"
#include "core/packed/packed_kernels.h"
#include "core/packed/packed_matrix.h"

namespace cospadi {

// What is made of a result that never exists whole: called with parts of Y, from the threads that
// computed them, while they are in a core's cache. row, column: of Y, where the part begins. How Y
// is parted does not depend on the number of threads.
using UseOfPart = std::function<void(std::int64_t row, std::int64_t column,
                                     const Eigen::Ref<const Eigen::MatrixXf>& part)>;

// Y (A.cols, N) = AᵀX, or with the two factors of a layer Y (B.cols, N) = BᵀAᵀX, A.cols = B.rows.
// Products of two factors that have A in common, the same matrix in memory, have AᵀX computed once.
struct PackedProduct {
    const PackedMatrix* a = nullptr;
    const PackedMatrix* b = nullptr;  // null: there is but one
    Eigen::MatrixXf* y = nullptr;     // resized; or
    const UseOfPart* use = nullptr;
};

// X (A.rows of each, N).
void multiplyTransposed(ThreadPool& pool, std::span<const PackedProduct> products,
                        const Eigen::Ref<const Eigen::MatrixXf>& X,
                        PackedInstructions instructions = bestPackedInstructions());

}  // namespace cospadi
