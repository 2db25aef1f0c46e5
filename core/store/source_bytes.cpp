#include "core/store/source_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/byte_text.h"

namespace cospadi {

namespace {

// Which no disk holds: more is damage, and sums of it would overflow.
constexpr std::int64_t kLargest = std::int64_t{1} << 53;

}  // namespace

void SourceBytes::add(const std::string& type, std::int64_t bytes) {
    if (bytes > 0 && bytes <= kLargest) {
        m_byType[type] += bytes;
    } else {
        m_unknown = true;
    }
}

std::int64_t SourceBytes::bytes() const {
    std::int64_t sum = 0;
    for (const auto& [type, bytes] : m_byType) {
        sum += bytes;
    }
    return known() ? sum : 0;
}

std::string SourceBytes::types() const {
    if (!known()) {
        return {};
    }
    std::vector<std::pair<std::string, std::int64_t>> types(m_byType.begin(), m_byType.end());
    std::stable_sort(types.begin(), types.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [type, bytes] : types) {
        text += (text.empty() ? "" : ", ") + type;
    }
    return text;
}

std::string largerThanSource(std::int64_t bytes, const std::string& sourceTypes,
                             std::int64_t sourceBytes) {
    if (sourceBytes <= 0 || bytes <= sourceBytes) {
        return {};
    }
    return fmt::format(
        "the compressed layers take {}, more than the {} of the same layers in the model's own "
        "file ({}); CR is relative to bf16",
        byteText(static_cast<double>(bytes)), byteText(static_cast<double>(sourceBytes)),
        sourceTypes);
}

}  // namespace cospadi
