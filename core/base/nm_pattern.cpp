#include "core/base/nm_pattern.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr const char* kUnstructured = "unstructured";

std::uint32_t binomial(int n, int k) {
    if (k > n) {
        return 0;
    }
    std::uint64_t value = 1;
    for (int i = 0; i < k; ++i) {
        value = value * static_cast<std::uint64_t>(n - i) / static_cast<std::uint64_t>(i + 1);
    }
    return static_cast<std::uint32_t>(value);  // C(32, 16) has 30 bits
}

}  // namespace

std::string NmPattern::name() const {
    return isGrouped() ? fmt::format("{}:{}", kept, group) : kUnstructured;
}

int NmPattern::choiceBits() const { return std::bit_width(choices(*this) - 1); }

NmPattern nmPatternFromName(const std::string& name, const char* field, int mostOfGroup) {
    NmPattern pattern;
    if (name == kUnstructured) {
        return pattern;
    }
    const char* end = name.data() + name.size();
    const auto kept = std::from_chars(name.data(), end, pattern.kept);
    const bool colon = kept.ec == std::errc() && kept.ptr != end && *kept.ptr == ':';
    const auto group = colon ? std::from_chars(kept.ptr + 1, end, pattern.group)
                             : std::from_chars_result{name.data(), std::errc::invalid_argument};
    if (group.ec != std::errc() || group.ptr != end || pattern.kept < 1 ||
        pattern.kept >= pattern.group || pattern.group > mostOfGroup) {
        throw Error(fmt::format("'{}' is not a pattern", name), field,
                    fmt::format("use {} or N:M, such as 2:4, with M of at most {}", kUnstructured,
                                mostOfGroup));
    }
    return pattern;
}

std::uint32_t choices(const NmPattern& pattern) { return binomial(pattern.group, pattern.kept); }

std::uint32_t choiceNumber(std::uint32_t places) {
    std::uint32_t number = 0;
    for (int i = 1; places != 0; ++i) {
        number += binomial(std::countr_zero(places), i);
        places &= places - 1;
    }
    return number;
}

std::uint32_t placesOfChoice(std::uint32_t number, const NmPattern& pattern) {
    std::uint32_t places = 0;
    int place = pattern.group - 1;
    for (int i = pattern.kept; i > 0; --i, --place) {
        while (binomial(place, i) > number) {
            --place;
        }
        number -= binomial(place, i);
        places |= 1U << static_cast<unsigned>(place);
    }
    return places;
}

}  // namespace cospadi
