#include "core/tokenizer/vocabulary.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace cospadi {

namespace {

constexpr std::size_t kLargestGap = 1 << 20;

}  // namespace

Vocabulary::Vocabulary(std::size_t expected)
    : m_expected(expected), m_slots(std::bit_ceil(std::max<std::size_t>(16, 2 * expected)), -1) {}

std::size_t Vocabulary::slotOf(std::string_view text) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t slot = std::hash<std::string_view>()(text) & mask;
    while (m_slots[slot] >= 0 && textOf(m_slots[slot]) != text) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

void Vocabulary::grow() {
    std::vector<std::int32_t> old(m_slots.size() * 2, -1);
    old.swap(m_slots);
    for (const std::int32_t id : old) {
        if (id >= 0) {
            m_slots[slotOf(textOf(id))] = id;
        }
    }
}

Vocabulary::Added Vocabulary::add(std::string_view text, std::int32_t id) {
    const auto index = static_cast<std::size_t>(id);
    if (id < 0 || index > std::max(m_expected, m_count) + kLargestGap ||
        m_texts.size() + text.size() >= kNone) {
        return Added::IdIsAbsurd;
    }
    if (contains(id)) {
        return Added::IdIsTaken;
    }
    if (2 * (m_count + 1) > m_slots.size()) {
        grow();
    }
    std::int32_t& slot = m_slots[slotOf(text)];
    if (slot >= 0) {
        return Added::TextIsKnown;
    }
    if (index >= m_entries.size()) {
        m_entries.resize(index + 1);
    }
    m_entries[index] = {static_cast<std::uint32_t>(m_texts.size()),
                        static_cast<std::uint32_t>(text.size())};
    m_texts += text;
    slot = id;
    ++m_count;
    return Added::Yes;
}

std::int32_t Vocabulary::idOf(std::string_view text) const { return m_slots[slotOf(text)]; }

bool Vocabulary::contains(std::int32_t id) const {
    return id >= 0 && id < size() && m_entries[static_cast<std::size_t>(id)].length != kNone;
}

std::string_view Vocabulary::textOf(std::int32_t id) const {
    if (!contains(id)) {
        return {};
    }
    const Entry& entry = m_entries[static_cast<std::size_t>(id)];
    return std::string_view(m_texts).substr(entry.offset, entry.length);
}

}  // namespace cospadi
