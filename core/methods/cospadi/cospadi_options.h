// What can be set of CoSpaDi: the settings that count for it, and the options of its own.
#pragma once

#include <string>
#include <vector>

#include "core/methods/option.h"

namespace cospadi {

// A pattern N:M of codes, or any atoms: the option stands for an NmPattern.
inline constexpr const char* kCodePattern = "code_pattern";

// In which metric errors of layers that share a dictionary count; as the option's choices.
enum class GroupMetric { Mean, Balanced, Probed, Own };

// calibrated: of cospadi; else of cospadi-free, which has no metric to choose.
const std::vector<std::string>& cospadiSettings(bool calibrated);
const std::vector<Option>& cospadiOptions(bool calibrated);

}  // namespace cospadi
