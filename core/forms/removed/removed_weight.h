// W̃ = 0, of which nothing is stored: of a layer that a method takes out of the model. A block of
// which every layer is removed hands on what it is given, h + 0 + 0, and so is left out of the
// model whole (leftOutBlocks()).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/phrase.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

class RemovedWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "removed";

    RemovedWeight(std::int64_t d1, std::int64_t d2) : m_d1(d1), m_d2(d2) {}
    static StoredWeightPtr read(const StoredTensors& file);
    static Phrase describe(const nlohmann::json& facts);

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override { return Eigen::MatrixXf::Zero(m_d1, m_d2); }
    std::unique_ptr<WeightProduct> product() const override { return nullptr; }
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;  // none
    std::int64_t multiplications() const override { return 0; }
    bool equals(const StoredWeight& other) const override;
    void write(MatrixTensors& tensors) const override;  // no tensor

  private:
    std::int64_t m_d1;
    std::int64_t m_d2;
};

// The blocks of whose layers a run stores nothing, by the heads of its matrix files; ascending. A
// file that cannot be read is of none: whoever needs it says what is wrong.
std::vector<std::int64_t> leftOutBlocks(const std::filesystem::path& matrices);

}  // namespace cospadi
