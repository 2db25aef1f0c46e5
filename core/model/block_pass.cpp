#include "core/model/block_pass.h"

#include <algorithm>

#include "core/base/ceil_divide.h"
#include "core/model/device_products.h"
#include "core/model/float_kernels.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;

constexpr std::int64_t kTokenBlock = 64;  // columns per elementwise task

}  // namespace

BlockPass::BlockPass(const Model& model, ThreadPool& pool, DeviceProducts* products)
    : m_model(model),
      m_pool(pool),
      m_products(products),
      m_config(model.config()),
      m_rotary(model.config()) {}

void BlockPass::forTokenBlocks(std::int64_t columns,
                               const std::function<void(std::int64_t, std::int64_t)>& work) {
    m_pool.run(ceilDivide(columns, kTokenBlock), [&](std::int64_t task) {
        const std::int64_t begin = task * kTokenBlock;
        work(begin, std::min(columns, begin + kTokenBlock));
    });
}

void BlockPass::norm(const ConstRef& x, const Eigen::Map<const Eigen::VectorXf>& weight,
                     MatrixXf& y) {
    y.resize(x.rows(), x.cols());
    forTokenBlocks(x.cols(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            rmsNorm(&x.coeffRef(0, t), weight.data(), x.rows(), m_config.normEpsilon,
                    &y.coeffRef(0, t));
        }
    });
}

void BlockPass::linear(std::int64_t block, const MatrixXf& x,
                       std::initializer_list<Target> targets) {
    std::vector<const LinearLayer*> onHost;
    std::vector<MatrixXf*> results;
    for (const auto& [place, y] : targets) {
        const LinearLayer& layer = m_model.layer(block, place);
        if (m_products == nullptr || !m_products->apply(layer, x, y)) {
            onHost.push_back(&layer);
            results.push_back(&y);
        }
    }
    applyTogether(m_pool, onHost, x, results);
    for (const auto& [place, y] : targets) {
        addBias(m_model.bias(block, place), y);
    }
}

void BlockPass::addBias(const Eigen::Map<const Eigen::VectorXf>& bias, MatrixXf& y) {
    if (bias.size() == 0) {
        return;
    }
    forTokenBlocks(y.cols(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            addTo(&y.coeffRef(0, t), bias.data(), y.rows());
        }
    });
}

void BlockPass::normAndRotate(MatrixXf& x, const Eigen::Map<const Eigen::VectorXf>& headNorm,
                              const std::vector<std::int64_t>& positions) {
    const std::int64_t dim = m_config.headDim;
    forTokenBlocks(x.cols(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            const std::int64_t position = positions[static_cast<std::size_t>(t)];
            for (std::int64_t row = 0; row < x.rows(); row += dim) {
                float* head = &x.coeffRef(row, t);
                if (headNorm.size() > 0) {
                    rmsNorm(head, headNorm.data(), dim, m_config.normEpsilon, head);
                }
                m_rotary.rotate(head, position);
            }
        }
    });
}

void BlockPass::add(MatrixXf& target, const MatrixXf& source) {
    forTokenBlocks(target.cols(), [&](std::int64_t begin, std::int64_t end) {
        addTo(&target.coeffRef(0, begin), &source.coeffRef(0, begin),
              (end - begin) * target.rows());
    });
}

void BlockPass::run(std::int64_t block, MatrixXf& residual,
                    const std::vector<std::int64_t>& positions,
                    const std::function<std::vector<AttentionSpan>()>& spansOfKeys,
                    const LinearInputHook& linearInput, BlockStage until) {
    // True where the block ends at this input.
    const auto tell = [&](BlockLayer layer, const MatrixXf& x, BlockStage stage) {
        if (m_products != nullptr) {
            m_products->present(x);
        }
        if (linearInput) {
            linearInput(gramKeyOf(block, kLayerKinds[layer]), x);
        }
        return until == stage;
    };
    norm(residual, m_model.attentionNorm(block), m_normed);
    if (tell(kQ, m_normed, BlockStage::QueryKeyValue)) {
        return;
    }
    linear(block, m_normed, {{kQ, m_q}, {kK, m_k}, {kV, m_v}});
    normAndRotate(m_q, m_model.queryNorm(block), positions);
    normAndRotate(m_k, m_model.keyNorm(block), positions);
    causalAttention(m_pool, m_config, spansOfKeys(), m_q, m_attended);
    if (tell(kAttentionOutput, m_attended, BlockStage::AttentionOutput)) {
        return;
    }
    linear(block, m_attended, {{kAttentionOutput, m_projected}});
    add(residual, m_projected);

    norm(residual, m_model.feedForwardNorm(block), m_normed);
    if (tell(kGate, m_normed, BlockStage::GateUp)) {
        return;
    }
    linear(block, m_normed, {{kGate, m_gate}, {kUp, m_up}});
    forTokenBlocks(m_gate.cols(), [&](std::int64_t begin, std::int64_t end) {
        siluTimes(&m_gate.coeffRef(0, begin), &m_up.coeffRef(0, begin),
                  (end - begin) * m_gate.rows());
    });
    if (tell(kDown, m_gate, BlockStage::Down)) {
        return;
    }
    linear(block, m_gate, {{kDown, m_projected}});
    add(residual, m_projected);
}

}  // namespace cospadi
