#include "core/linalg/amx_product.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "core/linalg/amx_tiles.h"
#include "core/linalg/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kPackedTogether = 16;       // rows or columns a task
constexpr std::int64_t kStepsAtOnce = 5;           // of two tiles of columns, in L1
constexpr std::int64_t kBlockRows = 192;           // of A, packed at a time
constexpr std::int64_t kBlocksOfSums = 6;          // that share these columns
constexpr std::int64_t kChunkDepth = 960;          // of a block of A, packed, in L2
constexpr std::int64_t kColumnWords = 16L << 20U;  // of packed columns at once

}  // namespace

std::uint16_t* TileMemory::atLeast(std::int64_t words) {
    constexpr std::align_val_t kPage{4096};
    if (words > m_size) {
        m_words.reset();
        m_words = {static_cast<std::uint16_t*>(::operator new(
                       static_cast<std::size_t>(words) * sizeof(std::uint16_t), kPage)),
                   [](std::uint16_t* p) { ::operator delete(p, kPage); }};
        m_size = words;
    }
    return m_words.get();
}

#if defined(__x86_64__)

std::int64_t tileWords(std::int64_t items, std::int64_t depth, int terms) {
    return ceilDivide(items, amx::kSide) * ceilDivide(depth, amx::kStep) * terms * amx::kTile;
}

std::int64_t columnsAtOnce(std::int64_t depth) {
    const std::int64_t wordsOfTile = tileWords(1, std::max<std::int64_t>(depth, 1));
    return std::max<std::int64_t>(1, kColumnWords / wordsOfTile) * amx::kSide;
}

bool hasMatrixUnits() {
    static const bool isUsable = [] {
        constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
        constexpr long kTileData = 18;
        return __builtin_cpu_supports("avx512bw") != 0 &&
               __builtin_cpu_supports("avx512vbmi2") != 0 &&
               __builtin_cpu_supports("amx-tile") != 0 && __builtin_cpu_supports("amx-bf16") != 0 &&
               syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    }();
    return isUsable;
}

PairTiles packPairTiles(Op op, const float* a, std::int64_t lda, std::int64_t rows,
                        std::int64_t depth, std::uint16_t* to) {
    const bool isBfloat16 = amx::packPairs(op == Op::Transpose, a, lda, rows, depth, to);
    return {to, rows, depth, tileWords(1, depth), amx::kTerms, isBfloat16};
}

ColumnTiles packColumnTiles(Op op, const float* b, std::int64_t ldb, std::int64_t columns,
                            std::int64_t depth, std::uint16_t* to) {
    amx::packColumns(op == Op::Transpose, b, ldb, columns, depth, to);
    return {to, columns, depth, tileWords(1, depth)};
}

PairTiles packPairTiles(ThreadPool& pool, Op op, const float* a, std::int64_t lda,
                        std::int64_t rows, std::int64_t depth, std::uint16_t* to) {
    std::atomic<bool> isBfloat16{true};
    forColumnRanges(pool, rows, kPackedTogether, [&](std::int64_t first, std::int64_t last) {
        const PairTiles part = packPairTiles(op, op == Op::None ? a + first : a + first * lda, lda,
                                             last - first, depth, to + tileWords(first, depth));
        if (!part.isBfloat16) {
            isBfloat16 = false;
        }
    });
    return {to, rows, depth, tileWords(1, depth), amx::kTerms, isBfloat16};
}

ColumnTiles packColumnTiles(ThreadPool& pool, Op op, const float* b, std::int64_t ldb,
                            std::int64_t columns, std::int64_t depth, std::uint16_t* to) {
    forColumnRanges(pool, columns, kPackedTogether, [&](std::int64_t first, std::int64_t last) {
        packColumnTiles(op, op == Op::None ? b + first * ldb : b + first, ldb, last - first, depth,
                        to + tileWords(first, depth));
    });
    return {to, columns, depth, tileWords(1, depth)};
}

COSPADI_AMX void multiplyTiles(const PairTiles& a, const ColumnTiles& b, float alpha, float beta,
                               float* c, std::int64_t ldc) {
    constexpr std::int64_t kBlock = 2 * amx::kSide;
    using Product = void (*)(std::int64_t, std::int64_t, const amx::TilePair&, const amx::TilePair&,
                             amx::Sums&);
    static constexpr Product kProducts[2][2][2] = {
        {{amx::multiplyTiles<true, 1, 1>, amx::multiplyTiles<true, 1, 2>},
         {amx::multiplyTiles<true, 2, 1>, amx::multiplyTiles<true, 2, 2>}},
        {{amx::multiplyTiles<false, 1, 1>, amx::multiplyTiles<false, 1, 2>},
         {amx::multiplyTiles<false, 2, 1>, amx::multiplyTiles<false, 2, 2>}}};
    const std::int64_t steps = ceilDivide(a.depth, amx::kStep);
    std::array<amx::Sums, kBlocksOfSums> sums;
    const amx::TileShapes shapes;
    _tile_loadconfig(&shapes);
    for (std::int64_t i0 = 0; i0 < a.rows; i0 += kBlocksOfSums * kBlock) {
        const std::int64_t rows = std::min(kBlocksOfSums * kBlock, a.rows - i0);
        for (std::int64_t j = 0; j < b.columns; j += kBlock) {
            const std::int64_t width = std::min(kBlock, b.columns - j);
            const amx::TilePair columns{b.words + j / amx::kSide * b.toNext, b.toNext};
            for (std::int64_t step = 0; step == 0 || step < steps; step += kStepsAtOnce) {
                const std::int64_t last = std::min(steps, step + kStepsAtOnce);
                for (std::int64_t i = 0; i < rows; i += kBlock) {
                    const amx::TilePair pairs{a.words + (i0 + i) / amx::kSide * a.toNext, a.toNext,
                                              a.terms};
                    kProducts[a.isBfloat16 ? 1 : 0][rows - i > amx::kSide ? 1 : 0]
                             [width > amx::kSide ? 1 : 0](
                                 step, last, pairs, columns,
                                 sums[static_cast<std::size_t>(i / kBlock)]);
                }
            }
            for (std::int64_t i = 0; i < rows; i += kBlock) {
                amx::addSums(sums[static_cast<std::size_t>(i / kBlock)], std::min(kBlock, rows - i),
                             width, alpha, beta, c + i0 + i + j * ldc, ldc);
            }
        }
    }
    _tile_release();
}

void multiplyOnMatrixUnits(ThreadPool& pool, Region region, Op opA, Op opB, std::int64_t m,
                           std::int64_t n, std::int64_t k, float alpha, const float* a,
                           std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                           std::int64_t ldc) {
    thread_local TileMemory columnMemory;
    for (std::int64_t j = 0; j < n; j += columnsAtOnce(k)) {
        const std::int64_t columns = std::min(columnsAtOnce(k), n - j);
        const ColumnTiles right =
            packColumnTiles(pool, opB, opB == Op::None ? b + j * ldb : b + j, ldb, columns, k,
                            columnMemory.atLeast(tileWords(columns, k)));
        forEvenRanges(
            pool, m, 2 * amx::kSide, kBlockRows, [&](std::int64_t first, std::int64_t last) {
                thread_local TileMemory pairMemory;
                const std::int64_t rows = last - first;
                // Columns that end above the first row of this block.
                const std::int64_t skipped =
                    region == Region::Upper
                        ? std::clamp<std::int64_t>(first - j, 0, columns) / amx::kSide * amx::kSide
                        : 0;
                if (skipped == columns) {
                    return;
                }
                for (std::int64_t p = 0; p < std::max<std::int64_t>(k, 1); p += kChunkDepth) {
                    const std::int64_t depth = std::min(kChunkDepth, k - p);
                    const PairTiles left = packPairTiles(
                        opA, opA == Op::None ? a + first + p * lda : a + first * lda + p, lda, rows,
                        depth, pairMemory.atLeast(tileWords(rows, depth)));
                    const ColumnTiles part{right.words + tileWords(skipped, k) +
                                               p / amx::kStep * amx::kTerms * amx::kTile,
                                           columns - skipped, depth, right.toNext};
                    multiplyTiles(left, part, alpha, p == 0 ? beta : 1,
                                  c + first + (j + skipped) * ldc, ldc);
                }
            });
    }
}

#else  // never called: there are no matrix units

bool hasMatrixUnits() { return false; }
std::int64_t tileWords(std::int64_t, std::int64_t, int) { return 0; }
std::int64_t columnsAtOnce(std::int64_t) { return 1; }
PairTiles packPairTiles(Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                        std::uint16_t*) {
    return {};
}
PairTiles packPairTiles(ThreadPool&, Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                        std::uint16_t*) {
    return {};
}
ColumnTiles packColumnTiles(Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                            std::uint16_t*) {
    return {};
}
ColumnTiles packColumnTiles(ThreadPool&, Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                            std::uint16_t*) {
    return {};
}
void multiplyTiles(const PairTiles&, const ColumnTiles&, float, float, float*, std::int64_t) {}
void multiplyOnMatrixUnits(ThreadPool&, Region, Op, Op, std::int64_t, std::int64_t, std::int64_t,
                           float, const float*, std::int64_t, const float*, std::int64_t, float,
                           float*, std::int64_t) {}

#endif

}  // namespace cospadi
