#include "core/packed/packed_products.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/aligned_vector.h"
#include "core/packed/product_parts.h"
#include "core/packed/unit_products.h"
#include "core/products/block_product.h"

namespace cospadi {

namespace {

constexpr std::int64_t kDirectGroups = 8;   // read for all tokens while they are in the cache
constexpr std::int64_t kDirectTokens = 32;  // more than these are worth unpacking for
constexpr std::int64_t kDirectTokensBesideUnits = 6;
constexpr std::int64_t kRowsAPart = 4096;  // of the result of few tokens

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

void multiplyFew(ThreadPool& pool, PackedProducts products, const Activations& X,
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

// Y = AᵀX for one factor of each product; x gives a product's X, result(product, first, columns,
// body) calls body(y, ldy) with where these columns go.
template <typename InputOf, typename IntoResult>
void multiplyUnpacked(ThreadPool& pool, PackedInstructions instructions,
                      const PackedFactors& factors, const InputOf& x, const IntoResult& result) {
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

void multiplyMany(ThreadPool& pool, PackedProducts products, const Activations& X,
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
