// W ≈ B C in max(d1, d2) numbers of 16 bits a rank, in the place of d1 + d2: the remapping of
// Dobi-SVD (arXiv 2502.02723). With m = min(d1, d2) the first m entries of every column of B and of
// every row of C are codes of eight bits (dynamic_code.h) beside a scale of their own, two of them
// in the room of one number of 16 bits; what the longer of the two has beyond them is bfloat16.
#pragma once

#include <string>
#include <utility>

#include "core/base/phrase.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

// The columns of B (d1, r), or of Cᵀ (d2, r), as they are stored.
struct RemappedColumns {
    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> codes;  // (m, r)
    Eigen::VectorXf scales;  // (r), bfloat16, ≥ 0: the largest magnitude of those entries
    Eigen::MatrixXf rest;    // (d − m, r), bfloat16

    Eigen::MatrixXf decoded()
        const;  // (d, r): scale · value of the code, in bfloat16, and the rest
};

// The nearest to columns (d, r). Precondition: m ≤ d.
RemappedColumns remapped(const Eigen::MatrixXf& columns, std::int64_t m);

class RemappedWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "remapped-low-rank";

    RemappedWeight(RemappedColumns left, RemappedColumns right)
        : m_left(std::move(left)), m_right(std::move(right)) {}
    static StoredWeightPtr read(const StoredTensors& file);
    // What facts() tells of a weight of these sizes.
    static nlohmann::json factsOf(std::int64_t d1, std::int64_t d2, std::int64_t rank);
    static Phrase describe(const nlohmann::json& facts);

    const RemappedColumns& left() const { return m_left; }    // B
    const RemappedColumns& right() const { return m_right; }  // Cᵀ

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override;
    std::unique_ptr<WeightProduct> product() const override;
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;
    std::int64_t multiplications() const override;  // O_LR = r (d1 + d2)
    bool equals(const StoredWeight& other) const override;
    void write(MatrixTensors& tensors) const override;

  private:
    RemappedColumns m_left;
    RemappedColumns m_right;
};

}  // namespace cospadi
