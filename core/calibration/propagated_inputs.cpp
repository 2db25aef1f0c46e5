#include "core/calibration/propagated_inputs.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/calibration/gram_accumulator.h"
#include "core/calibration/residual_stream.h"
#include "core/model/device_products.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

using ConstRef = Eigen::Ref<const Eigen::MatrixXf>;

// Which inputs of a block feed which stage.
std::map<std::string, BlockStage> stagesOf(std::int64_t block) {
    std::map<std::string, BlockStage> stages;
    for (const std::string_view kind : kLayerKinds) {
        stages.emplace(gramKeyOf(block, kind), stageOf(kind));
    }
    return stages;
}

bool writesResidual(BlockStage stage) {
    return stage == BlockStage::AttentionOutput || stage == BlockStage::Down;
}

// Σ A Bᵀ: products of a batch in single precision, their sum in double.
class CrossSum {
  public:
    explicit CrossSum(ThreadPool& pool) : m_pool(pool) {}

    void add(const ConstRef& a, const Eigen::MatrixXf& b) {
        m_product.resize(a.rows(), b.rows());
        gemm(m_pool, Op::None, Op::Transpose, a.rows(), b.rows(), a.cols(), 1, a.data(),
             a.outerStride(), b.data(), b.rows(), 0, m_product.data(), m_product.rows());
        if (m_sum.size() == 0) {
            m_sum = Eigen::MatrixXd::Zero(a.rows(), b.rows());
        }
        m_sum += m_product.cast<double>();
    }

    Eigen::MatrixXd take() { return std::move(m_sum); }

  private:
    ThreadPool& m_pool;
    Eigen::MatrixXf m_product;
    Eigen::MatrixXd m_sum;
};

}  // namespace

PropagatedInputs::PropagatedInputs(Model& model, ThreadPool& pool,
                                   std::span<const std::int32_t> ids, std::int64_t length,
                                   bool followOriginal, DeviceProducts* products)
    : m_pool(pool),
      m_products(products),
      m_pass(model, pool, products),
      m_length(length),
      m_followOriginal(followOriginal),
      m_compressed(m_pass.embed(ids)) {
    if (followOriginal) {
        m_original = m_compressed;
    }
}

template <typename Work>
bool PropagatedInputs::forBatches(const Eigen::MatrixXf& stream, const std::stop_token& stop,
                                  const Work& work) {
    const std::int64_t width =
        std::max<std::int64_t>(1, kCalibrationBatchTokens / m_length) * m_length;
    for (std::int64_t first = 0; first < stream.cols(); first += width) {
        if (stop.stop_requested()) {
            return false;
        }
        Eigen::MatrixXf batch =
            stream.middleCols(first, std::min<std::int64_t>(width, stream.cols() - first));
        work(first, batch);
    }
    return true;
}

bool PropagatedInputs::begin(std::int64_t block, const std::stop_token& stop) {
    m_block = block;
    if (!m_followOriginal) {
        return true;
    }
    forgetWeights();
    const std::map<std::string, BlockStage> stages = stagesOf(block);
    const auto keep = [&](Eigen::MatrixXf& all, std::int64_t first, const ConstRef& part) {
        all.resize(part.rows(), m_original.cols());  // no effect but for the first part
        all.middleCols(first, part.cols()) = part;
    };
    return forBatches(m_original, stop, [&](std::int64_t first, Eigen::MatrixXf& batch) {
        const auto hook = [&](const std::string& gramKey, const ConstRef& X) {
            const BlockStage stage = stages.at(gramKey);
            keep(m_inputs[stage], first, X);
            if (writesResidual(stage)) {
                keep(m_before[stage], first, batch);
            }
        };
        m_pass.runBlock(block, batch, m_length, hook);
        m_original.middleCols(first, batch.cols()) = batch;
    });
}

void PropagatedInputs::forgetWeights() {
    if (m_products != nullptr) {
        m_products->forget();
    }
}

std::optional<LayerInputs> PropagatedInputs::inputs(BlockStage stage, const std::stop_token& stop) {
    forgetWeights();
    try {
        return sums(stage, stop);
    } catch (const DeviceError& error) {
        if (m_products == nullptr || !m_products->mayGoOnWithout(error)) {
            throw;
        }
    }
    return sums(stage, stop);
}

std::optional<LayerInputs> PropagatedInputs::sums(BlockStage stage, const std::stop_token& stop) {
    const std::map<std::string, BlockStage> stages = stagesOf(m_block);
    GramAccumulator gram(m_pool, m_products);
    CrossSum drift(m_pool);
    CrossSum residualDrift(m_pool);
    const auto hookFor = [&](std::int64_t first, const Eigen::MatrixXf& residual) {
        return [&, first](const std::string& gramKey, const ConstRef& X) {
            if (stages.at(gramKey) != stage) {
                return;
            }
            gram.accumulate(gramKey, X, first / m_length, m_length);
            if (m_followOriginal) {
                drift.add(X, m_inputs.at(stage).middleCols(first, X.cols()) - X);
            }
            if (m_followOriginal && writesResidual(stage)) {
                residualDrift.add(X, m_before.at(stage).middleCols(first, X.cols()) - residual);
            }
        };
    };
    if (!forBatches(m_compressed, stop, [&](std::int64_t first, Eigen::MatrixXf& batch) {
            m_pass.runBlock(m_block, batch, m_length, hookFor(first, batch), stage);
        })) {
        return std::nullopt;
    }
    return LayerInputs{std::move(gram.take().begin()->second), drift.take(), residualDrift.take()};
}

bool PropagatedInputs::finish(const std::stop_token& stop) {
    forgetWeights();
    return forBatches(m_compressed, stop, [&](std::int64_t first, Eigen::MatrixXf& batch) {
        m_pass.runBlock(m_block, batch, m_length);
        m_compressed.middleCols(first, batch.cols()) = batch;
    });
}

}  // namespace cospadi
