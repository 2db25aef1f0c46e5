#include "core/packed/packed_products.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/packed/quantised_kernels.h"
#include "core/products/amx_product.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kUnpackedColumns = 96;  // of a matrix at a time: they stay in a core's cache
constexpr std::int64_t kUnpackedForUnits = 384;  // which read X faster than it comes from memory
constexpr std::int64_t kDirectGroups = 8;        // read for all tokens while they are in the cache
constexpr std::int64_t kDirectTokens = 32;       // more than these are worth unpacking for
constexpr std::int64_t kDirectTokensBesideUnits = 6;
constexpr std::int64_t kRowsAPart = 4096;  // of the result of few tokens

using Products = std::span<const PackedProduct>;
using Activations = Eigen::Ref<const Eigen::MatrixXf>;
// One factor of every product; null where it has none.
using Factors = std::vector<const PackedMatrix*>;

std::int64_t resultRows(const PackedProduct& product) {
    return (product.b != nullptr ? product.b : product.a)->cols();
}

Factors factorsOf(Products products, const PackedMatrix* PackedProduct::*factor) {
    Factors factors;
    for (const PackedProduct& product : products) {
        factors.push_back(product.*factor);
    }
    return factors;
}

// Which product's AᵀX each one takes: that of the first that has the same A and a B.
std::vector<std::size_t> innerSources(Products products) {
    std::vector<std::size_t> sources(products.size());
    for (std::size_t i = 0; i < products.size(); ++i) {
        const auto same =
            std::find_if(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const PackedProduct& earlier) {
                             return products[i].b != nullptr && earlier.b != nullptr &&
                                    earlier.a == products[i].a;
                         });
        sources[i] = static_cast<std::size_t>(same - products.begin());
    }
    return sources;
}

// A of every product that computes AᵀX.
Factors firstFactorsOf(Products products, const std::vector<std::size_t>& sources) {
    Factors factors = factorsOf(products, &PackedProduct::a);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        factors[i] = sources[i] == i ? factors[i] : nullptr;
    }
    return factors;
}

// Where columns of the last factor are computed for tokens t … t + count − 1: calls
// body(y, ldy), and passes on what that wrote where the product keeps no Y.
template <typename Body>
void intoResult(const PackedProduct& product, std::int64_t first, std::int64_t columns,
                std::int64_t t, std::int64_t count, const Body& body) {
    if (product.y != nullptr) {
        body(&product.y->coeffRef(first, t), product.y->rows());
        return;
    }
    // Whole lines, so that tiles of sums are stored where they are made.
    const std::int64_t rows = ceilDivide(columns, kPackedColumns) * kPackedColumns;
    thread_local AlignedVector<float> part;  // grown, never shrunk
    part.resize(std::max(part.size(), static_cast<std::size_t>(rows * count)));
    body(part.data(), rows);
    using Part = Eigen::Map<const Eigen::MatrixXf, Eigen::Unaligned, Eigen::OuterStride<>>;
    (*product.use)(first, t, Part(part.data(), columns, count, Eigen::OuterStride<>(rows)));
}

// ---- few tokens, in registers

// y[t · ldy + c] = Σ_i A(i, c) x[t · rows + i], rows filled up with zeros.
struct DirectProduct {
    PackedGroups a;
    const float* x;
    float* y;
    std::int64_t ldy;

    std::int64_t lines() const { return a.groups() * a.lines(); }
};

// One stretch of memory for each thread reads best.
void multiplyDirectly(ThreadPool& pool, PackedInstructions instructions, std::int64_t tokens,
                      const std::vector<DirectProduct>& products) {
    const std::int64_t shares = pool.threadCount();
    const std::int64_t lines = std::accumulate(
        products.begin(), products.end(), std::int64_t{0},
        [](std::int64_t sum, const DirectProduct& product) { return sum + product.lines(); });
    pool.run(shares, [&](std::int64_t share) {
        std::int64_t before = 0;  // lines of earlier products
        for (const DirectProduct& p : products) {
            // The group at which a share begins, if it does here.
            const auto edge = [&](std::int64_t i) {
                const std::int64_t line = lines * i / shares - before + p.a.lines() / 2;
                return std::clamp<std::int64_t>(line / p.a.lines(), 0, p.a.groups());
            };
            const std::int64_t first = edge(share);
            const std::int64_t last = edge(share + 1);
            for (std::int64_t group = first; group < last; group += kDirectGroups) {
                const std::int64_t end = std::min(last, group + kDirectGroups);
                packedDot(instructions, p.a, group, end, p.x, tokens, p.y, p.ldy);
            }
            before += p.lines();
        }
    });
}

void multiplyFew(ThreadPool& pool, Products products, const Activations& X,
                 PackedInstructions instructions) {
    const std::int64_t tokens = X.cols();
    const std::int64_t rows = ceilDivide(X.rows(), kPackedRows) * kPackedRows;
    AlignedVector<float> x(static_cast<std::size_t>(rows * tokens), 0.0F);
    for (std::int64_t t = 0; t < tokens; ++t) {
        std::copy_n(&X.coeffRef(0, t), X.rows(), x.data() + t * rows);
    }
    std::vector<AlignedVector<float>> inner(products.size());
    const std::vector<std::size_t> sources = innerSources(products);
    std::vector<DirectProduct> first;
    std::vector<DirectProduct> second;
    for (std::size_t i = 0; i < products.size(); ++i) {
        const PackedMatrix* a = products[i].a;
        const PackedMatrix* b = products[i].b;
        Eigen::MatrixXf* y = products[i].y;
        if (b == nullptr) {
            first.push_back({a->groups(), x.data(), y->data(), y->rows()});
            continue;
        }
        const PackedGroups codes = b->groups();
        if (sources[i] == i) {
            inner[i].resize(static_cast<std::size_t>(codes.rows() * tokens), 0.0F);
            first.push_back({a->groups(), x.data(), inner[i].data(), codes.rows()});
        }
        second.push_back({codes, inner[sources[i]].data(), y->data(), y->rows()});
    }
    multiplyDirectly(pool, instructions, tokens, first);
    multiplyDirectly(pool, instructions, tokens, second);
}

// The same, where results may be passed on; whole ones of few tokens are small.
void multiplyFewOrPass(ThreadPool& pool, std::vector<PackedProduct> products, const Activations& X,
                       PackedInstructions instructions) {
    std::deque<Eigen::MatrixXf> passed;
    for (PackedProduct& product : products) {
        if (product.y == nullptr) {
            product.y = &passed.emplace_back(resultRows(product), X.cols());
        }
    }
    multiplyFew(pool, products, X, instructions);
    for (const PackedProduct& product : products) {
        if (product.use != nullptr) {
            forEvenRanges(pool, {product.y->rows(), kPackedColumns, kRowsAPart},
                          [&](std::int64_t first, std::int64_t last) {
                              (*product.use)(first, 0, product.y->middleRows(first, last - first));
                          });
        }
    }
}

// ---- many tokens

// Calls body(product, first, last, columns) for groups of all factors, at most so many columns of
// one, that stay in a core's cache unpacked. In pairs of groups: matrix units work on two tiles at
// once.
template <typename Body>
void forUnpackable(ThreadPool& pool, const Factors& factors, std::int64_t most, const Body& body) {
    struct Stretch {
        std::size_t product;
        std::int64_t first, last;  // columns
    };
    std::vector<Stretch> stretches;
    for (std::size_t product = 0; product < factors.size(); ++product) {
        if (factors[product] == nullptr) {
            continue;
        }
        const EvenRanges ranges{factors[product]->cols(), 2 * kPackedColumns, most};
        for (std::int64_t i = 0; i < ranges.count(); ++i) {
            stretches.push_back({product, ranges.edge(i), ranges.edge(i + 1)});
        }
    }
    pool.run(static_cast<std::int64_t>(stretches.size()), [&](std::int64_t task) {
        const auto& [product, first, last] = stretches[static_cast<std::size_t>(task)];
        body(product, first / kPackedColumns, ceilDivide(last, kPackedColumns), last - first);
    });
}

// Y = AᵀX for one factor of each product; x gives a product's X, result(product, first, columns,
// body) calls body(y, ldy) with where these columns go.
template <typename InputOf, typename IntoResult>
void multiplyUnpacked(ThreadPool& pool, PackedInstructions instructions, const Factors& factors,
                      const InputOf& x, const IntoResult& result) {
    forUnpackable(
        pool, factors, kUnpackedColumns,
        [&](std::size_t product, std::int64_t first, std::int64_t last, std::int64_t columns) {
            const PackedGroups a = factors[product]->groups();
            const Activations& X = x(product);
            thread_local std::vector<float> tile;  // grown, never shrunk
            tile.resize(
                std::max(tile.size(), static_cast<std::size_t>(a.rows() * kUnpackedColumns)));
            unpack(instructions, a, first, last, tile.data());
            result(product, first * kPackedColumns, columns, [&](float* y, std::int64_t ldy) {
                multiplyBlock(Op::None, Op::None, columns, X.cols(), X.rows(), 1, tile.data(),
                              (last - first) * kPackedColumns, X.data(), X.outerStride(), 0, y, ldy,
                              ProductKernel::OpenBlas);
            });
        });
}

void multiplyMany(ThreadPool& pool, Products products, const Activations& X,
                  PackedInstructions instructions) {
    std::vector<Eigen::MatrixXf> inner(products.size());
    const std::vector<std::size_t> sources = innerSources(products);
    for (std::size_t i = 0; i < products.size(); ++i) {
        if (products[i].b != nullptr && sources[i] == i) {
            inner[i].resize(products[i].b->rows(), X.cols());
        }
    }
    const auto result = [&](std::size_t i, std::int64_t first, std::int64_t columns,
                            const auto& body) {
        intoResult(products[i], first, columns, 0, X.cols(), body);
    };
    multiplyUnpacked(
        pool, instructions, firstFactorsOf(products, sources),
        [&](std::size_t) -> const Activations& { return X; },
        [&](std::size_t i, std::int64_t first, std::int64_t columns, const auto& body) {
            if (products[i].b != nullptr) {
                body(inner[i].data() + first, inner[i].rows());
            } else {
                result(i, first, columns, body);
            }
        });
    multiplyUnpacked(
        pool, instructions, factorsOf(products, &PackedProduct::b),
        [&](std::size_t i) -> Activations { return inner[sources[i]]; }, result);
}

// ---- many tokens, on matrix units

// Calls body(product, column, tiles) for columns of all factors as matrix units want them.
template <typename Body>
void forTiles(ThreadPool& pool, const Factors& factors, const Body& body) {
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

void multiplyOnUnits(ThreadPool& pool, Products products, const Activations& X) {
    const std::vector<std::size_t> sources = innerSources(products);
    const Factors firstFactors = firstFactorsOf(products, sources);
    const Factors secondFactors = factorsOf(products, &PackedProduct::b);
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

// Of blocks in few bits: codes are multiplied, then scaled.
void multiplyQuantisedOnUnits(ThreadPool& pool, Products products, const Activations& X) {
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
                                        hasMinima(a.codeBits)};
                intoResult(products[product], first * kPackedColumns, columns, t, count,
                           [&](float* y, std::int64_t ldy) {
                               multiplyScaledTiles(
                                   {words, columns, a.rows(), groupWords, 1, true, nullptr}, scales,
                                   tokens, stepSums, y, ldy);
                           });
            });
    }
}

}  // namespace

void multiplyTransposed(ThreadPool& pool, std::span<const PackedProduct> products,
                        const Eigen::Ref<const Eigen::MatrixXf>& X,
                        PackedInstructions instructions) {
    if (products.empty()) {
        return;
    }
    for (const PackedProduct& product : products) {
        if (product.y != nullptr) {
            product.y->resize(resultRows(product), X.cols());
        }
    }
    const bool hasUnits = bestProductKernel() == ProductKernel::MatrixUnits &&
                          instructions == PackedInstructions::Avx512;
    std::vector<PackedProduct> onUnits;
    std::vector<PackedProduct> quantised;
    std::vector<PackedProduct> onCores;
    for (const PackedProduct& product : products) {
        const bool isQuantised = product.a->isQuantised();
        const bool isOnUnits =
            hasUnits && X.cols() > (isQuantised ? kDirectTokens : kDirectTokensBesideUnits);
        (!isOnUnits ? onCores : isQuantised ? quantised : onUnits).push_back(product);
    }
    if (!onUnits.empty()) {
        multiplyOnUnits(pool, onUnits, X);
    }
    if (!quantised.empty()) {
        multiplyQuantisedOnUnits(pool, quantised, X);
    }
    if (!onCores.empty()) {
        X.cols() <= kDirectTokens ? multiplyFewOrPass(pool, std::move(onCores), X, instructions)
                                  : multiplyMany(pool, onCores, X, instructions);
    }
}

}  // namespace cospadi
