#include "core/refine/trainable_unit.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/products/blas.h"

namespace cospadi {

using Eigen::MatrixXf;

namespace {

bool isSharedOverOutputs(const std::vector<StoredWeightPtr>& weights) {
    const SparseDictionaryFactors* factors = sparseFactors(weights.front());
    return weights.size() > 1 && factors != nullptr && factors->side == DictionarySide::Output;
}

WeightProduct transposed(const WeightProduct& product) {
    return {product.right.transpose(), product.left.transpose()};
}

}  // namespace

TrainableUnit::TrainableUnit(std::vector<std::string> layers, std::vector<StoredWeightPtr> weights)
    : m_layers(std::move(layers)),
      m_form(weights.front()),
      m_transposed(isSharedOverOutputs(weights)) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        auto product = weights[i]->product();
        if (product == nullptr) {
            throw Error(
                fmt::format("{} is stored as {}, which has no factors", m_layers[i],
                            weights[i]->form()),
                "layers",
                "use a run whose layers are a dictionary and codes, or two low-rank factors");
        }
        if (m_transposed) {
            *product = transposed(*product);
        }
        if (m_factors.empty()) {
            m_factors.emplace_back(std::move(product->left), Atoms::Columns);
        }
        m_factors.emplace_back(std::move(product->right), Atoms::Rows);
    }
}

MatrixXf TrainableUnit::weight(ThreadPool& pool, std::size_t layer) const {
    const MatrixXf& left = m_factors.front().values();
    const MatrixXf& right = m_factors[layer + 1].values();
    MatrixXf weight(left.rows(), right.cols());
    gemm(pool, Op::None, Op::None, left.rows(), right.cols(), left.cols(), 1.0F, left.data(),
         left.rows(), right.data(), right.rows(), 0.0F, weight.data(), weight.rows());
    return m_transposed ? MatrixXf(weight.transpose()) : weight;
}

void TrainableUnit::addGradient(ThreadPool& pool, std::size_t layer,
                                const Eigen::Ref<const MatrixXf>& dW) {
    if (m_transposed) {
        addFactorGradients(pool, layer, dW.transpose());
    } else {
        addFactorGradients(pool, layer, dW);
    }
}

void TrainableUnit::addFactorGradients(ThreadPool& pool, std::size_t layer,
                                       const Eigen::Ref<const MatrixXf>& dW) {
    const MatrixXf& left = m_factors.front().values();
    const MatrixXf& right = m_factors[layer + 1].values();
    MatrixXf dLeft(left.rows(), left.cols());
    gemm(pool, Op::None, Op::Transpose, dW.rows(), left.cols(), dW.cols(), 1.0F, dW.data(),
         dW.outerStride(), right.data(), right.rows(), 0.0F, dLeft.data(), dLeft.rows());
    m_factors.front().add(dLeft);
    MatrixXf dRight(right.rows(), right.cols());
    gemm(pool, Op::Transpose, Op::None, right.rows(), dW.cols(), dW.rows(), 1.0F, left.data(),
         left.rows(), dW.data(), dW.outerStride(), 0.0F, dRight.data(), dRight.rows());
    m_factors[layer + 1].add(dRight);
}

void TrainableUnit::move(std::int64_t step, double rate) {
    for (AdamMatrix& factor : m_factors) {
        factor.move(step, rate);
    }
}

std::vector<StoredWeightPtr> TrainableUnit::stored() const {
    std::vector<std::int64_t> widths;
    std::int64_t width = 0;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        widths.push_back(m_factors[i + 1].values().cols());
        width += widths.back();
    }
    // Side by side, so that what rounding moves into the left factor is the same for all.
    WeightProduct product{m_factors.front().values(),
                          MatrixXf(m_factors.front().values().cols(), width)};
    Eigen::Index begin = 0;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        product.right.middleCols(begin, widths[i]) = m_factors[i + 1].values();
        begin += widths[i];
    }
    const StoredWeightPtr unit =
        m_form->withFactors(m_transposed ? transposed(product) : std::move(product));
    return m_layers.size() == 1 ? std::vector<StoredWeightPtr>{unit} : unit->split(widths);
}

}  // namespace cospadi
