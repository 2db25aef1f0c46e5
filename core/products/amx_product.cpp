#include "core/products/amx_product.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "core/products/amx_kernel.h"
#include "core/products/amx_scaled.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kPackedTogether = 16;      // rows or columns a task
constexpr std::int64_t kColumnWords = 3L << 20U;  // of packed columns at once

}  // namespace

std::uint16_t* TileMemory::atLeast(std::int64_t words) {
    const auto size = static_cast<std::size_t>(words);
    if (size > m_words.size()) {
        m_words = {};  // before there are new ones
        m_words.resize(size);
    }
    return m_words.data();
}

#if defined(__x86_64__)

namespace {

// Clang 14 does not know their names in __builtin_cpu_supports.
bool processorHasMatrixUnits() {
    constexpr unsigned kExtendedFeatures = 7;
    constexpr unsigned kBfloat16 = 1U << 22U;
    constexpr unsigned kTiles = 1U << 24U;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(kExtendedFeatures, 0, &a, &b, &c, &d) != 0 && (d & kBfloat16) != 0 &&
           (d & kTiles) != 0;
}

}  // namespace

std::int64_t tileWords(std::int64_t items, std::int64_t depth, int terms) {
    return ceilDivide(items, amx::kSide) * ceilDivide(depth, amx::kStep) * terms * amx::kTile;
}

std::int64_t columnsAtOnce(std::int64_t columns, std::int64_t depth, int terms) {
    const std::int64_t wordsOfTile = tileWords(1, std::max<std::int64_t>(depth, 1), terms);
    const std::int64_t most = std::max<std::int64_t>(1, kColumnWords / wordsOfTile) * amx::kSide;
    const std::int64_t times = std::max<std::int64_t>(1, ceilDivide(columns, most));
    return ceilDivide(ceilDivide(columns, times), amx::kBlock) * amx::kBlock;
}

bool hasMatrixUnits() {
    static const bool isUsable = [] {
        constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
        constexpr long kTileData = 18;
        return __builtin_cpu_supports("avx512bw") != 0 &&
               __builtin_cpu_supports("avx512vbmi2") != 0 && processorHasMatrixUnits() &&
               syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    }();
    return isUsable;
}

PairTiles packPairTiles(Op op, const float* a, std::int64_t lda, std::int64_t rows,
                        std::int64_t depth, std::uint16_t* to, Accuracy accuracy) {
    const auto pack = accuracy == Accuracy::Step ? amx::packPairs<Accuracy::Step>
                                                 : amx::packPairs<Accuracy::Float32>;
    const bool isBfloat16 = pack(op == Op::Transpose, a, lda, rows, depth, to);
    const int terms = amx::termsOf(accuracy);
    return {to, rows, depth, tileWords(1, depth, terms), terms, isBfloat16, nullptr, accuracy};
}

std::int64_t foldedWords(std::int64_t depth) { return amx::foldOf(depth).tiles * amx::kTile; }

PairTiles foldPairTiles(const PairTiles& a, std::uint16_t* to) {
    PairTiles folded = a;
    folded.folded = to;
    const amx::Fold fold = amx::foldOf(a.depth);
    const std::uint16_t* last = a.words + a.depth / amx::kStep * amx::kTile;
    for (std::int64_t i = 0; i < a.rows && fold.tiles > 0; i += amx::kSide) {
        amx::foldPairs(last + i / amx::kSide * a.toNext, fold, to);
        to += fold.tiles * amx::kTile;
    }
    return folded;
}

ColumnTiles columnTiles(std::int64_t columns, std::int64_t depth, bool folded,
                        const std::uint16_t* words, Accuracy accuracy) {
    const int terms = amx::termsOf(accuracy);
    const std::int64_t whole =
        tileWords(1, folded ? depth / amx::kStep * amx::kStep : depth, terms);
    return {words, columns, depth, folded ? whole + foldedWords(depth) : whole, folded, terms};
}

ColumnTiles packColumnTiles(Op op, const float* b, std::int64_t ldb, std::int64_t columns,
                            std::int64_t depth, std::uint16_t* to, bool folded, Accuracy accuracy) {
    const auto pack = accuracy == Accuracy::Step ? amx::packColumns<Accuracy::Step>
                                                 : amx::packColumns<Accuracy::Float32>;
    pack(op == Op::Transpose, b, ldb, columns, depth, folded, to);
    return columnTiles(columns, depth, folded, to, accuracy);
}

PairTiles packPairTiles(ThreadPool& pool, Op op, const float* a, std::int64_t lda,
                        std::int64_t rows, std::int64_t depth, std::uint16_t* to,
                        Accuracy accuracy) {
    const int terms = amx::termsOf(accuracy);
    std::atomic<bool> isBfloat16{true};
    forColumnRanges(pool, rows, kPackedTogether, [&](std::int64_t first, std::int64_t last) {
        const PairTiles part =
            packPairTiles(op, op == Op::None ? a + first : a + first * lda, lda, last - first,
                          depth, to + tileWords(first, depth, terms), accuracy);
        if (!part.isBfloat16) {
            isBfloat16 = false;
        }
    });
    return {to, rows, depth, tileWords(1, depth, terms), terms, isBfloat16, nullptr, accuracy};
}

ColumnTiles packColumnTiles(ThreadPool& pool, Op op, const float* b, std::int64_t ldb,
                            std::int64_t columns, std::int64_t depth, std::uint16_t* to,
                            bool folded, Accuracy accuracy) {
    const ColumnTiles packed = columnTiles(columns, depth, folded, to, accuracy);
    forColumnRanges(pool, columns, kPackedTogether, [&](std::int64_t first, std::int64_t last) {
        packColumnTiles(op, op == Op::None ? b + first * ldb : b + first, ldb, last - first, depth,
                        to + first / amx::kSide * packed.toNext, folded, accuracy);
    });
    return packed;
}

namespace {

using Product = void (*)(const amx::Depth&, const amx::TilePair&, const amx::TilePair&,
                         const std::uint16_t* ahead, bool begin, const amx::SumTiles&);

// For a block of so many rows and columns.
Product productFor(const PairTiles& a, std::int64_t rows, std::int64_t columns) {
    using amx::Products;
    const auto of = [&]<Products Kind>() {
        static constexpr Product kProducts[2][2] = {
            {amx::multiplyBlock<Kind, 1, 1>, amx::multiplyBlock<Kind, 1, 2>},
            {amx::multiplyBlock<Kind, 2, 1>, amx::multiplyBlock<Kind, 2, 2>}};
        return kProducts[rows > amx::kSide ? 1 : 0][columns > amx::kSide ? 1 : 0];
    };
    if (a.accuracy == Accuracy::Step) {
        return a.isBfloat16 ? of.operator()<Products::OneByTwo>()
                            : of.operator()<Products::TwoByTwo>();
    }
    return a.isBfloat16 ? of.operator()<Products::OneByThree>()
                        : of.operator()<Products::ThreeByThree>();
}

struct BlockOperands {
    amx::Depth depth;
    amx::TilePair left, right;
    const std::uint16_t* ahead;
    Product product;

    void multiply(bool begin, const amx::SumTiles& sums) const {
        product(depth, left, right, ahead, begin, sums);
    }
};

// Calls block(i, j, rows, columns, operands) for all blocks of the product. The columns of a block
// are read once for all rows of `a`, which should stay in L2; each block of rows reads a share of
// the next columns ahead.
template <typename Block>
COSPADI_AMX void forBlocks(const PairTiles& a, const ColumnTiles& b, const Block& block) {
    const bool folded = b.isFolded;
    const std::int64_t steps = folded ? a.depth / amx::kStep : ceilDivide(a.depth, amx::kStep);
    const std::int64_t foldedTile = folded ? foldedWords(a.depth) : 0;
    // Of 16 columns, what this product reads.
    const std::int64_t words = std::max<std::int64_t>(1, steps * b.terms * amx::kTile + foldedTile);
    const amx::TileShapes shapes;
    _tile_loadconfig(&shapes);
    for (std::int64_t j = 0; j < b.columns; j += amx::kBlock) {
        const std::int64_t columns = std::min(amx::kBlock, b.columns - j);
        const amx::TilePair right{b.words + j / amx::kSide * b.toNext, b.toNext, b.terms};
        const bool isLast = j + amx::kBlock >= b.columns;
        const std::uint16_t* next = isLast ? right.first : right.first + 2 * b.toNext;
        for (std::int64_t i = 0; i < a.rows; i += amx::kBlock) {
            const std::int64_t rows = std::min(amx::kBlock, a.rows - i);
            const std::int64_t share = 2 * words * i / a.rows;
            const std::uint16_t* ahead = next + share / words * b.toNext + share % words;
            const std::int64_t tile = i / amx::kSide;
            block(i, j, rows, columns,
                  BlockOperands{
                      {steps, foldedTile / amx::kTile, {a.folded + tile * foldedTile, foldedTile}},
                      {a.words + tile * a.toNext, a.toNext, a.terms},
                      right,
                      ahead,
                      productFor(a, rows, columns)});
        }
    }
    _tile_release();
}

bool isWholeTiles(std::int64_t size) { return size == amx::kSide || size == amx::kBlock; }

}  // namespace

void multiplyTiles(const PairTiles& a, const ColumnTiles& b, float alpha, float beta, float* c,
                   std::int64_t ldc) {
    const bool adds = alpha == 1 && (beta == 0 || beta == 1);
    forBlocks(a, b,
              [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                  const BlockOperands& operands) {
                  float* block = c + i + j * ldc;
                  const bool begins = !adds || beta == 0;
                  if (adds && isWholeTiles(rows) && isWholeTiles(columns)) {
                      amx::ownLines(block, ldc, columns);
                      operands.multiply(begins, amx::SumTiles::of(block, ldc));
                      return;
                  }
                  amx::Sums sums;
                  if (!begins) {
                      amx::readSums(block, ldc, rows, columns, sums);
                  }
                  operands.multiply(begins, amx::SumTiles::of(sums));
                  amx::addSums(sums, rows, columns, alpha, adds ? 0 : beta, block, ldc);
              });
}

std::int64_t paddedColumns(std::int64_t columns) {
    return ceilDivide(columns, amx::kBlock) * amx::kBlock;
}

void sumSteps(ThreadPool& pool, const float* b, std::int64_t ldb, std::int64_t columns,
              std::int64_t depth, float* sums) {
    const std::int64_t toNextStep = paddedColumns(columns);
    const std::int64_t steps = depth / amx::kStep;
    for (std::int64_t step = 0; step < steps; ++step) {  // those that are read beside the last one
        std::fill(sums + step * toNextStep + columns, sums + (step + 1) * toNextStep, 0.0F);
    }
    forColumnRanges(pool, columns, kPackedTogether, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
            for (std::int64_t step = 0; step < steps; ++step) {
                sums[step * toNextStep + j] = Eigen::Map<const Eigen::Array<float, amx::kStep, 1>>(
                                                  b + j * ldb + step * amx::kStep)
                                                  .sum();
            }
        }
    });
}

namespace {

using ScaledProduct = void (*)(std::int64_t steps, const amx::TilePair&, const amx::TilePair&,
                               const StepScales&, const std::uint8_t* at, const float* sums,
                               std::int64_t toNextStep, const std::uint16_t* ahead, amx::Sums&);

ScaledProduct scaledProductFor(std::int64_t rows, std::int64_t columns) {
    static constexpr ScaledProduct kProducts[2][2] = {
        {amx::multiplyScaledBlock<1, 1>, amx::multiplyScaledBlock<1, 2>},
        {amx::multiplyScaledBlock<2, 1>, amx::multiplyScaledBlock<2, 2>}};
    return kProducts[rows > amx::kSide ? 1 : 0][columns > amx::kSide ? 1 : 0];
}

}  // namespace

void multiplyScaledTiles(const PairTiles& a, const StepScales& scales, const ColumnTiles& b,
                         const float* sums, float* c, std::int64_t ldc) {
    const std::int64_t toNextStep = paddedColumns(b.columns);
    forBlocks(a, b,
              [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                  const BlockOperands& operands) {
                  if (isWholeTiles(rows)) {
                      amx::ownLines(c + i + j * ldc, ldc, columns);
                  }
                  amx::Sums total;
                  scaledProductFor(rows, columns)(operands.depth.steps, operands.left,
                                                  operands.right, scales,
                                                  scales.first + i / amx::kSide * scales.toNextTile,
                                                  sums + j, toNextStep, operands.ahead, total);
                  amx::addSums(total, rows, columns, 1, 0, c + i + j * ldc, ldc);
              });
}

void multiplyIntoTiles(const PairTiles& a, const ColumnTiles& b, std::int64_t row,
                       const InnerTiles& product) {
    const ColumnTiles& tiles = product.tiles;
    forBlocks(a, b,
              [&](std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                  const BlockOperands& operands) {
                  amx::Sums sums;
                  operands.multiply(true, amx::SumTiles::of(sums));
                  const std::int64_t step = (row + i) / amx::kStep;
                  const bool isLast = tiles.isFolded && step == tiles.depth / amx::kStep;
                  (rows > amx::kSide
                       ? amx::packSums<2>
                       : amx::packSums<1>)(sums, columns > amx::kSide ? 2 : 1,
                                           isLast ? amx::foldOf(tiles.depth) : amx::Fold{},
                                           tiles.toNext,
                                           product.words + j / amx::kSide * tiles.toNext +
                                               step * amx::kTerms * amx::kTile);
              });
}

#else  // never called: there are no matrix units

bool hasMatrixUnits() { return false; }
std::int64_t tileWords(std::int64_t, std::int64_t, int) { return 0; }
std::int64_t foldedWords(std::int64_t) { return 0; }
std::int64_t columnsAtOnce(std::int64_t, std::int64_t, int) { return 1; }
PairTiles packPairTiles(Op, const float*, std::int64_t, std::int64_t, std::int64_t, std::uint16_t*,
                        Accuracy) {
    return {};
}
PairTiles packPairTiles(ThreadPool&, Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                        std::uint16_t*, Accuracy) {
    return {};
}
ColumnTiles packColumnTiles(Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                            std::uint16_t*, bool, Accuracy) {
    return {};
}
ColumnTiles packColumnTiles(ThreadPool&, Op, const float*, std::int64_t, std::int64_t, std::int64_t,
                            std::uint16_t*, bool, Accuracy) {
    return {};
}
PairTiles foldPairTiles(const PairTiles&, std::uint16_t*) { return {}; }
ColumnTiles columnTiles(std::int64_t, std::int64_t, bool, const std::uint16_t*, Accuracy) {
    return {};
}
void multiplyTiles(const PairTiles&, const ColumnTiles&, float, float, float*, std::int64_t) {}
std::int64_t paddedColumns(std::int64_t columns) { return columns; }
void sumSteps(ThreadPool&, const float*, std::int64_t, std::int64_t, std::int64_t, float*) {}
void multiplyScaledTiles(const PairTiles&, const StepScales&, const ColumnTiles&, const float*,
                         float*, std::int64_t) {}
void multiplyIntoTiles(const PairTiles&, const ColumnTiles&, std::int64_t, const InnerTiles&) {}

#endif

}  // namespace cospadi
