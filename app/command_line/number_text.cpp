#include "app/command_line/number_text.h"

#include <cstdlib>

namespace cospadi::cli {

namespace {

constexpr int kBaseByPrefix = 0;

// Where a number ends that is all of the text.
bool isWhole(const std::string& text, const char* end) {
    return !text.empty() && end == text.c_str() + text.size();
}

}  // namespace

std::optional<std::int64_t> wholeNumberIn(const std::string& text) {
    char* end = nullptr;
    const std::int64_t number = std::strtoll(text.c_str(), &end, kBaseByPrefix);
    return isWhole(text, end) ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> unsignedNumberIn(const std::string& text) {
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(text.c_str(), &end, kBaseByPrefix);
    return isWhole(text, end) ? std::optional(number) : std::nullopt;
}

std::optional<double> realNumberIn(const std::string& text) {
    char* end = nullptr;
    const auto number = static_cast<double>(std::strtold(text.c_str(), &end));
    return isWhole(text, end) ? std::optional(number) : std::nullopt;
}

}  // namespace cospadi::cli
