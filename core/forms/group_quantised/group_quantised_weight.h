// Integers of 2 to 8 bits, with a scale for every group of g inputs of an output, and where wanted
// a minimum: W(i, j) ≈ scale(i / g, j) · code(i, j) + minimum(i / g, j).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/phrase.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

// What the codes of a group stand for.
struct GroupGrid {
    float scale = 0;    // of float16
    float minimum = 0;  // of float16; 0 where codes lie around zero
    float zero = 0;     // the code that stands for the minimum

    float valueOf(std::uint8_t code) const {
        return scale * (static_cast<float>(code) - zero) + minimum;
    }
};

struct GroupQuantisedCodes {
    int bits = 4;
    std::int64_t groupSize = 64;  // g; divides d1
    std::int64_t d1 = 0, d2 = 0;
    std::vector<std::uint8_t> codes;  // (d1, d2), column by column: 0 … 2^bits − 1
    Eigen::MatrixXf scales;           // (d1/g, d2), values of float16
    // (d1/g, d2), values of float16; none: −2^(bits − 1) · scale, so that zero is a code.
    Eigen::MatrixXf minimums;

    bool hasMinimums() const { return minimums.size() > 0; }
    GroupGrid grid(Eigen::Index group, Eigen::Index output) const;
};

class GroupQuantisedWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "group-quantised";

    explicit GroupQuantisedWeight(GroupQuantisedCodes codes) : m_codes(std::move(codes)) {}
    static StoredWeightPtr read(const StoredTensors& file);
    // What facts() tells of a weight of these settings.
    static nlohmann::json factsOf(int bits, std::int64_t groupSize, bool hasMinimums);
    static Phrase describe(const nlohmann::json& facts);

    const GroupQuantisedCodes& codes() const { return m_codes; }

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override;
    std::unique_ptr<WeightProduct> product() const override { return nullptr; }
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;
    std::int64_t multiplications() const override;  // O_baseline = d1 d2
    bool equals(const StoredWeight& other) const override;
    void write(MatrixTensors& tensors) const override;

  private:
    GroupQuantisedCodes m_codes;
};

}  // namespace cospadi
