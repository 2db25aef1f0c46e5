// W ≈ D_a S with s non-zeros a column of S (paper eq 3): `cospadi` and what else learns a
// dictionary.
#pragma once

#include <string>

#include "core/base/nm_pattern.h"
#include "core/base/phrase.h"
#include "core/forms/number_formats.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

// Which side of a layer the dictionary spans.
//   Input   W ≈ D_a S      D_a (d1, k), S (k, d2): the paper's form
//   Output  W ≈ (D S)ᵀ     D   (d2, k), S (k, d1): a code for every input channel
// Both store d·k dictionary entries and s non-zeros a column of S; with the dictionary on the
// shorter side a layer that is not square gets more atoms and a far smaller error for its bytes.
enum class DictionarySide { Input, Output };

const char* name(DictionarySide side);
DictionarySide dictionarySideFromName(const std::string& name);  // "input" or "output"; Error

// s non-zeros a column of S: at most, or on average (`rocket`), as files hold a mask and the values
// that it marks, and nothing reads columns by s. S is held dense here.
struct SparseDictionaryFactors {
    Eigen::MatrixXf dictionary;
    Eigen::MatrixXf codes;
    std::int64_t s = 0;
    int coefficientBits = 16;  // that a stored value has; 16: bfloat16, whatever the format
    int dictionaryBits = 16;   // that a stored entry of an atom has; 8: see roundAtomsToBytes
    CoefficientFormat coefficientFormat = CoefficientFormat::ShortMantissa;
    DictionarySide side = DictionarySide::Input;
    NmPattern pattern{};  // which atoms a column may use
    // Where both are integers (core/forms/integer_columns.h): how many entries a run has, and the
    // half-steps of the runs, (⌈d/run⌉, k) and (⌈s/run⌉, columns). 0 and none: short numbers.
    std::int64_t integerRun = 0;
    Eigen::MatrixXf dictionaryScales{};
    Eigen::MatrixXf codeScales{};
};

// S as it is stored (roundCoefficients()).
void roundCodes(SparseDictionaryFactors& factors,
                CoefficientRounding rounding = CoefficientRounding::Nearest);
Eigen::MatrixXf recompose(const SparseDictionaryFactors& factors);  // (d1, d2)

class SparseDictionaryWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "sparse-dictionary";

    explicit SparseDictionaryWeight(SparseDictionaryFactors factors)
        : m_factors(std::move(factors)) {}
    static StoredWeightPtr read(const StoredTensors& file);
    // What facts() tells of a weight of these sizes.
    static nlohmann::json factsOf(std::int64_t k, std::int64_t s, DictionarySide side,
                                  int dictionaryBits, int coefficientBits,
                                  std::int64_t integerRun = 0, const NmPattern& pattern = {});
    static Phrase describe(const nlohmann::json& facts);

    const SparseDictionaryFactors& factors() const { return m_factors; }

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override { return recompose(m_factors); }
    std::unique_ptr<WeightProduct> product() const override;
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;  // factsOf() and active_atoms
    // K_active: atoms that at least one column of S uses. The others are never multiplied with.
    std::int64_t activeAtoms() const;
    // O_SD,sparse-reuse = d1 K_active + Σ_j |supp s_j|, whose sum is s d2 where all columns have s;
    // with the dictionary over the outputs, Y = (X Sᵀ) Dᵀ, it is d2 in the place of d1.
    std::int64_t multiplications() const override;
    bool equals(const StoredWeight& other) const override;
    StoredWeightPtr requantized(int bits, CoefficientRounding rounding) const override;
    StoredWeightPtr withFactors(WeightProduct factors) const override;
    std::vector<StoredWeightPtr> split(const std::vector<std::int64_t>& widths) const override;
    void write(MatrixTensors& tensors) const override;

  private:
    SparseDictionaryFactors m_factors;
};

StoredWeightPtr storedWeight(SparseDictionaryFactors factors);
// Null for another form.
const SparseDictionaryFactors* sparseFactors(const StoredWeightPtr& weight);

}  // namespace cospadi
