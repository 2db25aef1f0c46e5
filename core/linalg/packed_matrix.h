// A matrix A (rows, cols) that stays in memory as small as it is on disk, for products Y = AᵀX
// (compressed inference; paper §"Inference efficiency"): bfloat16 values in the order of the
// kernels (packed_kernels.h), either all of them, or, for sparse codes, a mask of one bit an entry
// and the values that are not zero.
//
// Few columns of X (decoding) read A once, in vector registers; for many (prefill) A is unpacked
// tile by tile in the cache, and where there are matrix units, which read what is not sparse where
// it lies. Nothing dense is ever kept.
// Immutable, thread-safe. Products do not depend on the number of threads; the instruction sets
// differ in the order of their sums. Errors: cospadi::Error for values that bfloat16 cannot hold.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/base/thread_pool.h"
#include "core/linalg/packed_kernels.h"

namespace cospadi {

class PackedMatrix {
  public:
    // Every value of `a` must be a bfloat16 already, as stored factors are.
    static PackedMatrix dense(const Eigen::Ref<const Eigen::MatrixXf>& a);
    static PackedMatrix sparse(const Eigen::Ref<const Eigen::MatrixXf>& a);

    std::int64_t rows() const { return m_rows; }
    std::int64_t cols() const { return m_cols; }
    std::int64_t nonZeros() const { return m_nonZeros; }
    std::int64_t bytes() const;  // in memory

    // Y (cols, N) = AᵀX for X (rows, N); Y is resized.
    void multiplyTransposed(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                            Eigen::MatrixXf& Y,
                            PackedInstructions instructions = bestPackedInstructions()) const;
    // Y (B.cols, N) = BᵀAᵀX for the two factors of a layer, A.cols() = B.rows(): on matrix units
    // AᵀX is never written as floats.
    static void multiplyTransposed(ThreadPool& pool, const PackedMatrix& A, const PackedMatrix& B,
                                   const Eigen::Ref<const Eigen::MatrixXf>& X, Eigen::MatrixXf& Y);
    Eigen::MatrixXf unpacked() const;

  private:
    PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, bool masked);

    PackedGroups groups() const;
    void multiplyFew(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                     Eigen::MatrixXf& Y, PackedInstructions instructions) const;
    void multiplyMany(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                      Eigen::MatrixXf& Y, PackedInstructions instructions) const;
    // Calls body(first, last, columns) for groups of A that stay in a core's cache unpacked.
    template <typename Body>
    void forUnpackable(ThreadPool& pool, const Body& body) const;
    // Calls body(column, tiles) for columns of A as matrix units want them, from `column` on.
    template <typename Body>
    void forTiles(ThreadPool& pool, const Body& body) const;

    std::int64_t m_rows = 0;
    std::int64_t m_cols = 0;
    std::int64_t m_nonZeros = 0;
    AlignedVector<std::uint16_t> m_values;  // behind the last one, room to read over the end
    std::vector<std::uint32_t> m_mask;      // empty where all entries are stored
    std::vector<std::int64_t> m_begin;      // of every group in m_values
};

}  // namespace cospadi
