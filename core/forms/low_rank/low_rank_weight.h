// W ≈ B C: what the low-rank methods store, but for remapped factors (core/forms/remapped).
#pragma once

#include <string>

#include "core/base/phrase.h"
#include "core/forms/number_formats.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

struct LowRankFactors {
    Eigen::MatrixXf left;   // B (d1, r)
    Eigen::MatrixXf right;  // C (r, d2)
    int leftBits = 16;      // that a stored entry of B has; 8: see roundAtomsToBytes
    int rightBits = 16;     // that one of C has; 16: bfloat16, whatever the format
    CoefficientFormat rightFormat = CoefficientFormat::ShortMantissa;
    // Where both are integers (core/forms/integer_columns.h): how many entries a run has, and the
    // half-steps of the runs, (⌈d1/run⌉, r) and (⌈r/run⌉, d2). 0 and none: short numbers.
    std::int64_t integerRun = 0;
    Eigen::MatrixXf leftScales{};
    Eigen::MatrixXf rightScales{};
};

// C as it is stored (roundCoefficients()), to nearest.
void roundCodes(LowRankFactors& factors);
Eigen::MatrixXf recompose(const LowRankFactors& factors);  // (d1, d2)

class LowRankWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "low-rank";

    explicit LowRankWeight(LowRankFactors factors) : m_factors(std::move(factors)) {}
    static StoredWeightPtr read(const StoredTensors& file);
    // What facts() tells of a weight of these sizes.
    static nlohmann::json factsOf(std::int64_t rank, int leftBits, int rightBits,
                                  std::int64_t integerRun = 0);
    static Phrase describe(const nlohmann::json& facts);

    const LowRankFactors& factors() const { return m_factors; }

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override { return recompose(m_factors); }
    std::unique_ptr<WeightProduct> product() const override;
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;
    std::int64_t multiplications() const override;  // O_LR = r (d1 + d2)
    bool equals(const StoredWeight& other) const override;
    StoredWeightPtr requantized(int bits, CoefficientRounding rounding) const override;
    StoredWeightPtr withFactors(WeightProduct factors) const override;
    std::vector<StoredWeightPtr> split(const std::vector<std::int64_t>& widths) const override;
    void write(MatrixTensors& tensors) const override;

  private:
    LowRankFactors m_factors;
};

StoredWeightPtr storedWeight(LowRankFactors factors);

}  // namespace cospadi
