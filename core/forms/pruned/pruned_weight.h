// W with zeros: of every output the weights that are kept, as bfloat16 and in the order of their
// inputs, and where they stand. Of a pattern N:M that is a place within its group for each; without
// one, a bit for every position.
//
//   unstructured  16 bits a kept weight + 1 bit a position
//   N:M           N (16 + ⌈log2 M⌉) bits a group of M: with 2:4 nine bits a position, CR 0.4375
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/nm_pattern.h"
#include "core/base/phrase.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

class StoredTensors;

// Which weights are kept (d1, d2).
using KeptWeights = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;

struct PrunedEntries {
    NmPattern pattern;
    KeptWeights kept;  // with a pattern N:M exactly N of every group; M divides d1
    // bfloat16 of the kept ones, column by column. A zero among them is stored like any other.
    std::vector<std::uint16_t> values;
};

// The kept weights of w (d1, d2), rounded to bfloat16.
PrunedEntries prunedEntries(const NmPattern& pattern, const Eigen::MatrixXf& w, KeptWeights kept);

// Bytes of the tensors of such a weight.
struct PrunedBytes {
    std::int64_t values = 0;
    std::int64_t places = 0;  // or the mask
};
PrunedBytes prunedBytes(const NmPattern& pattern, std::int64_t kept, std::int64_t d1,
                        std::int64_t d2);

class PrunedWeight final : public StoredWeight {
  public:
    static constexpr const char* kForm = "pruned";

    explicit PrunedWeight(PrunedEntries entries) : m_entries(std::move(entries)) {}
    static StoredWeightPtr read(const StoredTensors& file);
    // What facts() tells of a weight of these sizes.
    static nlohmann::json factsOf(const NmPattern& pattern, std::int64_t kept, std::int64_t d1,
                                  std::int64_t d2);
    static Phrase describe(const nlohmann::json& facts);

    const PrunedEntries& entries() const { return m_entries; }

    const char* form() const override { return kForm; }
    Eigen::MatrixXf recomposed() const override;
    std::unique_ptr<WeightProduct> product() const override { return nullptr; }
    std::unique_ptr<LinearLayer> makeLayer(std::int64_t storedBytes) const override;
    nlohmann::json facts() const override;
    // One a weight that is kept; the paper has no such form.
    std::int64_t multiplications() const override;
    bool equals(const StoredWeight& other) const override;
    void write(MatrixTensors& tensors) const override;

  private:
    PrunedEntries m_entries;
};

}  // namespace cospadi
