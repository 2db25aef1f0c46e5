// Internal to core/linalg: products of matrices on matrix units (Intel AMX), float32 in and out and
// no less accurate than float32 products, but for Accuracy::Step; how is told in amx_tiles.h. Whole
// products: amx_pieces.cpp. Only to be called where hasMatrixUnits().
//
// Operands are packed once and shared by threads. An element's sum runs over fixed pieces of the
// depth: it depends neither on the number of threads nor on the block it is computed in.
#pragma once

#include <cstdint>

#include "core/base/aligned_vector.h"
#include "core/base/thread_pool.h"
#include "core/products/block_product.h"

namespace cospadi {

// Whether the processor has them and the system lets this process use them.
bool hasMatrixUnits();

// Memory for packed operands of this thread that is used again; grown, never shrunk.
class TileMemory {
  public:
    std::uint16_t* atLeast(std::int64_t words);

  private:
    static constexpr std::size_t kPage = 4096;
    AlignedVector<std::uint16_t, kPage> m_words;
};

// op(A) (rows, depth) or a stretch of its rows.
struct PairTiles {
    const std::uint16_t* words = nullptr;
    std::int64_t rows = 0;
    std::int64_t depth = 0;
    std::int64_t toNext = 0;                // words from 16 rows to the next 16
    int terms = 3;                          // stored
    bool isBfloat16 = false;                // the first term is all there is
    const std::uint16_t* folded = nullptr;  // the end of the depth (amx_tiles.h), [16 rows][tile]
    Accuracy accuracy = Accuracy::Float32;  // of the columns as well
};

// op(B) (depth, columns) or a stretch of its columns.
struct ColumnTiles {
    const std::uint16_t* words = nullptr;
    std::int64_t columns = 0;
    std::int64_t depth = 0;
    std::int64_t toNext = 0;  // words from 16 columns to the next 16
    bool isFolded = false;    // for op(A) that is folded
    int terms = 3;            // stored
};

// Words of an operand of `items` rows or columns; folded ones take no more.
std::int64_t tileWords(std::int64_t items, std::int64_t depth, int terms = 3);
// Words of the folded end of 16 rows.
std::int64_t foldedWords(std::int64_t depth);
// So many of the columns of this depth are packed at a time, the last time perhaps fewer: a
// multiple of 32 that stays in the caches.
std::int64_t columnsAtOnce(std::int64_t columns, std::int64_t depth, int terms = 3);

PairTiles packPairTiles(Op op, const float* a, std::int64_t lda, std::int64_t rows,
                        std::int64_t depth, std::uint16_t* to,
                        Accuracy accuracy = Accuracy::Float32);
ColumnTiles packColumnTiles(Op op, const float* b, std::int64_t ldb, std::int64_t columns,
                            std::int64_t depth, std::uint16_t* to, bool folded = false,
                            Accuracy accuracy = Accuracy::Float32);
// The same with all threads of the pool.
PairTiles packPairTiles(ThreadPool& pool, Op op, const float* a, std::int64_t lda,
                        std::int64_t rows, std::int64_t depth, std::uint16_t* to,
                        Accuracy accuracy = Accuracy::Float32);
ColumnTiles packColumnTiles(ThreadPool& pool, Op op, const float* b, std::int64_t ldb,
                            std::int64_t columns, std::int64_t depth, std::uint16_t* to,
                            bool folded = false, Accuracy accuracy = Accuracy::Float32);
// Folds rows that are bfloat16 with one term stored; `to` has room for foldedWords() a tile.
PairTiles foldPairTiles(const PairTiles& a, std::uint16_t* to);
// Columns that are packed at `words`, or that multiplyIntoTiles() is to fill there.
ColumnTiles columnTiles(std::int64_t columns, std::int64_t depth, bool folded,
                        const std::uint16_t* words, Accuracy accuracy = Accuracy::Float32);

// C (rows, columns) = alpha op(A) op(B) + beta C on the calling thread; C is not read where beta
// is 0.
void multiplyTiles(const PairTiles& a, const ColumnTiles& b, float alpha, float beta, float* c,
                   std::int64_t ldc);

// Where op(A) has float16 scales, and minima, for every row and every 32 of the depth: those of 16
// rows stand side by side, minima behind them (amx_scaled.h). In bytes.
struct StepScales {
    const std::uint8_t* first = nullptr;
    std::int64_t toNextStep = 0;
    std::int64_t toNextTile = 0;  // of rows
    bool hasMinimum = false;
    float codeOffset = 0;  // op(A) = d (q + codeOffset) + m
};

// Sums of columns of op(B) (depth, columns), depth a multiple of 32, over every 32 of the depth:
// sums(step, column) at step · paddedColumns(columns) + column.
std::int64_t paddedColumns(std::int64_t columns);
void sumSteps(ThreadPool& pool, const float* b, std::int64_t ldb, std::int64_t columns,
              std::int64_t depth, float* sums);

// C (rows, columns) = op(A) op(B) for op(A) = d q + m, of which `a` has q, one term; b not folded,
// whose sums are as of sumSteps().
void multiplyScaledTiles(const PairTiles& a, const StepScales& scales, const ColumnTiles& b,
                         const float* sums, float* c, std::int64_t ldc);

// Columns of a product that follows, to be filled.
struct InnerTiles {
    ColumnTiles tiles;
    std::uint16_t* words = nullptr;  // tiles.words
};

// op(A) op(B) as columns of a following product, whose depth these rows are from `row`, a multiple
// of 32, on.
void multiplyIntoTiles(const PairTiles& a, const ColumnTiles& b, std::int64_t row,
                       const InnerTiles& product);

// C (a.rows, n) = alpha A op(B) + beta C for all of op(A), packed over its whole depth.
void multiplyPacked(ThreadPool& pool, const PairTiles& a, Op opB, std::int64_t n, float alpha,
                    const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);

enum class Region { Whole, Upper };  // Upper: blocks that lie below the diagonal are left out

void multiplyOnMatrixUnits(ThreadPool& pool, Region region, Op opA, Op opB, std::int64_t m,
                           std::int64_t n, std::int64_t k, float alpha, const float* a,
                           std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                           std::int64_t ldc, Accuracy accuracy = Accuracy::Float32);

}  // namespace cospadi
