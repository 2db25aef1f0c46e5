#include "core/forms/pruned/pruning_pattern.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr const char* kUnstructured = "unstructured";

}  // namespace

std::string PruningPattern::name() const {
    return isGrouped() ? fmt::format("{}:{}", kept, group) : kUnstructured;
}

PruningPattern pruningPatternFromName(const std::string& name) {
    PruningPattern pattern;
    if (name == kUnstructured) {
        return pattern;
    }
    const char* end = name.data() + name.size();
    const auto kept = std::from_chars(name.data(), end, pattern.kept);
    const bool colon = kept.ec == std::errc() && kept.ptr != end && *kept.ptr == ':';
    const auto group = colon ? std::from_chars(kept.ptr + 1, end, pattern.group)
                             : std::from_chars_result{name.data(), std::errc::invalid_argument};
    if (group.ec != std::errc() || group.ptr != end || pattern.kept < 1 ||
        pattern.kept >= pattern.group || pattern.group > PruningPattern::kMostOfGroup) {
        throw Error(fmt::format("'{}' is not a pattern", name), "pattern",
                    fmt::format("use {} or N:M, such as 2:4, with M of at most {}", kUnstructured,
                                PruningPattern::kMostOfGroup));
    }
    return pattern;
}

}  // namespace cospadi
