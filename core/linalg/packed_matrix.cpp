#include "core/linalg/packed_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/aligned_floats.h"
#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/linalg/block_product.h"
#include "core/linalg/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kReadOver = 32;         // values behind the last one that a kernel may touch
constexpr std::int64_t kUnpackedColumns = 96;  // of A at a time: they stay in a core's cache
constexpr std::int64_t kDirectTokens = 32;     // more than these are worth unpacking for

std::int64_t blocksOf(std::int64_t rows) { return (rows + kPackedBlock - 1) / kPackedBlock; }

std::uint16_t packed(float value) {
    const std::uint16_t bits = bf16FromFloat(value);
    if (floatFromBf16(bits) != value) {
        throw Error(fmt::format("{} is no bfloat16 value", value), "packed matrix",
                    "round the factors as they are stored first");
    }
    return bits;
}

}  // namespace

PackedMatrix PackedMatrix::dense(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    PackedMatrix result;
    result.m_rows = a.rows();
    result.m_cols = a.cols();
    result.m_nonZeros = a.size();
    const std::int64_t padded = blocksOf(a.rows()) * kPackedBlock;
    result.m_values.assign(static_cast<std::size_t>(padded * a.cols() + kReadOver), 0);
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        for (Eigen::Index i = 0; i < a.rows(); ++i) {
            result.m_values[static_cast<std::size_t>(j * padded + i)] = packed(a(i, j));
        }
    }
    return result;
}

PackedMatrix PackedMatrix::sparse(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    PackedMatrix result;
    result.m_rows = a.rows();
    result.m_cols = a.cols();
    const std::int64_t blocks = blocksOf(a.rows());
    result.m_mask.assign(static_cast<std::size_t>(blocks * a.cols()), 0);
    for (Eigen::Index j = 0; j < a.cols(); ++j) {
        result.m_begin.push_back(static_cast<std::int64_t>(result.m_values.size()));
        for (Eigen::Index i = 0; i < a.rows(); ++i) {
            if (a(i, j) != 0) {
                result.m_mask[static_cast<std::size_t>(j * blocks + i / kPackedBlock)] |=
                    std::uint64_t{1} << static_cast<std::uint64_t>(i % kPackedBlock);
                result.m_values.push_back(packed(a(i, j)));
            }
        }
    }
    result.m_nonZeros = static_cast<std::int64_t>(result.m_values.size());
    result.m_values.resize(result.m_values.size() + kReadOver, 0);
    result.m_values.shrink_to_fit();
    return result;
}

std::int64_t PackedMatrix::bytes() const {
    return static_cast<std::int64_t>(m_values.size() * sizeof(std::uint16_t) +
                                     m_mask.size() * sizeof(std::uint64_t) +
                                     m_begin.size() * sizeof(std::int64_t));
}

PackedColumns PackedMatrix::columns() const {
    return {blocksOf(m_rows), m_values.data(), m_mask.empty() ? nullptr : m_mask.data(),
            m_begin.empty() ? nullptr : m_begin.data()};
}

void PackedMatrix::multiplyTransposed(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                      Eigen::MatrixXf& Y, PackedInstructions instructions) const {
    const PackedColumns a = columns();
    const std::int64_t padded = a.blocks * kPackedBlock;
    const std::int64_t tokens = X.cols();
    Y.resize(m_cols, tokens);
    if (tokens > kDirectTokens) {
        forColumnRanges(pool, m_cols, productShare(m_cols), [&](auto first, auto last) {
            thread_local std::vector<float> tile;  // of A, unpacked; grown, never shrunk
            tile.resize(std::max(tile.size(), static_cast<std::size_t>(padded * kUnpackedColumns)));
            for (std::int64_t c = first; c < last; c += kUnpackedColumns) {
                const std::int64_t columns = std::min(kUnpackedColumns, last - c);
                unpack(instructions, a, c, c + columns, tile.data());
                multiplyBlock(Op::Transpose, Op::None, columns, tokens, m_rows, 1, tile.data(),
                              padded, X.data(), X.outerStride(), 0, Y.data() + c, m_cols);
            }
        });
        return;
    }
    const AlignedFloats x(padded * tokens);
    for (std::int64_t t = 0; t < tokens; ++t) {
        std::copy_n(&X.coeffRef(0, t), m_rows, x.data() + t * padded);
        std::fill_n(x.data() + t * padded + m_rows, padded - m_rows, 0.0F);
    }
    // One stretch of memory for each thread reads best; columns stand alone, so the split does not
    // change the result.
    const std::int64_t share = (m_cols + pool.threadCount() - 1) / pool.threadCount();
    forColumnRanges(pool, m_cols, share, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = 0; t < tokens; t += kMostPackedTokens) {
            packedDot(instructions, a, first, last, x.data() + t * padded,
                      std::min(kMostPackedTokens, tokens - t), Y.data() + t * m_cols, m_cols);
        }
    });
}

Eigen::MatrixXf PackedMatrix::unpacked() const {
    Eigen::MatrixXf padded(blocksOf(m_rows) * kPackedBlock, m_cols);
    unpack(bestPackedInstructions(), columns(), 0, m_cols, padded.data());
    return padded.topRows(m_rows);
}

}  // namespace cospadi
