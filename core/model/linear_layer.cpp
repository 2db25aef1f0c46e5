#include "core/model/linear_layer.h"

#include <utility>

#include "core/base/error.h"
#include "core/linalg/blas.h"

namespace cospadi {

namespace {

using ConstMap = Eigen::Map<const Eigen::MatrixXf>;

// Y = Aᵀ X
void applyTransposed(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& A,
                     const Eigen::Ref<const Eigen::MatrixXf>& X, Eigen::MatrixXf& Y) {
    Y.resize(A.cols(), X.cols());
    gemm(pool, Op::Transpose, Op::None, A.cols(), X.cols(), A.rows(), 1.0F, A.data(),
         A.outerStride(), X.data(), X.outerStride(), 0.0F, Y.data(), Y.outerStride());
}

void requireChain(const Eigen::MatrixXf& left, const Eigen::MatrixXf& right) {
    if (left.cols() != right.rows()) {
        throw Error("the two factors of a layer do not fit together", "linear layer",
                    "the stored matrix is damaged");
    }
}

}  // namespace

DenseLayer::DenseLayer(Eigen::MatrixXf weight, std::int64_t storedBytes)
    : m_weight(nullptr, 0, 0), m_storedBytes(storedBytes) {
    auto matrix = std::make_shared<const Eigen::MatrixXf>(std::move(weight));
    new (&m_weight) ConstMap(matrix->data(), matrix->rows(), matrix->cols());
    m_owner = std::move(matrix);
}

DenseLayer::DenseLayer(std::shared_ptr<const void> owner, const float* weight, std::int64_t d1,
                       std::int64_t d2, std::int64_t storedBytes)
    : m_owner(std::move(owner)), m_weight(weight, d1, d2), m_storedBytes(storedBytes) {}

void DenseLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                       Eigen::MatrixXf& Y) const {
    applyTransposed(pool, m_weight, X, Y);
}

LowRankLayer::LowRankLayer(Eigen::MatrixXf B, Eigen::MatrixXf C, std::int64_t storedBytes)
    : m_b(std::move(B)), m_c(std::move(C)), m_storedBytes(storedBytes) {
    requireChain(m_b, m_c);
}

void LowRankLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                         Eigen::MatrixXf& Y) const {
    Eigen::MatrixXf inner;
    applyTransposed(pool, m_b, X, inner);
    applyTransposed(pool, m_c, inner, Y);
}

SparseDictionaryLayer::SparseDictionaryLayer(Eigen::MatrixXf Da, Eigen::MatrixXf S,
                                             std::int64_t storedBytes)
    : m_dictionary(std::move(Da)),
      m_codes(std::move(S)),
      m_nonZeros((m_codes.array() != 0.0F).count()),
      m_storedBytes(storedBytes) {
    requireChain(m_dictionary, m_codes);
}

void SparseDictionaryLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                  Eigen::MatrixXf& Y) const {
    Eigen::MatrixXf inner;
    applyTransposed(pool, m_dictionary, X, inner);
    applyTransposed(pool, m_codes, inner, Y);
}

}  // namespace cospadi
