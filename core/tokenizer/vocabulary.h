// The tokens of a tokenizer: texts and ids, both ways.
//
// Texts lie in one string, so a vocabulary of 10^5 tokens is a few allocations. Ids may have gaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

class Vocabulary {
  public:
    enum class Added { Yes, TextIsKnown, IdIsTaken, IdIsAbsurd };

    // expected: about how many tokens will come; ids far beyond that count are absurd.
    explicit Vocabulary(std::size_t expected = 0);

    // Refuses what would make text and id ambiguous.
    Added add(std::string_view text, std::int32_t id);

    // -1 when there is none.
    std::int32_t idOf(std::string_view text) const;
    bool contains(std::int32_t id) const;
    // Empty for ids without a token.
    std::string_view textOf(std::int32_t id) const;

    std::size_t count() const { return m_count; }
    // The largest id plus one.
    std::int64_t size() const { return static_cast<std::int64_t>(m_entries.size()); }

  private:
    struct Entry {
        std::uint32_t offset = 0;
        std::uint32_t length = kNone;
    };
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    std::size_t slotOf(std::string_view text) const;
    void grow();

    std::size_t m_expected;
    std::size_t m_count = 0;
    std::string m_texts;
    std::vector<Entry> m_entries;       // by id
    std::vector<std::int32_t> m_slots;  // open addressing, -1 is empty
};

}  // namespace cospadi
