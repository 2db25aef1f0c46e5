#include "core/model/forward.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/model/attention.h"
#include "core/model/device_products.h"
#include "core/model/float_kernels.h"
#include "core/model/rotary_table.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;
using ConstRef = Eigen::Ref<const Eigen::MatrixXf>;

constexpr std::int64_t kTokenBlock = 64;  // columns per elementwise task
constexpr std::int64_t kLogitTile = 128;  // columns of logits that exist at once

enum Kind : std::size_t { kQ, kK, kV, kAttentionOutput, kGate, kUp, kDown };

}  // namespace

struct ForwardPass::Impl {
    const Model& model;
    ThreadPool& pool;
    DeviceProducts* products;
    const ModelConfig& config;
    RotaryTable rotary;
    MatrixXf normed, q, k, v, attended, projected, gate, up;

    Impl(const Model& m, ThreadPool& p, DeviceProducts* onDevice)
        : model(m), pool(p), products(onDevice), config(m.config()), rotary(m.config()) {}

    void forTokenBlocks(std::int64_t columns,
                        const std::function<void(std::int64_t, std::int64_t)>& work) {
        pool.run((columns + kTokenBlock - 1) / kTokenBlock, [&](std::int64_t task) {
            const std::int64_t begin = task * kTokenBlock;
            work(begin, std::min(columns, begin + kTokenBlock));
        });
    }

    void norm(const ConstRef& x, const Eigen::Map<const Eigen::VectorXf>& weight, MatrixXf& y) {
        y.resize(x.rows(), x.cols());
        forTokenBlocks(x.cols(), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                rmsNorm(&x.coeffRef(0, t), weight.data(), x.rows(), config.normEpsilon,
                        &y.coeffRef(0, t));
            }
        });
    }

    struct Target {
        Kind kind;
        MatrixXf& y;
    };

    // Layers of a block that have their input in common.
    void linear(std::int64_t block, const MatrixXf& x, std::initializer_list<Target> targets) {
        std::vector<const LinearLayer*> onHost;
        std::vector<MatrixXf*> results;
        for (const auto& [kind, y] : targets) {
            const LinearLayer& layer = model.layer(block, kind);
            if (products == nullptr || !products->apply(layer, x, y)) {
                onHost.push_back(&layer);
                results.push_back(&y);
            }
        }
        applyTogether(pool, onHost, x, results);
        for (const auto& [kind, y] : targets) {
            addBias(model.bias(block, kind), y);
        }
    }

    void addBias(const Eigen::Map<const Eigen::VectorXf>& bias, MatrixXf& y) {
        if (bias.size() == 0) {
            return;
        }
        forTokenBlocks(y.cols(), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                addTo(&y.coeffRef(0, t), bias.data(), y.rows());
            }
        });
    }

    // Optional per-head norm, then rotation by position.
    void normAndRotate(MatrixXf& x, const Eigen::Map<const Eigen::VectorXf>& headNorm,
                       const std::vector<std::int64_t>& positions) {
        const std::int64_t dim = config.headDim;
        forTokenBlocks(x.cols(), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t t = begin; t < end; ++t) {
                const std::int64_t position = positions[static_cast<std::size_t>(t)];
                for (std::int64_t row = 0; row < x.rows(); row += dim) {
                    float* head = &x.coeffRef(row, t);
                    if (headNorm.size() > 0) {
                        rmsNorm(head, headNorm.data(), dim, config.normEpsilon, head);
                    }
                    rotary.rotate(head, position);
                }
            }
        });
    }

    void add(MatrixXf& target, const MatrixXf& source) {
        forTokenBlocks(target.cols(), [&](std::int64_t begin, std::int64_t end) {
            addTo(&target.coeffRef(0, begin), &source.coeffRef(0, begin),
                  (end - begin) * target.rows());
        });
    }

    // spansOfKeys is called once k and v of the new tokens stand rotated in their matrices.
    void runBlock(std::int64_t block, MatrixXf& residual,
                  const std::vector<std::int64_t>& positions,
                  const std::function<std::vector<AttentionSpan>()>& spansOfKeys,
                  const LinearInputHook& linearInput, BlockStage until) {
        // True where the block ends at this input.
        const auto tell = [&](Kind kind, const MatrixXf& x, BlockStage stage) {
            if (products != nullptr) {
                products->present(x);
            }
            if (linearInput) {
                linearInput(gramKeyOf(block, kLayerKinds[kind]), x);
            }
            return until == stage;
        };
        norm(residual, model.attentionNorm(block), normed);
        if (tell(kQ, normed, BlockStage::QueryKeyValue)) {
            return;
        }
        linear(block, normed, {{kQ, q}, {kK, k}, {kV, v}});
        normAndRotate(q, model.queryNorm(block), positions);
        normAndRotate(k, model.keyNorm(block), positions);
        causalAttention(pool, config, spansOfKeys(), q, attended);
        if (tell(kAttentionOutput, attended, BlockStage::AttentionOutput)) {
            return;
        }
        linear(block, attended, {{kAttentionOutput, projected}});
        add(residual, projected);

        norm(residual, model.feedForwardNorm(block), normed);
        if (tell(kGate, normed, BlockStage::GateUp)) {
            return;
        }
        linear(block, normed, {{kGate, gate}, {kUp, up}});
        forTokenBlocks(gate.cols(), [&](std::int64_t begin, std::int64_t end) {
            siluTimes(&gate.coeffRef(0, begin), &up.coeffRef(0, begin),
                      (end - begin) * gate.rows());
        });
        if (tell(kDown, gate, BlockStage::Down)) {
            return;
        }
        linear(block, gate, {{kDown, projected}});
        add(residual, projected);
    }
};

BlockStage stageOf(std::string_view kind) {
    return kind == kLayerKinds[kAttentionOutput]                    ? BlockStage::AttentionOutput
           : kind == kLayerKinds[kDown]                             ? BlockStage::Down
           : kind == kLayerKinds[kGate] || kind == kLayerKinds[kUp] ? BlockStage::GateUp
                                                                    : BlockStage::QueryKeyValue;
}

ForwardPass::ForwardPass(const Model& model, ThreadPool& pool, DeviceProducts* products)
    : m_impl(std::make_unique<Impl>(model, pool, products)) {}

ForwardPass::~ForwardPass() = default;

MatrixXf ForwardPass::embed(std::span<const std::int32_t> ids) const {
    const auto table = m_impl->model.embedding();
    MatrixXf residual(table.rows(), static_cast<Eigen::Index>(ids.size()));
    for (std::size_t t = 0; t < ids.size(); ++t) {
        if (ids[t] < 0 || ids[t] >= table.cols()) {
            throw Error("token id " + std::to_string(ids[t]) + " is outside the vocabulary of " +
                            std::to_string(table.cols()),
                        m_impl->config.name, "tokenise with this model's own tokenizer");
        }
        residual.col(static_cast<Eigen::Index>(t)) = table.col(ids[t]);
    }
    return residual;
}

namespace {

// Of whole sequences, side by side.
std::vector<std::int64_t> positionsOf(std::int64_t columns, std::int64_t length) {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(columns));
    for (std::size_t t = 0; t < positions.size(); ++t) {
        positions[t] = static_cast<std::int64_t>(t) % length;
    }
    return positions;
}

std::vector<AttentionSpan> spansOf(const MatrixXf& k, const MatrixXf& v, std::int64_t length) {
    std::vector<AttentionSpan> spans;
    for (std::int64_t column = 0; column < k.cols(); column += length) {
        spans.push_back(
            {column, length, 0, &k.coeffRef(0, column), &v.coeffRef(0, column), k.rows()});
    }
    return spans;
}

}  // namespace

void ForwardPass::runBlock(std::int64_t block, MatrixXf& residual, std::int64_t length,
                           const LinearInputHook& linearInput, BlockStage until) {
    Impl& s = *m_impl;
    s.rotary.growTo(length);
    s.runBlock(
        block, residual, positionsOf(residual.cols(), length),
        [&] { return spansOf(s.k, s.v, length); }, linearInput, until);
}

BlockTrace ForwardPass::trace(std::int64_t block, const MatrixXf& residual, std::int64_t length) {
    Impl& s = *m_impl;
    const std::vector<std::int64_t> positions = positionsOf(residual.cols(), length);
    s.rotary.growTo(length);
    BlockTrace trace;
    s.norm(residual, s.model.attentionNorm(block), trace.attentionInput);
    s.linear(block, trace.attentionInput, {{kQ, trace.q}, {kK, trace.k}, {kV, trace.v}});
    trace.rotatedQ = trace.q;
    trace.rotatedK = trace.k;
    s.normAndRotate(trace.rotatedQ, s.model.queryNorm(block), positions);
    s.normAndRotate(trace.rotatedK, s.model.keyNorm(block), positions);
    causalAttention(s.pool, s.config, spansOf(trace.rotatedK, trace.v, length), trace.rotatedQ,
                    trace.attended);
    s.linear(block, trace.attended, {{kAttentionOutput, trace.residual}});
    s.add(trace.residual, residual);
    s.norm(trace.residual, s.model.feedForwardNorm(block), trace.feedForwardInput);
    s.linear(block, trace.feedForwardInput, {{kGate, trace.gate}, {kUp, trace.up}});
    return trace;
}

MatrixXf ForwardPass::extend(std::span<const Continuation> batch) {
    Impl& s = *m_impl;
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> positions;
    for (const Continuation& part : batch) {
        ids.insert(ids.end(), part.ids.begin(), part.ids.end());
        const auto count = static_cast<std::int64_t>(part.ids.size());
        for (std::int64_t t = 0; t < count; ++t) {
            positions.push_back(part.cache->length() + t);
        }
        part.cache->reserve(part.cache->length() + count);
        s.rotary.growTo(part.cache->length() + count);
    }
    MatrixXf residual = embed(ids);
    for (std::int64_t block = 0; block < s.config.blocks; ++block) {
        const auto store = [&] {
            std::vector<AttentionSpan> spans;
            std::int64_t column = 0;
            for (const Continuation& part : batch) {
                const auto count = static_cast<std::int64_t>(part.ids.size());
                const std::int64_t past = part.cache->length();
                MatrixXf& keys = part.cache->keys(block);
                MatrixXf& values = part.cache->values(block);
                keys.middleCols(past, count) = s.k.middleCols(column, count);
                values.middleCols(past, count) = s.v.middleCols(column, count);
                spans.push_back({column, count, past, keys.data(), values.data(), keys.rows()});
                column += count;
            }
            return spans;
        };
        s.runBlock(block, residual, positions, store, {}, BlockStage::Whole);
    }
    for (const Continuation& part : batch) {
        part.cache->advance(static_cast<std::int64_t>(part.ids.size()));
    }
    return finalNorm(residual);
}

MatrixXf ForwardPass::finalNorm(const ConstRef& residual) {
    MatrixXf hidden;
    m_impl->norm(residual, m_impl->model.outputNorm(), hidden);
    return hidden;
}

MatrixXf ForwardPass::hiddenStates(std::span<const std::int32_t> ids, std::int64_t length,
                                   const ForwardHooks& hooks) {
    if (length < 1 || ids.empty() || static_cast<std::int64_t>(ids.size()) % length != 0) {
        throw Error("the ids are not a whole number of sequences", m_impl->config.name,
                    "this is a bug; please report it");
    }
    MatrixXf residual = embed(ids);
    if (hooks.residual) {
        hooks.residual(-1, residual);
    }
    for (std::int64_t block = 0; block < m_impl->config.blocks; ++block) {
        runBlock(block, residual, length, hooks.linearInput);
        if (hooks.residual) {
            hooks.residual(block, residual);
        }
    }
    return finalNorm(residual);
}

MatrixXf ForwardPass::logits(const ConstRef& hidden) {
    const auto head = m_impl->model.head();
    MatrixXf result(head.cols(), hidden.cols());
    gemm(m_impl->pool, Op::Transpose, Op::None, head.cols(), hidden.cols(), head.rows(), 1.0F,
         head.data(), head.rows(), hidden.data(), hidden.outerStride(), 0.0F, result.data(),
         result.rows());
    return result;
}

std::vector<double> ForwardPass::logProbabilities(const ConstRef& hidden,
                                                  std::span<const std::int32_t> targets) {
    if (static_cast<std::int64_t>(targets.size()) != hidden.cols()) {
        throw Error("targets and hidden states differ in number", m_impl->config.name,
                    "this is a bug; please report it");
    }
    std::vector<TokenQuery> queries(targets.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
        queries[i] = {static_cast<std::int64_t>(i), targets[i]};
    }
    std::vector<double> result;
    for (const TokenLikelihood& answer : likelihoods(hidden, queries)) {
        result.push_back(answer.logProbability);
    }
    return result;
}

std::vector<TokenLikelihood> ForwardPass::likelihoods(const ConstRef& hidden,
                                                      std::span<const TokenQuery> queries) {
    const auto head = m_impl->model.head();
    std::vector<TokenLikelihood> result(queries.size());
    MatrixXf tile(head.cols(), std::min<std::int64_t>(hidden.cols(), kLogitTile));
    std::size_t first = 0;
    while (first < queries.size()) {
        const std::int64_t begin = queries[first].column;
        const std::int64_t columns = std::min(kLogitTile, hidden.cols() - begin);
        std::size_t last = first;
        while (last < queries.size() && queries[last].column < begin + columns) {
            ++last;
        }
        const std::int64_t used = queries[last - 1].column - begin + 1;
        gemm(m_impl->pool, Op::Transpose, Op::None, head.cols(), used, head.rows(), 1.0F,
             head.data(), head.rows(), &hidden.coeffRef(0, begin), hidden.outerStride(), 0.0F,
             tile.data(), tile.rows());
        m_impl->pool.run(used, [&](std::int64_t i) {
            const auto isEarlier = [&](const TokenQuery& query, std::int64_t column) {
                return query.column < column;
            };
            auto query = std::lower_bound(queries.begin() + static_cast<std::ptrdiff_t>(first),
                                          queries.begin() + static_cast<std::ptrdiff_t>(last),
                                          begin + i, isEarlier);
            if (query == queries.end() || query->column != begin + i) {
                return;
            }
            const double sum = logSumExp(&tile.coeffRef(0, i), tile.rows());
            const float largest = tile.col(i).maxCoeff();
            for (; query != queries.end() && query->column == begin + i; ++query) {
                const float logit = tile(query->token, i);
                result[static_cast<std::size_t>(query - queries.begin())] = {
                    static_cast<double>(logit) - sum, logit >= largest};
            }
        });
        first = last;
    }
    return result;
}

double ForwardPass::floatingPointOperations(std::int64_t length, std::int64_t scored) const {
    const ModelConfig& c = m_impl->config;
    double perToken = 0;
    for (const LayerInfo& layer : m_impl->model.layers()) {
        perToken += 2.0 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    // Q Kᵀ and P V over the causal half.
    const double attention =
        2.0 * static_cast<double>(length + 1) * static_cast<double>(c.heads * c.headDim * c.blocks);
    const double head = 2.0 * static_cast<double>(c.hiddenSize * c.vocabularySize);
    return (perToken + attention) * static_cast<double>(length) +
           head * static_cast<double>(scored);
}

}  // namespace cospadi
