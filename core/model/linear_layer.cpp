#include "core/model/linear_layer.h"

#include <utility>

#include "core/base/error.h"
#include "core/linalg/blas.h"

namespace cospadi {

namespace {

using ConstMap = Eigen::Map<const Eigen::MatrixXf>;

// Y = op(A) X
void multiply(ThreadPool& pool, Op op, const Eigen::Ref<const Eigen::MatrixXf>& A,
              const Eigen::Ref<const Eigen::MatrixXf>& X, Eigen::MatrixXf& Y) {
    const Eigen::Index rows = op == Op::None ? A.rows() : A.cols();
    Y.resize(rows, X.cols());
    gemm(pool, op, Op::None, rows, X.cols(), X.rows(), 1.0F, A.data(), A.outerStride(), X.data(),
         X.outerStride(), 0.0F, Y.data(), Y.outerStride());
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
    multiply(pool, Op::Transpose, m_weight, X, Y);
}

LowRankLayer::LowRankLayer(Eigen::MatrixXf B, Eigen::MatrixXf C, std::int64_t storedBytes)
    : m_b(std::move(B)), m_c(std::move(C)), m_storedBytes(storedBytes) {
    requireChain(m_b, m_c);
}

void LowRankLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                         Eigen::MatrixXf& Y) const {
    Eigen::MatrixXf inner;
    multiply(pool, Op::Transpose, m_b, X, inner);
    multiply(pool, Op::Transpose, m_c, inner, Y);
}

SparseDictionaryLayer::SparseDictionaryLayer(Eigen::MatrixXf dictionary, Eigen::MatrixXf codes,
                                             bool outputSide, std::int64_t storedBytes)
    : m_dictionary(std::move(dictionary)),
      m_codes(std::move(codes)),
      m_outputSide(outputSide),
      m_nonZeros((m_codes.array() != 0.0F).count()),
      m_storedBytes(storedBytes) {
    requireChain(m_dictionary, m_codes);
}

void SparseDictionaryLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                  Eigen::MatrixXf& Y) const {
    Eigen::MatrixXf inner;
    if (m_outputSide) {
        multiply(pool, Op::None, m_codes, X, inner);
        multiply(pool, Op::None, m_dictionary, inner, Y);
    } else {
        multiply(pool, Op::Transpose, m_dictionary, X, inner);
        multiply(pool, Op::Transpose, m_codes, inner, Y);
    }
}

Eigen::MatrixXf SparseDictionaryLayer::denseWeight() const {
    return m_outputSide ? Eigen::MatrixXf(m_codes.transpose() * m_dictionary.transpose())
                        : Eigen::MatrixXf(m_dictionary * m_codes);
}

}  // namespace cospadi
