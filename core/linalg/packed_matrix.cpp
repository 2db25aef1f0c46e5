#include "core/linalg/packed_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/bfloat16.h"
#include "core/base/error.h"
#include "core/linalg/amx_product.h"
#include "core/linalg/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kReadOver = 32;         // values behind the last one that a kernel may touch
constexpr std::int64_t kUnpackedColumns = 96;  // of A at a time: they stay in a core's cache
constexpr std::int64_t kDirectTokens = 32;     // more than these are worth unpacking for
constexpr std::int64_t kDirectTokensBesideUnits = 6;

std::uint16_t packed(float value) {
    const std::uint16_t bits = bf16FromFloat(value);
    if (floatFromBf16(bits) != value) {
        throw Error(fmt::format("{} is no bfloat16 value", value), "packed matrix",
                    "round the factors as they are stored first");
    }
    return bits;
}

bool isForMatrixUnits(std::int64_t tokens, PackedInstructions instructions) {
    return tokens > kDirectTokensBesideUnits && instructions == PackedInstructions::Avx512 &&
           bestProductKernel() == ProductKernel::MatrixUnits;
}

TileMemory& tokenMemory() {
    thread_local TileMemory memory;
    return memory;
}

// Calls use(t, tokens) for columns t, t + 1, … of X in tiles, as many at a time as should be for
// products of this depth.
template <typename Use>
void forTokens(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X, std::int64_t depth,
               const Use& use) {
    const std::int64_t atOnce = columnsAtOnce(depth);
    for (std::int64_t t = 0; t < X.cols(); t += atOnce) {
        const std::int64_t tokens = std::min<std::int64_t>(atOnce, X.cols() - t);
        use(t, packColumnTiles(pool, Op::None, &X.coeffRef(0, t), X.outerStride(), tokens, X.rows(),
                               tokenMemory().atLeast(tileWords(tokens, X.rows())), true));
    }
}

}  // namespace

PackedMatrix::PackedMatrix(const Eigen::Ref<const Eigen::MatrixXf>& a, bool masked)
    : m_rows(a.rows()), m_cols(a.cols()), m_nonZeros(masked ? 0 : a.size()) {
    const std::int64_t lines = ceilDivide(m_rows, kPackedRows) * kPackedLines;
    const std::int64_t groups = ceilDivide(m_cols, kPackedColumns);
    const auto size = static_cast<std::size_t>(lines * groups);
    masked ? m_mask.reserve(size) : m_values.reserve(size * kPackedEntries + kReadOver);
    for (std::int64_t group = 0; group < groups; ++group) {
        m_begin.push_back(static_cast<std::int64_t>(m_values.size()));
        for (std::int64_t line = 0; line < lines; ++line) {
            std::uint32_t mask = 0;
            for (std::int64_t i = 0; i < kPackedEntries; ++i) {
                const std::int64_t row = 2 * line + i % 2;
                const std::int64_t column = group * kPackedColumns + i / 2;
                const float value = row < m_rows && column < m_cols ? a(row, column) : 0.0F;
                if (masked && value == 0) {
                    continue;
                }
                mask |= 1U << static_cast<unsigned>(i);
                m_values.push_back(packed(value));
            }
            if (masked) {
                m_mask.push_back(mask);
            }
        }
    }
    if (masked) {
        m_nonZeros = static_cast<std::int64_t>(m_values.size());
    }
    m_values.resize(m_values.size() + kReadOver, 0);
    m_values.shrink_to_fit();
}

PackedMatrix PackedMatrix::dense(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    return PackedMatrix(a, false);
}

PackedMatrix PackedMatrix::sparse(const Eigen::Ref<const Eigen::MatrixXf>& a) {
    return PackedMatrix(a, true);
}

std::int64_t PackedMatrix::bytes() const {
    return static_cast<std::int64_t>(m_values.size() * sizeof(std::uint16_t) +
                                     m_mask.size() * sizeof(std::uint32_t) +
                                     m_begin.size() * sizeof(std::int64_t));
}

PackedGroups PackedMatrix::groups() const {
    return {m_cols, ceilDivide(m_rows, kPackedRows), m_values.data(),
            m_mask.empty() ? nullptr : m_mask.data(), m_begin.data()};
}

void PackedMatrix::multiplyTransposed(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                      Eigen::MatrixXf& Y, PackedInstructions instructions) const {
    Y.resize(m_cols, X.cols());
    if (isForMatrixUnits(X.cols(), instructions)) {
        forTokens(pool, X, m_rows, [&](std::int64_t t, const ColumnTiles& tokens) {
            forTiles(pool, [&](std::int64_t column, const PairTiles& tiles) {
                multiplyTiles(tiles, tokens, 1, 0, &Y.coeffRef(column, t), m_cols);
            });
        });
    } else if (X.cols() <= kDirectTokens) {
        multiplyFew(pool, X, Y, instructions);
    } else {
        multiplyMany(pool, X, Y, instructions);
    }
}

void PackedMatrix::multiplyTransposed(ThreadPool& pool, const PackedMatrix& A,
                                      const PackedMatrix& B,
                                      const Eigen::Ref<const Eigen::MatrixXf>& X,
                                      Eigen::MatrixXf& Y) {
    if (!isForMatrixUnits(X.cols(), bestPackedInstructions())) {
        Eigen::MatrixXf inner;
        A.multiplyTransposed(pool, X, inner);
        B.multiplyTransposed(pool, inner, Y);
        return;
    }
    Y.resize(B.cols(), X.cols());
    forTokens(pool, X, std::max(A.rows(), B.rows()),
              [&](std::int64_t t, const ColumnTiles& tokens) {
                  thread_local TileMemory memory;
                  std::uint16_t* words = memory.atLeast(tileWords(tokens.columns, B.rows()));
                  const ColumnTiles inner = columnTiles(tokens.columns, B.rows(), true, words);
                  A.forTiles(pool, [&](std::int64_t column, const PairTiles& tiles) {
                      multiplyIntoTiles(tiles, tokens, column, inner, words);
                  });
                  B.forTiles(pool, [&](std::int64_t column, const PairTiles& tiles) {
                      multiplyTiles(tiles, inner, 1, 0, &Y.coeffRef(column, t), B.cols());
                  });
              });
}

void PackedMatrix::multiplyFew(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                               Eigen::MatrixXf& Y, PackedInstructions instructions) const {
    const PackedGroups a = groups();
    const std::int64_t tokens = X.cols();
    AlignedVector<float> x(static_cast<std::size_t>(a.rows() * tokens));
    for (std::int64_t t = 0; t < tokens; ++t) {
        float* to = x.data() + t * a.rows();
        std::copy_n(&X.coeffRef(0, t), m_rows, to);
        std::fill_n(to + m_rows, a.rows() - m_rows, 0.0F);
    }
    // One stretch of memory for each thread reads best; columns stand alone, so the split does not
    // change the result.
    const std::int64_t share = ceilDivide(a.groups(), pool.threadCount());
    forColumnRanges(pool, a.groups(), share, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t t = 0; t < tokens; t += kMostPackedTokens) {
            packedDot(instructions, a, first, last, x.data() + t * a.rows(),
                      std::min(kMostPackedTokens, tokens - t), Y.data() + t * m_cols, m_cols);
        }
    });
}

// In pairs of groups: matrix units work on two tiles at once.
template <typename Body>
void PackedMatrix::forUnpackable(ThreadPool& pool, const Body& body) const {
    forEvenRanges(pool, m_cols, 2 * kPackedColumns, kUnpackedColumns,
                  [&](std::int64_t first, std::int64_t last) {
                      body(first / kPackedColumns, ceilDivide(last, kPackedColumns), last - first);
                  });
}

void PackedMatrix::multiplyMany(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                Eigen::MatrixXf& Y, PackedInstructions instructions) const {
    const PackedGroups a = groups();
    const ProductKernel kernel =
        std::min(bestProductKernel(m_cols, X.cols()), ProductKernel::Avx512);
    forUnpackable(pool, [&](std::int64_t first, std::int64_t last, std::int64_t columns) {
        thread_local std::vector<float> tile;  // of A, unpacked; grown, never shrunk
        tile.resize(std::max(tile.size(), static_cast<std::size_t>(a.rows() * kUnpackedColumns)));
        unpack(instructions, a, first, last, tile.data());
        multiplyBlock(Op::None, Op::None, columns, X.cols(), m_rows, 1, tile.data(),
                      (last - first) * kPackedColumns, X.data(), X.outerStride(), 0,
                      Y.data() + first * kPackedColumns, m_cols, kernel);
    });
}

template <typename Body>
void PackedMatrix::forTiles(ThreadPool& pool, const Body& body) const {
    const PackedGroups a = groups();
    const std::int64_t groupWords = a.lines() * kPackedEntries;
    forUnpackable(pool, [&](std::int64_t first, std::int64_t last, std::int64_t columns) {
        thread_local TileMemory memory;
        thread_local TileMemory foldedMemory;
        const std::uint16_t* words = a.values + first * groupWords;  // tiles as they lie
        if (a.mask != nullptr) {
            std::uint16_t* unpackedWords = memory.atLeast((last - first) * groupWords);
            unpackPairs(a, first, last, unpackedWords);
            words = unpackedWords;
        }
        const PairTiles tiles{words, columns, m_rows, groupWords, 1, true, nullptr};
        body(first * kPackedColumns,
             foldPairTiles(tiles, foldedMemory.atLeast((last - first) * foldedWords(m_rows))));
    });
}

Eigen::MatrixXf PackedMatrix::unpacked() const {
    const PackedGroups a = groups();
    Eigen::MatrixXf transposed(a.groups() * kPackedColumns, a.rows());
    unpack(bestPackedInstructions(), a, 0, a.groups(), transposed.data());
    return transposed.topLeftCorner(m_cols, m_rows).transpose();
}

}  // namespace cospadi
