#include "core/gradients/backward.h"

#include <algorithm>
#include <cmath>

#include "core/gradients/attention_gradient.h"
#include "core/model/float_kernels.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;
using Eigen::VectorXf;

constexpr std::int64_t kLogitTile = 128;  // columns of logits that exist at once

// x ↦ x / r ∘ w, r = sqrt(mean(x²) + ε): dx = (w ∘ g) / r − x (xᵀ(w ∘ g)) / (n r³).
void rmsNormGradient(const float* x, const float* weight, std::int64_t size, double epsilon,
                     const float* gradient, float* result) {
    using Array = Eigen::Map<const Eigen::ArrayXf>;
    const Array in(x, size);
    const Eigen::ArrayXf scaled = Array(weight, size) * Array(gradient, size);
    const auto count = static_cast<double>(size);
    const double root = std::sqrt(in.cast<double>().square().sum() / count + epsilon);
    const double along = (in.cast<double>() * scaled.cast<double>()).sum();
    Eigen::Map<Eigen::ArrayXf>(result, size) =
        scaled * static_cast<float>(1 / root) -
        in * static_cast<float>(along / (count * root * root * root));
}

MatrixXf normGradient(ThreadPool& pool, const MatrixXf& x, const Eigen::Map<const VectorXf>& weight,
                      double epsilon, const MatrixXf& gradient) {
    MatrixXf result(x.rows(), x.cols());
    pool.run(x.cols(), [&](std::int64_t t) {
        rmsNormGradient(&x.coeffRef(0, t), weight.data(), x.rows(), epsilon,
                        &gradient.coeffRef(0, t), &result.coeffRef(0, t));
    });
    return result;
}

}  // namespace

BackwardPass::BackwardPass(const Model& model, ThreadPool& pool)
    : m_model(model), m_pool(pool), m_forward(model, pool), m_rotary(model.config()) {}

MatrixXf BackwardPass::throughHead(
    const MatrixXf& residual, const LogitGradient& ofToken,
    const std::function<void(std::int64_t begin, std::int64_t count)>& beforeTile, double* sum) {
    const MatrixXf hidden = m_forward.finalNorm(residual);
    const Eigen::Map<const MatrixXf> head = headAsFloats();
    MatrixXf gradient(hidden.rows(), hidden.cols());
    std::vector<double> losses(static_cast<std::size_t>(hidden.cols()), 0);
    MatrixXf tile;
    for (std::int64_t begin = 0; begin < hidden.cols(); begin += kLogitTile) {
        const std::int64_t columns = std::min(kLogitTile, hidden.cols() - begin);
        beforeTile(begin, columns);
        logitsOf(hidden.middleCols(begin, columns), tile);
        m_pool.run(columns, [&](std::int64_t i) {
            losses[static_cast<std::size_t>(begin + i)] = ofToken(begin + i, &tile.coeffRef(0, i));
        });
        gemm(m_pool, Op::None, Op::None, head.rows(), columns, head.cols(), 1.0F, head.data(),
             head.rows(), tile.data(), tile.rows(), 0.0F, &gradient.coeffRef(0, begin),
             gradient.rows());
    }
    if (sum != nullptr) {
        *sum = 0;
        for (const double one : losses) {
            *sum += one;
        }
    }
    return normGradient(m_pool, residual, m_model.outputNorm(), m_model.config().normEpsilon,
                        gradient);
}

Eigen::Map<const MatrixXf> BackwardPass::headAsFloats() {
    if (const auto* dense = dynamic_cast<const DenseLayer*>(&m_model.head())) {
        return dense->weight();  // spares a copy
    }
    if (m_head.size() == 0) {
        m_head = m_model.head().denseWeight();
    }
    return {m_head.data(), m_head.rows(), m_head.cols()};
}

void BackwardPass::logitsOf(const Eigen::Ref<const MatrixXf>& hidden, MatrixXf& logits) const {
    m_model.head().apply(m_pool, hidden, logits);
}

MatrixXf BackwardPass::ofLoss(const MatrixXf& residual, std::span<const std::int32_t> ids,
                              std::int64_t length, double* loss) {
    const std::int64_t vocabulary = m_model.head().d2();
    return throughHead(
        residual,
        [&](std::int64_t t, float* logits) {
            if (t % length == length - 1) {  // nothing follows
                std::fill_n(logits, vocabulary, 0.0F);
                return 0.0;
            }
            const std::int32_t next = ids[static_cast<std::size_t>(t) + 1];
            const double own = logSumExp(logits, vocabulary) - static_cast<double>(logits[next]);
            softmax(logits, vocabulary, 1.0F);
            logits[next] -= 1.0F;
            return own;
        },
        [](std::int64_t, std::int64_t) {}, loss);
}

MatrixXf BackwardPass::ofDivergence(const MatrixXf& residual,
                                    const Eigen::Ref<const MatrixXf>& teacher, double* divergence) {
    const std::int64_t vocabulary = m_model.head().d2();
    MatrixXf wanted;  // logits of the teacher's tile, then its predictions
    std::int64_t first = 0;
    return throughHead(
        residual,
        [&](std::int64_t t, float* logits) {
            float* p = &wanted.coeffRef(0, t - first);
            const Eigen::Map<const VectorXf> q(logits, vocabulary);
            // log p − log q = (their logits less ours) − (log Σ exp theirs − log Σ exp ours)
            const double shift = logSumExp(p, vocabulary) - logSumExp(logits, vocabulary);
            const VectorXf apart = Eigen::Map<const VectorXf>(p, vocabulary) - q;
            softmax(p, vocabulary, 1.0F);
            const Eigen::Map<const VectorXf> likely(p, vocabulary);
            const double own = likely.cast<double>().dot(apart.cast<double>()) - shift;
            softmax(logits, vocabulary, 1.0F);
            Eigen::Map<VectorXf>(logits, vocabulary) -= likely;
            return own;
        },
        [&](std::int64_t begin, std::int64_t count) {
            first = begin;
            logitsOf(teacher.middleCols(begin, count), wanted);
        },
        divergence);
}

void BackwardPass::addThroughLayer(std::int64_t block, std::string_view kind, const MatrixXf& dY,
                                   MatrixXf& sum) {
    const std::vector<MatrixXf> factors = m_model.layer(layerName(block, kind)).factors();
    MatrixXf inner;
    const MatrixXf* right = &dY;
    for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
        const bool isLast = std::next(factor) == factors.rend();
        MatrixXf& target = isLast ? sum : inner;
        if (!isLast) {
            inner.resize(factor->rows(), dY.cols());
        }
        gemm(m_pool, Op::None, Op::None, factor->rows(), dY.cols(), factor->cols(), 1.0F,
             factor->data(), factor->rows(), right->data(), right->rows(), isLast ? 1.0F : 0.0F,
             target.data(), target.rows());
        right = &inner;
    }
}

MatrixXf BackwardPass::throughLayer(std::int64_t block, std::string_view kind, const MatrixXf& dY) {
    MatrixXf sum = MatrixXf::Zero(m_model.layer(layerName(block, kind)).d1(), dY.cols());
    addThroughLayer(block, kind, dY, sum);
    return sum;
}

void BackwardPass::throughHeads(const MatrixXf& x, const Eigen::Map<const VectorXf>& norm,
                                std::int64_t length, MatrixXf& gradient) {
    const ModelConfig& config = m_model.config();
    m_pool.run(x.cols(), [&](std::int64_t t) {
        for (std::int64_t row = 0; row < x.rows(); row += config.headDim) {
            float* head = &gradient.coeffRef(row, t);
            m_rotary.rotateBack(head, t % length);
            if (norm.size() > 0) {
                rmsNormGradient(&x.coeffRef(row, t), norm.data(), config.headDim,
                                config.normEpsilon, head, head);
            }
        }
    });
}

void BackwardPass::runBlock(std::int64_t block, const MatrixXf& residual, std::int64_t length,
                            MatrixXf& gradient, const LayerGradientHook& hook) {
    const ModelConfig& config = m_model.config();
    m_rotary.growTo(length);
    BlockTrace trace = m_forward.trace(block, residual, length);
    const auto tell = [&](std::string_view kind, const MatrixXf& x, const MatrixXf& dY) {
        hook(layerName(block, kind), x, dY);
    };

    {
        MatrixXf inner = throughLayer(block, "ffn_down", gradient);
        // silu(g) = g σ(g): its slope is σ (1 + g (1 − σ)). The layer's input is silu(g) ∘ up.
        m_pool.run(inner.cols(), [&](std::int64_t t) {
            const auto gate = trace.gate.col(t).array();
            const auto up = trace.up.col(t).array();
            const Eigen::ArrayXf sigmoid = 1 / (1 + (-gate).exp());
            const Eigen::ArrayXf active = gate * sigmoid;
            const Eigen::ArrayXf toUp = inner.col(t).array() * active;
            const Eigen::ArrayXf toGate =
                inner.col(t).array() * up * sigmoid * (1 + gate * (1 - sigmoid));
            inner.col(t) = (active * up).matrix();
            trace.gate.col(t) = toGate.matrix();
            trace.up.col(t) = toUp.matrix();
        });
        tell("ffn_down", inner, gradient);
    }
    tell("ffn_up", trace.feedForwardInput, trace.up);
    tell("ffn_gate", trace.feedForwardInput, trace.gate);
    MatrixXf input = throughLayer(block, "ffn_up", trace.up);
    addThroughLayer(block, "ffn_gate", trace.gate, input);
    gradient += normGradient(m_pool, trace.residual, m_model.feedForwardNorm(block),
                             config.normEpsilon, input);

    tell("attn_output", trace.attended, gradient);
    AttentionGradient attention =
        attentionGradient(m_pool, config, trace.rotatedQ, trace.rotatedK, trace.v, length,
                          throughLayer(block, "attn_output", gradient));
    throughHeads(trace.q, m_model.queryNorm(block), length, attention.q);
    throughHeads(trace.k, m_model.keyNorm(block), length, attention.k);
    tell("attn_v", trace.attentionInput, attention.v);
    tell("attn_k", trace.attentionInput, attention.k);
    tell("attn_q", trace.attentionInput, attention.q);
    input = throughLayer(block, "attn_q", attention.q);
    addThroughLayer(block, "attn_k", attention.k, input);
    addThroughLayer(block, "attn_v", attention.v, input);
    gradient +=
        normGradient(m_pool, residual, m_model.attentionNorm(block), config.normEpsilon, input);
}

}  // namespace cospadi
