// Methods whose form is `pruned`: what they share but for which weights they keep and what those
// become.
//
//   unstructured   the shared CR says how many weights a layer keeps (prunedBudget())
//   2:4, 4:8       half of them, whatever the CR: 9 and 9.5 bits a position
#pragma once

#include <optional>

#include "core/forms/pruned/pruned_weight.h"
#include "core/methods/method.h"

namespace cospadi {

class PruningMethod : public Method {
  public:
    const char* form() const override { return PrunedWeight::kForm; }
    bool needsCalibration() const override { return true; }
    const std::vector<std::string>& settings() const override;
    const std::vector<Option>& ownOptions() const override;  // pattern, the same for all
    bool hasRatio(const MatrixOptions& options) const override;

    // Throws Error naming `pattern` where its groups do not divide d1.
    void requireShape(const MatrixOptions& options, std::int64_t d1,
                      std::int64_t d2) const override;
    // Throws Error as requireShape() and prunedBudget() do.
    StoragePlan plan(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const override;
    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& callback,
                           const std::stop_token& stop) const override;

  protected:
    // `kept` weights in all; nullopt when stopped. With a pattern N:M they are N of every group.
    virtual std::optional<PrunedEntries> prune(const MatrixProblem& problem,
                                               const NmPattern& pattern, std::int64_t kept,
                                               const std::stop_token& stop) const = 0;

  private:
    NmPattern patternOf(const MatrixOptions& options) const;
    std::int64_t keptWeights(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const;
};

}  // namespace cospadi
