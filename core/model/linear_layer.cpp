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

Eigen::MatrixXf LinearLayer::denseWeight() const {
    std::vector<Eigen::MatrixXf> matrices = factors();
    return matrices.size() == 1 ? std::move(matrices.front()) : matrices.front() * matrices.back();
}

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

Bf16Layer::Bf16Layer(const Eigen::Ref<const Eigen::MatrixXf>& weight, std::int64_t storedBytes)
    : m_weight(PackedMatrix::dense(weight)), m_storedBytes(storedBytes) {}

void Bf16Layer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                      Eigen::MatrixXf& Y) const {
    m_weight.multiplyTransposed(pool, X, Y);
}

LowRankLayer::LowRankLayer(const Eigen::MatrixXf& B, const Eigen::MatrixXf& C,
                           std::int64_t storedBytes)
    : m_b(PackedMatrix::dense(B)), m_c(PackedMatrix::dense(C)), m_storedBytes(storedBytes) {
    requireChain(B, C);
}

void LowRankLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                         Eigen::MatrixXf& Y) const {
    PackedMatrix::multiplyTransposed(pool, m_b, m_c, X, Y);
}

SparseDictionaryLayer::SparseDictionaryLayer(const Eigen::MatrixXf& dictionary,
                                             const Eigen::MatrixXf& codes, bool outputSide,
                                             std::int64_t storedBytes)
    : m_first(outputSide ? PackedMatrix::sparse(codes.transpose())
                         : PackedMatrix::dense(dictionary)),
      m_second(outputSide ? PackedMatrix::dense(dictionary.transpose())
                          : PackedMatrix::sparse(codes)),
      m_nonZeros(outputSide ? m_first.nonZeros() : m_second.nonZeros()),
      m_storedBytes(storedBytes) {
    requireChain(dictionary, codes);
}

void SparseDictionaryLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                                  Eigen::MatrixXf& Y) const {
    PackedMatrix::multiplyTransposed(pool, m_first, m_second, X, Y);
}

}  // namespace cospadi
