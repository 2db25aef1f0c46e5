#include "core/tokenizer/piece_cache.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace cospadi {

namespace {

constexpr std::size_t kFirstEntries = 1 << 14;

}  // namespace

PieceCache::PieceCache(std::size_t textSize)
    : m_entries(std::bit_ceil(std::clamp<std::size_t>(textSize / 2, 16, kFirstEntries))) {}

PieceCache::Entry& PieceCache::slotOf(std::string_view piece) {
    const std::size_t mask = m_entries.size() - 1;
    std::size_t slot = std::hash<std::string_view>()(piece) & mask;
    while (m_entries[slot].text != nullptr &&
           std::string_view(m_entries[slot].text, m_entries[slot].length) != piece) {
        slot = (slot + 1) & mask;
    }
    return m_entries[slot];
}

void PieceCache::grow() {
    std::vector<Entry> old(m_entries.size() * 4);
    old.swap(m_entries);
    for (const Entry& entry : old) {
        if (entry.text != nullptr) {
            slotOf({entry.text, entry.length}) = entry;
        }
    }
}

PieceCache::Entry& PieceCache::entryFor(std::string_view piece) {
    if (2 * (m_used + 1) > m_entries.size()) {
        grow();
    }
    Entry& entry = slotOf(piece);
    if (entry.text == nullptr) {
        entry.text = piece.data();
        entry.length = static_cast<std::uint32_t>(piece.size());
        ++m_used;
    }
    return entry;
}

}  // namespace cospadi
