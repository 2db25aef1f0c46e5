#include "core/packed/unit_products.h"

#include <algorithm>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/packed/quantised_kernels.h"
#include "core/products/amx_product.h"

namespace cospadi {

namespace {

constexpr std::int64_t kUnpackedForUnits = 384;  // which read X faster than it comes from memory

// Calls body(product, column, tiles) for columns of all factors as matrix units want them.
template <typename Body>
void forTiles(ThreadPool& pool, const PackedFactors& factors, const Body& body) {
    forUnpackable(
        pool, factors, kUnpackedColumns,
        [&](std::size_t product, std::int64_t first, std::int64_t last, std::int64_t columns) {
            const PackedGroups a = factors[product]->groups();
            const std::int64_t groupWords = a.lines() * kPackedEntries;
            thread_local TileMemory memory;
            thread_local TileMemory foldedMemory;
            const std::uint16_t* words = a.values + first * groupWords;  // as they lie
            if (a.mask != nullptr || a.places != nullptr || a.bytes.values != nullptr) {
                std::uint16_t* unpackedWords = memory.atLeast((last - first) * groupWords);
                unpackPairs(a, first, last, unpackedWords);
                words = unpackedWords;
            }
            const std::int64_t depth = factors[product]->rows();
            const PairTiles tiles{words, columns, depth, groupWords, 1, true, nullptr};
            body(product, first * kPackedColumns,
                 foldPairTiles(tiles, foldedMemory.atLeast((last - first) * foldedWords(depth))));
        });
}

// Columns first … first + count − 1 of X; the memory is the calling thread's.
ColumnTiles tokenTiles(ThreadPool& pool, const Activations& X, std::int64_t first,
                       std::int64_t count, bool folded) {
    thread_local TileMemory memory;
    return packColumnTiles(pool, Op::None, &X.coeffRef(0, first), X.outerStride(), count, X.rows(),
                           memory.atLeast(tileWords(count, X.rows())), folded);
}

}  // namespace

void multiplyOnUnits(ThreadPool& pool, PackedProducts products, const Activations& X) {
    const std::vector<std::size_t> sources = innerSources(products);
    const PackedFactors firstFactors = firstFactorsOf(products, sources);
    const PackedFactors secondFactors = factorsOf(products, &PackedProduct::b);
    const auto hasInner = [&](std::size_t i) {
        return firstFactors[i] != nullptr && secondFactors[i] != nullptr;
    };
    std::int64_t innerDepth = 0;
    for (std::size_t i = 0; i < products.size(); ++i) {
        innerDepth +=
            hasInner(i) ? ceilDivide(secondFactors[i]->rows(), kPackedRows) * kPackedRows : 0;
    }
    thread_local TileMemory innerMemory;
    const std::int64_t atOnce =
        columnsAtOnce(X.cols(), std::max<std::int64_t>(X.rows(), innerDepth));
    for (std::int64_t t = 0; t < X.cols(); t += atOnce) {
        const std::int64_t count = std::min<std::int64_t>(atOnce, X.cols() - t);
        const ColumnTiles tokens = tokenTiles(pool, X, t, count, true);
        std::uint16_t* words = innerMemory.atLeast(tileWords(count, innerDepth));
        std::vector<InnerTiles> inner(products.size());
        for (std::size_t i = 0; i < products.size(); ++i) {
            if (hasInner(i)) {
                const std::int64_t depth = secondFactors[i]->rows();
                inner[i] = {columnTiles(count, depth, true, words), words};
                words += tileWords(count, depth);
            }
        }
        const auto multiply = [&](std::size_t product, std::int64_t column, const PairTiles& tiles,
                                  const ColumnTiles& x) {
            intoResult(products[product], column, tiles.rows, t, count,
                       [&](float* y, std::int64_t ldy) { multiplyTiles(tiles, x, 1, 0, y, ldy); });
        };
        forTiles(pool, firstFactors,
                 [&](std::size_t product, std::int64_t column, const PairTiles& tiles) {
                     if (secondFactors[product] == nullptr) {
                         multiply(product, column, tiles, tokens);
                     } else {
                         multiplyIntoTiles(tiles, tokens, column, inner[product]);
                     }
                 });
        forTiles(pool, secondFactors,
                 [&](std::size_t product, std::int64_t column, const PairTiles& tiles) {
                     multiply(product, column, tiles, inner[sources[product]].tiles);
                 });
    }
}

void multiplyQuantisedOnUnits(ThreadPool& pool, PackedProducts products, const Activations& X) {
    thread_local AlignedVector<float> sums;
    const std::int64_t steps = X.rows() / kPackedRows;
    const std::int64_t atOnce = columnsAtOnce(X.cols(), X.rows());
    for (std::int64_t t = 0; t < X.cols(); t += atOnce) {
        const std::int64_t count = std::min<std::int64_t>(atOnce, X.cols() - t);
        const ColumnTiles tokens = tokenTiles(pool, X, t, count, false);
        sums.resize(std::max(sums.size(), static_cast<std::size_t>(steps * paddedColumns(count))));
        sumSteps(pool, &X.coeffRef(0, t), X.outerStride(), count, X.rows(), sums.data());
        const float* stepSums = sums.data();  // this thread's
        forUnpackable(
            pool, factorsOf(products, &PackedProduct::a), kUnpackedForUnits,
            [&](std::size_t product, std::int64_t first, std::int64_t last, std::int64_t columns) {
                const PackedGroups a = products[product].a->groups();
                const std::int64_t groupWords = tileWords(1, a.rows(), 1);
                thread_local TileMemory memory;
                std::uint16_t* words = memory.atLeast((last - first) * groupWords);
                quantisedPairs(a, first, last, words);
                const StepScales scales{a.stepOf(first, 0), a.stepBytes, a.steps * a.stepBytes,
                                        hasMinima(a.codes),
                                        static_cast<float>(codeOffset(a.codes))};
                intoResult(products[product], first * kPackedColumns, columns, t, count,
                           [&](float* y, std::int64_t ldy) {
                               multiplyScaledTiles(
                                   {words, columns, a.rows(), groupWords, 1, true, nullptr}, scales,
                                   tokens, stepSums, y, ldy);
                           });
            });
    }
}

}  // namespace cospadi
