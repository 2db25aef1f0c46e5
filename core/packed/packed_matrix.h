// A matrix A (rows, cols) that stays in memory as small as it is on disk, for inference
// (packed_products.h): bfloat16 values in the order of the kernels (packed_kernels.h), either all
// of them, or, for sparse codes, a mask of one bit an entry and the values that are not zero; or
// N of every M rows, with the place of each; or blocks of quantised codes with their scales.
// Values that need fewer bits take fewer: a matrix whose columns, or rows, are integers −127 … 127
// times a power of two, one byte (integer_kernels.h); sparse codes that are short floats of 8, 9 or
// 10 bits, so many (short_code_kernels.h).
//
// Immutable, thread-safe. Errors: cospadi::Error for values that bfloat16 cannot hold.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/base/nm_pattern.h"
#include "core/packed/packed_kernels.h"
#include "core/tensors/dtype.h"

namespace cospadi {

class PackedMatrix {
  public:
    // Every value of `a` must be a bfloat16 already, as stored factors are.
    static PackedMatrix dense(const Eigen::Ref<const Eigen::MatrixXf>& a);
    static PackedMatrix sparse(const Eigen::Ref<const Eigen::MatrixXf>& a);
    // N of every M rows, of each column, may have values: with their places, for kernels that are
    // several times as fast on few tokens; sparse() where there are none for N:M (hasPlaces()).
    // Throws Error where a column has more in a group.
    static PackedMatrix grouped(const Eigen::Ref<const Eigen::MatrixXf>& a,
                                const NmPattern& pattern);
    // From a file's bytes: `column` tells where the rows of a column stand. nullopt for values that
    // are no finite numbers, for scales beyond what kernels take (of Q4_0, above 8188), and for
    // what canHold() is false of: another type than BF16, Q4_0, Q4_1 and Q8_0, rows that are no
    // whole blocks.
    using FileColumn = std::function<const std::byte*(std::int64_t)>;
    static std::optional<PackedMatrix> fromFile(DType type, std::int64_t rows, std::int64_t cols,
                                                const FileColumn& column);
    static bool canHold(DType type, std::int64_t rows);
    // Codes of up to `bits` bits, at most 8, in blocks of 32 rows with a scale and a minimum each:
    // in 4 bits where these are enough, else in 8. nullopt for rows that are no whole blocks, and
    // for scales and minima that float16 does not have. block: a column's `step`-th.
    using BlockOf = std::function<CodeBlock(std::int64_t column, std::int64_t step)>;
    static std::optional<PackedMatrix> quantised(std::int64_t rows, std::int64_t cols, int bits,
                                                 const BlockOf& block);

    std::int64_t rows() const { return m_rows; }
    std::int64_t cols() const { return m_cols; }
    std::int64_t nonZeros() const { return m_nonZeros; }
    std::int64_t bytes() const;  // in memory

    // As the kernels read it; valid as long as the matrix.
    PackedGroups groups() const;
    Eigen::MatrixXf unpacked() const;
    void unpackColumn(std::int64_t column, float* to) const;  // rows() floats
    // Codes and scales: what they stand for is no bfloat16.
    bool isQuantised() const { return m_codes != BlockCodes::None; }

  private:
    PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, bool masked);
    PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, const NmPattern& pattern);

    PackedMatrix(std::int64_t rows, std::int64_t cols, BlockCodes codes);
    bool packIntegers(const Eigen::Ref<const Eigen::MatrixXf>& a);
    bool packShortCodes(const Eigen::Ref<const Eigen::MatrixXf>& a);
    std::size_t planeBytes() const;

    std::int64_t m_rows = 0;
    std::int64_t m_cols = 0;
    std::int64_t m_nonZeros = 0;
    AlignedVector<std::uint16_t> m_values;  // behind the last one, room to read over the end
    std::vector<std::uint32_t> m_mask;      // empty where all entries are stored
    std::vector<std::int64_t> m_begin;      // of every group in m_values
    NmPattern m_pattern;                    // of values with places
    AlignedVector<std::uint8_t> m_places;   // empty where there are none
    AlignedVector<std::uint8_t> m_blocks;   // of quantised codes
    BlockCodes m_codes = BlockCodes::None;
    AlignedVector<std::uint8_t> m_bytes;   // behind the last one, room to read over the end
    AlignedVector<std::uint8_t> m_planes;  // bits of codes below those of their bytes
    int m_planeCount = 0;
    std::vector<float> m_columnScales;  // of integers; or
    std::vector<float> m_rowScales;
};

}  // namespace cospadi
