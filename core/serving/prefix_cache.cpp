#include "core/serving/prefix_cache.h"

#include <algorithm>

namespace cospadi {

namespace {

std::int64_t commonLength(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
    return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

}  // namespace

std::int64_t ComputedSequence::bytes() const {
    const auto scored = static_cast<std::int64_t>(scores.size());
    return cache.bytes() + static_cast<std::int64_t>(sizeof(float)) * hidden.size() +
           scored * static_cast<std::int64_t>(sizeof(TokenScore) + 16 * std::max(topTokens, 1)) +
           static_cast<std::int64_t>(sizeof(std::int32_t) * ids.size());
}

PrefixCache::Match PrefixCache::longest(std::span<const std::int32_t> ids) {
    auto best = m_entries.end();
    std::int64_t length = 0;
    for (auto entry = m_entries.begin(); entry != m_entries.end(); ++entry) {
        const std::int64_t common = commonLength(ids, entry->ids);
        if (common > length) {
            best = entry;
            length = common;
        }
    }
    if (best == m_entries.end()) {
        return {};
    }
    m_entries.splice(m_entries.begin(), m_entries, best);
    return {&m_entries.front(), length};
}

bool PrefixCache::wants(std::span<const std::int32_t> ids, std::int64_t bytes) const {
    const auto size = static_cast<std::int64_t>(ids.size());
    return bytes <= m_maxBytes &&
           std::none_of(m_entries.begin(), m_entries.end(), [&](const ComputedSequence& entry) {
               const std::int64_t common = commonLength(ids, entry.ids);
               const bool entryEnds = common == static_cast<std::int64_t>(entry.ids.size());
               return common == size || (!entryEnds && 2 * common > size);
           });
}

void PrefixCache::insert(ComputedSequence sequence) {
    const std::int64_t bytes = sequence.bytes();
    if (!wants(sequence.ids, bytes)) {
        return;
    }
    const auto drop = [this](std::list<ComputedSequence>::iterator entry) {
        m_bytes -= entry->bytes();
        return m_entries.erase(entry);
    };
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        const bool isBeginning =
            commonLength(sequence.ids, entry->ids) == static_cast<std::int64_t>(entry->ids.size());
        entry = isBeginning ? drop(entry) : std::next(entry);
    }
    while (m_bytes + bytes > m_maxBytes) {
        drop(std::prev(m_entries.end()));
    }
    m_entries.push_front(std::move(sequence));
    m_bytes += bytes;
}

}  // namespace cospadi
