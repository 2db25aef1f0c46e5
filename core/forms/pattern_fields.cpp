#include "core/forms/pattern_fields.h"

#include <fmt/format.h>

namespace cospadi {

namespace {

constexpr const char* kKeptField = "kept";
constexpr const char* kGroupField = "group";

}  // namespace

void describePattern(const NmPattern& pattern, MatrixTensors& tensors) {
    tensors.setMetadata(kKeptField, std::to_string(pattern.kept));
    tensors.setMetadata(kGroupField, std::to_string(pattern.group));
}

NmPattern patternOf(const StoredTensors& file) {
    NmPattern pattern;
    if (!file.has(kGroupField)) {
        return pattern;
    }
    pattern.group = static_cast<int>(file.number(kGroupField, 0, NmPattern::kMostOfGroup));
    pattern.kept = static_cast<int>(file.number(kKeptField, 0, NmPattern::kMostOfGroup));
    const bool isPattern =
        pattern.isGrouped() ? pattern.kept > 0 && pattern.kept < pattern.group : pattern.kept == 0;
    if (!isPattern) {
        file.reject(fmt::format("{} of {} is not a pattern", pattern.kept, pattern.group));
    }
    return pattern;
}

}  // namespace cospadi
