#include "core/model/forward.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/model/attention.h"
#include "core/model/block_pass.h"
#include "core/model/device_products.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;
using ConstRef = Eigen::Ref<const Eigen::MatrixXf>;

}  // namespace

struct ForwardPass::Impl {
    const Model& model;
    ThreadPool& pool;
    const ModelConfig& config;
    DeviceProducts* products;
    BlockPass block;

    Impl(const Model& m, ThreadPool& p, DeviceProducts* d)
        : model(m), pool(p), config(m.config()), products(d), block(m, p, d) {}

    // In the caches, for the new tokens: their positions.
    std::vector<std::int64_t> makeRoom(std::span<const Continuation> batch) {
        std::vector<std::int64_t> positions;
        for (const Continuation& part : batch) {
            const std::int64_t past = part.cache->length();
            const std::int64_t end = past + static_cast<std::int64_t>(part.ids.size());
            for (std::int64_t position = past; position < end; ++position) {
                positions.push_back(position);
            }
            part.cache->reserve(end);
            block.growTo(end);
        }
        return positions;
    }

    // Puts keys and values of the new tokens behind those that the caches hold of a block.
    std::vector<AttentionSpan> stored(std::span<const Continuation> batch, std::int64_t cached) {
        std::vector<AttentionSpan> spans;
        std::int64_t column = 0;
        for (const Continuation& part : batch) {
            const auto count = static_cast<std::int64_t>(part.ids.size());
            const std::int64_t past = part.cache->length();
            MatrixXf& keys = part.cache->keys(cached);
            MatrixXf& values = part.cache->values(cached);
            keys.middleCols(past, count) = block.keys().middleCols(column, count);
            values.middleCols(past, count) = block.values().middleCols(column, count);
            spans.push_back({column, count, past, keys.data(), values.data(), keys.rows()});
            column += count;
        }
        return spans;
    }

    static void advance(std::span<const Continuation> batch) {
        for (const Continuation& part : batch) {
            part.cache->advance(static_cast<std::int64_t>(part.ids.size()));
        }
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
    const LinearLayer& table = m_impl->model.embedding();
    MatrixXf residual(table.d1(), static_cast<Eigen::Index>(ids.size()));
    for (std::size_t t = 0; t < ids.size(); ++t) {
        if (ids[t] < 0 || ids[t] >= table.d2()) {
            throw Error("token id " + std::to_string(ids[t]) + " is outside the vocabulary of " +
                            std::to_string(table.d2()),
                        m_impl->config.name, "tokenise with this model's own tokenizer");
        }
        table.column(ids[t], &residual.coeffRef(0, static_cast<Eigen::Index>(t)));
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
    s.block.growTo(length);
    s.block.run(
        block, residual, positionsOf(residual.cols(), length),
        [&] { return spansOf(s.block.keys(), s.block.values(), length); }, linearInput, until);
}

BlockTrace ForwardPass::trace(std::int64_t block, const MatrixXf& residual, std::int64_t length) {
    Impl& s = *m_impl;
    const std::vector<std::int64_t> positions = positionsOf(residual.cols(), length);
    s.block.growTo(length);
    BlockTrace trace;
    s.block.norm(residual, s.model.attentionNorm(block), trace.attentionInput);
    s.block.linear(block, trace.attentionInput, {{kQ, trace.q}, {kK, trace.k}, {kV, trace.v}});
    trace.rotatedQ = trace.q;
    trace.rotatedK = trace.k;
    s.block.normAndRotate(trace.rotatedQ, s.model.queryNorm(block), positions);
    s.block.normAndRotate(trace.rotatedK, s.model.keyNorm(block), positions);
    causalAttention(s.pool, s.config, spansOf(trace.rotatedK, trace.v, length), trace.rotatedQ,
                    trace.attended);
    s.block.linear(block, trace.attended, {{kAttentionOutput, trace.residual}});
    s.block.add(trace.residual, residual);
    s.block.norm(trace.residual, s.model.feedForwardNorm(block), trace.feedForwardInput);
    s.block.linear(block, trace.feedForwardInput, {{kGate, trace.gate}, {kUp, trace.up}});
    return trace;
}

MatrixXf ForwardPass::extend(std::span<const Continuation> batch) {
    Impl& s = *m_impl;
    std::vector<std::int32_t> ids;
    for (const Continuation& part : batch) {
        ids.insert(ids.end(), part.ids.begin(), part.ids.end());
    }
    const std::vector<std::int64_t> positions = s.makeRoom(batch);
    MatrixXf residual = embed(ids);
    for (std::int64_t block = 0; block < s.config.blocks; ++block) {
        s.block.run(
            block, residual, positions, [&] { return s.stored(batch, block); }, {},
            BlockStage::Whole);
    }
    Impl::advance(batch);
    return finalNorm(residual);
}

void ForwardPass::extendBlock(std::int64_t block, std::span<const Continuation> batch,
                              MatrixXf& residual) {
    Impl& s = *m_impl;
    s.block.run(
        block, residual, s.makeRoom(batch), [&] { return s.stored(batch, 0); }, {},
        BlockStage::Whole);
    Impl::advance(batch);
}

void ForwardPass::letGo() {
    if (m_impl->products != nullptr && m_impl->model.isDeferred()) {
        m_impl->products->forget();  // it knows weights by their layers
    }
    m_impl->model.letGo();
}

bool ForwardPass::forEachBlock(
    std::size_t batches, const std::function<void(std::int64_t block, std::size_t batch)>& step,
    const std::stop_token& stop) {
    for (std::int64_t block = 0; block < m_impl->config.blocks; ++block) {
        m_impl->model.makeBlock(block, m_impl->pool);
        for (std::size_t batch = 0; batch < batches; ++batch) {
            if (stop.stop_requested()) {
                return false;
            }
            step(block, batch);
        }
        letGo();
    }
    return true;
}

MatrixXf ForwardPass::finalNorm(const ConstRef& residual) {
    MatrixXf hidden;
    m_impl->block.norm(residual, m_impl->model.outputNorm(), hidden);
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
    MatrixXf result;
    m_impl->model.head().apply(m_impl->pool, hidden, result);
    return result;
}

std::vector<TokenLikelihood> ForwardPass::likelihoods(const ConstRef& hidden,
                                                      std::span<const TokenQuery> queries) {
    return tokenLikelihoods(m_impl->model, m_impl->pool, hidden, queries);
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
