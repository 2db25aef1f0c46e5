#include "core/model/linear_layer.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/products/blas.h"

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

}  // namespace

Eigen::MatrixXf LinearLayer::denseWeight() const {
    std::vector<Eigen::MatrixXf> matrices = factors();
    return matrices.size() == 1 ? std::move(matrices.front()) : matrices.front() * matrices.back();
}

void LinearLayer::applyInParts(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                               const UseOfPart& use) const {
    constexpr std::int64_t kColumnsAtOnce = 64;  // fewer take longer
    Eigen::MatrixXf Y;
    for (std::int64_t first = 0; first < X.cols(); first += kColumnsAtOnce) {
        apply(pool, X.middleCols(first, std::min(kColumnsAtOnce, X.cols() - first)), Y);
        pool.run(Y.cols(), [&](std::int64_t j) { use(0, first + j, Y.col(j)); });
    }
}

void LinearLayer::column(std::int64_t j, float* to) const {
    const Eigen::MatrixXf weight = denseWeight();
    std::copy_n(weight.col(j).data(), weight.rows(), to);
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

void DenseLayer::column(std::int64_t j, float* to) const {
    std::copy_n(m_weight.col(j).data(), m_weight.rows(), to);
}

PackedLayer::PackedLayer(PackedMatrix weight, std::int64_t storedBytes)
    : m_a(std::make_shared<const PackedMatrix>(std::move(weight))), m_storedBytes(storedBytes) {}

PackedLayer::PackedLayer(PackedMatrix a, PackedMatrix b, bool isCommonSecond,
                         std::int64_t storedBytes)
    : m_a(std::make_shared<const PackedMatrix>(std::move(a))),
      m_b(std::make_shared<const PackedMatrix>(std::move(b))),
      m_isCommonSecond(isCommonSecond),
      m_storedBytes(storedBytes) {
    if (m_a->cols() != m_b->rows()) {
        throw Error("the two factors of a layer do not fit together", "linear layer",
                    "the stored matrix is damaged");
    }
}

void PackedLayer::apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                        Eigen::MatrixXf& Y) const {
    const PackedProduct one = product(Y);
    multiplyTransposed(pool, {&one, 1}, X);
}

void PackedLayer::applyInParts(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                               const UseOfPart& use) const {
    const PackedProduct one{m_a.get(), m_b.get(), nullptr, &use};
    multiplyTransposed(pool, {&one, 1}, X);
}

std::vector<Eigen::MatrixXf> PackedLayer::factors() const {
    std::vector<Eigen::MatrixXf> factors{m_a->unpacked()};
    if (m_b) {
        factors.push_back(m_b->unpacked());
    }
    return factors;
}

void PackedLayer::column(std::int64_t j, float* to) const {
    m_b ? LinearLayer::column(j, to) : m_a->unpackColumn(j, to);
}

PackedDenseLayer::PackedDenseLayer(PackedMatrix weight, std::int64_t storedBytes)
    : PackedLayer(std::move(weight), storedBytes) {}

PackedDenseLayer::PackedDenseLayer(const Eigen::Ref<const Eigen::MatrixXf>& weight,
                                   std::int64_t storedBytes)
    : PackedLayer(PackedMatrix::dense(weight), storedBytes) {}

LowRankLayer::LowRankLayer(const Eigen::MatrixXf& B, const Eigen::MatrixXf& C,
                           std::int64_t storedBytes)
    : PackedLayer(PackedMatrix::dense(B), PackedMatrix::dense(C), false, storedBytes) {}

SparseDictionaryLayer::SparseDictionaryLayer(const Eigen::MatrixXf& dictionary,
                                             const Eigen::MatrixXf& codes, bool outputSide,
                                             std::int64_t storedBytes, const NmPattern& pattern)
    : PackedLayer(
          outputSide ? PackedMatrix::sparse(codes.transpose()) : PackedMatrix::dense(dictionary),
          outputSide            ? PackedMatrix::dense(dictionary.transpose())
          : pattern.isGrouped() ? PackedMatrix::grouped(codes, pattern)
                                : PackedMatrix::sparse(codes),
          outputSide, storedBytes) {}

void applyTogether(ThreadPool& pool, std::span<const LinearLayer* const> layers,
                   const Eigen::Ref<const Eigen::MatrixXf>& X,
                   std::span<Eigen::MatrixXf* const> Y) {
    std::vector<PackedProduct> products;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (const auto* packed = dynamic_cast<const PackedLayer*>(layers[i])) {
            products.push_back(packed->product(*Y[i]));
        } else {
            layers[i]->apply(pool, X, *Y[i]);
        }
    }
    multiplyTransposed(pool, products, X);
}

}  // namespace cospadi
