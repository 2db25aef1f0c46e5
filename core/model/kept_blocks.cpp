#include "core/model/kept_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/error.h"

namespace cospadi {

namespace {

struct NumberInName {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t block = 0;
};

std::optional<NumberInName> blockIn(const std::string& name) {
    for (const std::string_view prefix : {"model.layers.", "blk."}) {
        if (!name.starts_with(prefix)) {
            continue;
        }
        NumberInName found{prefix.size(), name.find('.', prefix.size()), 0};
        if (found.end == std::string::npos) {
            return std::nullopt;
        }
        const char* end = name.data() + found.end;
        const auto [parsed, failed] = std::from_chars(name.data() + found.begin, end, found.block);
        return failed == std::errc() && parsed == end ? std::optional(found) : std::nullopt;
    }
    return std::nullopt;
}

std::string withNumber(const std::string& name, const NumberInName& number, std::int64_t block) {
    return name.substr(0, number.begin) + std::to_string(block) + name.substr(number.end);
}

}  // namespace

KeptBlocks::KeptBlocks(std::int64_t blocks, const std::vector<std::int64_t>& leftOut,
                       const std::string& where) {
    if (leftOut.empty()) {
        return;
    }
    for (std::int64_t block = 0; block < blocks; ++block) {
        if (std::find(leftOut.begin(), leftOut.end(), block) == leftOut.end()) {
            m_originals.push_back(block);
        }
    }
    const auto left = static_cast<std::int64_t>(m_originals.size());
    if (left == 0 || left + static_cast<std::int64_t>(leftOut.size()) != blocks) {
        throw Error(fmt::format("{} blocks cannot be removed from its {}: {}", leftOut.size(),
                                blocks, fmt::join(leftOut, ", ")),
                    where, "the run belongs to another model, or is damaged");
    }
}

std::int64_t KeptBlocks::countOf(std::int64_t blocks) const {
    return all() ? blocks : static_cast<std::int64_t>(m_originals.size());
}

std::int64_t KeptBlocks::original(std::int64_t place) const {
    const bool isKept = place >= 0 && place < static_cast<std::int64_t>(m_originals.size());
    return isKept ? m_originals[static_cast<std::size_t>(place)] : place;
}

std::optional<std::int64_t> KeptBlocks::placeOf(std::int64_t original) const {
    if (all()) {
        return original;
    }
    const auto found = std::lower_bound(m_originals.begin(), m_originals.end(), original);
    if (found == m_originals.end() || *found != original) {
        return std::nullopt;
    }
    return found - m_originals.begin();
}

std::string KeptBlocks::originalName(const std::string& name) const {
    const auto number = all() ? std::nullopt : blockIn(name);
    return number ? withNumber(name, *number, original(number->block)) : name;
}

std::optional<std::string> KeptBlocks::placedName(const std::string& name) const {
    const auto number = all() ? std::nullopt : blockIn(name);
    if (!number) {
        return name;
    }
    const auto place = placeOf(number->block);
    return place ? std::optional(withNumber(name, *number, *place)) : std::nullopt;
}

}  // namespace cospadi
