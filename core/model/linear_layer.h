// A linear layer behind one interface: dense (float32, bfloat16, or quantised as its file has it),
// low-rank pair, sparse dictionary.
//
// Activations are column-major (features, tokens): a column is a token. With W (d1, d2) of the
// paper, Y = Wᵀ X, X (d1, N), Y (d2, N). Biases belong to the model, not to the layer. Layers are
// immutable after construction; apply() may be called from one thread at a time per pool.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/packed/packed_matrix.h"
#include "core/packed/packed_products.h"

namespace cospadi {

class LinearLayer {
  public:
    virtual ~LinearLayer() = default;
    LinearLayer() = default;
    LinearLayer(const LinearLayer&) = delete;
    LinearLayer& operator=(const LinearLayer&) = delete;

    virtual std::int64_t d1() const = 0;  // in_features
    virtual std::int64_t d2() const = 0;  // out_features
    // Bytes of this layer where it is stored (in its file), as told by whoever made it.
    virtual std::int64_t storedBytes() const = 0;
    // Bytes that its weights take in memory, all of which applying it to one token reads.
    virtual std::int64_t memoryBytes() const = 0;
    // Y is resized to (d2, N). X and Y must not overlap.
    virtual void apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                       Eigen::MatrixXf& Y) const = 0;
    // The same for a Y that never exists whole: parts of it are passed on from the threads that
    // computed them (packed_products.h).
    virtual void applyInParts(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                              const UseOfPart& use) const;
    // What apply() multiplies by, in turn: W (d1, d2), or (d1, k) and (k, d2). Unpacked.
    virtual std::vector<Eigen::MatrixXf> factors() const = 0;
    // k of two factors; 0 where W is one matrix.
    virtual std::int64_t innerSize() const { return 0; }
    // W (d1, d2), multiplied out.
    Eigen::MatrixXf denseWeight() const;
    // One column of W: d1() floats.
    virtual void column(std::int64_t j, float* to) const;
};

// How a layer is made that may be let go and made again, e.g. from its file.
using MakeLayer = std::function<std::unique_ptr<LinearLayer>()>;

// W itself; the memory is that of Hugging Face's row-major (out, in).
class DenseLayer final : public LinearLayer {
  public:
    DenseLayer(Eigen::MatrixXf weight, std::int64_t storedBytes);
    // Points into memory that `owner` keeps alive, e.g. a mapped float32 file.
    DenseLayer(std::shared_ptr<const void> owner, const float* weight, std::int64_t d1,
               std::int64_t d2, std::int64_t storedBytes);

    std::int64_t d1() const override { return m_weight.rows(); }
    std::int64_t d2() const override { return m_weight.cols(); }
    std::int64_t storedBytes() const override { return m_storedBytes; }
    std::int64_t memoryBytes() const override { return 4 * m_weight.size(); }
    void apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
               Eigen::MatrixXf& Y) const override;
    std::vector<Eigen::MatrixXf> factors() const override { return {m_weight}; }
    void column(std::int64_t j, float* to) const override;
    // The weight without a copy, valid as long as the layer.
    const Eigen::Map<const Eigen::MatrixXf>& weight() const { return m_weight; }

  private:
    std::shared_ptr<const void> m_owner;
    Eigen::Map<const Eigen::MatrixXf> m_weight;
    std::int64_t m_storedBytes;
};

// W, or two factors of it, kept as their file has them: Y = BᵀAᵀX. Layers may have a factor in
// common; where it is A, AᵀX is computed once for those of one X.
class PackedLayer : public LinearLayer {
  public:
    using Factor = std::shared_ptr<const PackedMatrix>;

    std::int64_t d1() const override { return m_a->rows(); }
    std::int64_t d2() const override { return (m_b ? m_b : m_a)->cols(); }
    std::int64_t storedBytes() const override { return m_storedBytes; }
    // Of a factor in common every layer tells all.
    std::int64_t memoryBytes() const override { return m_a->bytes() + (m_b ? m_b->bytes() : 0); }
    void apply(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
               Eigen::MatrixXf& Y) const override;
    void applyInParts(ThreadPool& pool, const Eigen::Ref<const Eigen::MatrixXf>& X,
                      const UseOfPart& use) const override;
    std::vector<Eigen::MatrixXf> factors() const override;
    std::int64_t innerSize() const override { return m_b ? m_a->cols() : 0; }
    void column(std::int64_t j, float* to) const override;
    PackedProduct product(Eigen::MatrixXf& Y) const { return {m_a.get(), m_b.get(), &Y}; }
    // Of two factors the one that layers of a unit have in common, a dictionary or a left factor;
    // null where there is but one.
    Factor commonFactor() const { return m_b == nullptr || m_isCommonSecond ? m_b : m_a; }
    // By another of the same values, before the layer is used.
    void replaceCommonFactor(Factor same) { (m_isCommonSecond ? m_b : m_a) = std::move(same); }

  protected:
    explicit PackedLayer(PackedMatrix weight, std::int64_t storedBytes);
    PackedLayer(PackedMatrix a, PackedMatrix b, bool isCommonSecond, std::int64_t storedBytes);

  private:
    Factor m_a;
    Factor m_b;  // null: there is but one
    bool m_isCommonSecond = false;
    std::int64_t m_storedBytes;
};

// W itself, of values that are bfloat16 already or of quantised codes: a half to a seventh of the
// memory of float32 and, where tokens come one at a time, of the time.
class PackedDenseLayer final : public PackedLayer {
  public:
    PackedDenseLayer(PackedMatrix weight, std::int64_t storedBytes);
    // Every value must be a bfloat16.
    PackedDenseLayer(const Eigen::Ref<const Eigen::MatrixXf>& weight, std::int64_t storedBytes);
};

// W = B C with B (d1, r), C (r, d2): Y = Cᵀ (Bᵀ X).
class LowRankLayer final : public PackedLayer {
  public:
    LowRankLayer(const Eigen::MatrixXf& B, const Eigen::MatrixXf& C, std::int64_t storedBytes);
};

// W = Da S with Da (d1, k) and sparse codes S (k, d2): Y = Sᵀ (Daᵀ X). With the dictionary on the
// output side W = (D S)ᵀ, D (d2, k), S (k, d1): Y = D (S X). S is kept with a mask of one bit an
// entry, or on the input side with places where N of every M atoms of a column have values; the
// dense weight never exists.
class SparseDictionaryLayer final : public PackedLayer {
  public:
    SparseDictionaryLayer(const Eigen::MatrixXf& dictionary, const Eigen::MatrixXf& codes,
                          bool outputSide, std::int64_t storedBytes, const NmPattern& pattern = {});
};

// Y[i] = W[i]ᵀ X for layers that have their input in common; packed ones are one operation.
void applyTogether(ThreadPool& pool, std::span<const LinearLayer* const> layers,
                   const Eigen::Ref<const Eigen::MatrixXf>& X, std::span<Eigen::MatrixXf* const> Y);

}  // namespace cospadi
