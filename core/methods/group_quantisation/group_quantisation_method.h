// Methods whose form is integers of a few bits in groups: what they share but for how the codes are
// found.
#pragma once

#include "core/methods/group_quantisation/group_rounding.h"
#include "core/methods/method.h"

namespace cospadi {

class GroupQuantisationMethod : public Method {
  public:
    const char* form() const override { return GroupQuantisedWeight::kForm; }

    // bits, group_size and zero_point: described once, own options of every method of the family.
    static const std::vector<Option>& groupOptions();

    void requireShape(const MatrixOptions& options, std::int64_t d1,
                      std::int64_t d2) const override;
    StoragePlan plan(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const override;

  protected:
    // Throws Error as requireShape(), naming group_size where groups do not divide d1.
    GroupSettings groupSettings(const MatrixOptions& options, std::int64_t d1) const;
};

}  // namespace cospadi
