// Whole products on matrix units: pieces of columns and of the depth that stay in the caches.
#include <algorithm>

#include "core/products/amx_product.h"
#include "core/products/column_tasks.h"

#if defined(__x86_64__)
#include "core/products/amx_tiles.h"
#endif

namespace cospadi {

#if defined(__x86_64__)

namespace {

constexpr std::int64_t kBlockRows = 192;   // of A, packed at a time
constexpr std::int64_t kChunkDepth = 960;  // of a block of A, packed, in L2
// Deeper products are made in pieces: fewer columns than these leave room for would meet all rows,
// packed anew, more often.
constexpr std::int64_t kPieceDepth = 2 * kChunkDepth;

// Some columns of C and a stretch of the depth: what of both is packed at once.
struct Piece {
    std::int64_t column = 0;
    std::int64_t top = 0;  // of the depth
    ColumnTiles right;
    float alpha = 1, beta = 0;  // beta as for the whole product
};

// left(first, rows, p, depth): the tiles of a stretch of op(A).
template <typename Left>
void multiplyPiece(ThreadPool& pool, Region region, std::int64_t m, const Piece& piece, float* c,
                   std::int64_t ldc, const Left& left) {
    const ColumnTiles& right = piece.right;
    forEvenRanges(pool, {m, amx::kBlock, kBlockRows}, [&](std::int64_t first, std::int64_t last) {
        // Columns that end above the first row of this block.
        const std::int64_t skipped =
            region == Region::Upper
                ? std::clamp<std::int64_t>(first - piece.column, 0, right.columns) / amx::kSide *
                      amx::kSide
                : 0;
        if (skipped == right.columns) {
            return;
        }
        float* block = c + first + (piece.column + skipped) * ldc;
        for (std::int64_t p = 0; p < std::max<std::int64_t>(right.depth, 1); p += kChunkDepth) {
            ColumnTiles part = right;
            part.words +=
                skipped / amx::kSide * right.toNext + p / amx::kStep * right.terms * amx::kTile;
            part.columns = right.columns - skipped;
            part.depth = std::min(kChunkDepth, right.depth - p);
            multiplyTiles(left(first, last - first, piece.top + p, part.depth), part, piece.alpha,
                          piece.top + p == 0 ? piece.beta : 1, block, ldc);
        }
    });
}

template <typename Left>
void multiplyInPieces(ThreadPool& pool, Region region, Op opB, std::int64_t m, std::int64_t n,
                      std::int64_t k, float alpha, const float* b, std::int64_t ldb, float beta,
                      float* c, std::int64_t ldc, Accuracy accuracy, const Left& left) {
    const int terms = amx::termsOf(accuracy);
    thread_local TileMemory memory;
    for (std::int64_t top = 0; top < std::max<std::int64_t>(k, 1); top += kPieceDepth) {
        const std::int64_t depth = std::min(kPieceDepth, k - top);
        const std::int64_t atOnce = columnsAtOnce(n, depth, terms);
        for (std::int64_t j = 0; j < n; j += atOnce) {
            const std::int64_t columns = std::min(atOnce, n - j);
            const float* corner = opB == Op::None ? b + j * ldb + top : b + j + top * ldb;
            const ColumnTiles right =
                packColumnTiles(pool, opB, corner, ldb, columns, depth,
                                memory.atLeast(tileWords(columns, depth, terms)), false, accuracy);
            multiplyPiece(pool, region, m, {j, top, right, alpha, beta}, c, ldc, left);
        }
    }
}

}  // namespace

void multiplyPacked(ThreadPool& pool, const PairTiles& a, Op opB, std::int64_t n, float alpha,
                    const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
    multiplyInPieces(
        pool, Region::Whole, opB, a.rows, n, a.depth, alpha, b, ldb, beta, c, ldc, a.accuracy,
        [&](std::int64_t first, std::int64_t rows, std::int64_t p, std::int64_t depth) {
            PairTiles part = a;
            part.words += first / amx::kSide * a.toNext + p / amx::kStep * a.terms * amx::kTile;
            part.rows = rows;
            part.depth = depth;
            return part;
        });
}

void multiplyOnMatrixUnits(ThreadPool& pool, Region region, Op opA, Op opB, std::int64_t m,
                           std::int64_t n, std::int64_t k, float alpha, const float* a,
                           std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                           std::int64_t ldc, Accuracy accuracy) {
    multiplyInPieces(
        pool, region, opB, m, n, k, alpha, b, ldb, beta, c, ldc, accuracy,
        [&](std::int64_t first, std::int64_t rows, std::int64_t p, std::int64_t depth) {
            thread_local TileMemory pairMemory;
            return packPairTiles(opA, opA == Op::None ? a + first + p * lda : a + first * lda + p,
                                 lda, rows, depth, pairMemory.atLeast(tileWords(rows, depth)),
                                 accuracy);
        });
}

#else  // never called: there are no matrix units

void multiplyPacked(ThreadPool&, const PairTiles&, Op, std::int64_t, float, const float*,
                    std::int64_t, float, float*, std::int64_t) {}
void multiplyOnMatrixUnits(ThreadPool&, Region, Op, Op, std::int64_t, std::int64_t, std::int64_t,
                           float, const float*, std::int64_t, const float*, std::int64_t, float,
                           float*, std::int64_t, Accuracy) {}

#endif

}  // namespace cospadi
