#include "core/evaluation/divergence_probe.h"

#include <cmath>
#include <memory>
#include <utility>

#include "core/model/float_kernels.h"

namespace cospadi {

namespace {

void normalize(ThreadPool& pool, Eigen::MatrixXf& logits) {
    pool.run(logits.cols(), [&](std::int64_t t) {
        logits.col(t).array() -= static_cast<float>(logSumExp(logits.col(t).data(), logits.rows()));
    });
}

}  // namespace

DivergenceProbe::DivergenceProbe(Model& model, ThreadPool& pool, std::span<const std::int32_t> ids,
                                 std::int64_t length)
    : m_model(model), m_pool(pool), m_pass(model, pool), m_length(length) {
    Eigen::MatrixXf residual = m_pass.embed(ids);
    for (std::int64_t block = 0; block < model.config().blocks; ++block) {
        m_residuals.push_back(residual);
        m_pass.runBlock(block, residual, length);
    }
    m_logProbabilities = m_pass.logits(m_pass.finalNorm(residual));
    normalize(m_pool, m_logProbabilities);
}

double DivergenceProbe::divergence(const std::string& layer, const Eigen::MatrixXf& weight) {
    const LayerInfo info = m_model.layerInfo(layer);
    auto own = m_model.replaceLayer(layer, std::make_unique<DenseLayer>(weight, info.storedBytes));
    const double divergence = divergenceFrom(info.block);
    m_model.replaceLayer(layer, std::move(own));
    return divergence;
}

double DivergenceProbe::divergence() { return divergenceFrom(0); }

// What the blocks before it leave is as it was.
double DivergenceProbe::divergenceFrom(std::int64_t first) {
    Eigen::MatrixXf residual = m_residuals[static_cast<std::size_t>(first)];
    for (std::int64_t block = first; block < m_model.config().blocks; ++block) {
        m_pass.runBlock(block, residual, m_length);
    }
    Eigen::MatrixXf changed = m_pass.logits(m_pass.finalNorm(residual));
    normalize(m_pool, changed);
    std::vector<double> parts(static_cast<std::size_t>(changed.cols()));
    m_pool.run(changed.cols(), [&](std::int64_t t) {
        const auto p = m_logProbabilities.col(t).array();
        parts[static_cast<std::size_t>(t)] =
            (p.exp() * (p - changed.col(t).array())).cast<double>().sum();
    });
    double sum = 0;
    for (const double part : parts) {
        sum += part;
    }
    return sum / static_cast<double>(parts.size());
}

}  // namespace cospadi
