// W as it is, in bfloat16: of a layer that a method keeps beside others that it changes or removes.
#pragma once

#include <utility>

#include "core/base/phrase.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

class DenseWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "dense";

    // Rounds to bfloat16. weight (d1, d2).
    explicit DenseWeight(Eigen::MatrixXf weight);
    static StoredWeightPtr read(const StoredTensors& file);
    static Phrase describe(const nlohmann::json& facts);

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override { return m_weight; }
    std::unique_ptr<WeightProduct> product() const override { return nullptr; }
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;                                     // none
    std::int64_t multiplications() const override { return m_weight.size(); }  // O_baseline = d1 d2
    bool equals(const StoredWeight& other) const override;
    void write(MatrixTensors& tensors) const override;

  private:
    Eigen::MatrixXf m_weight;  // values of bfloat16
};

}  // namespace cospadi
