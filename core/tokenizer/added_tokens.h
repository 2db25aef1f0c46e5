// Added tokens: strings such as <|im_start|> that are cut out of the text before anything else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

struct AddedToken {
    std::string content;
    std::int32_t id = -1;
    bool special = false;     // left out by decode(skipSpecial), plain text without parseSpecial
    bool normalized = false;  // searched in the normalised text
    bool leftStrip = false;   // swallows white space before it
    bool rightStrip = false;
    bool singleWord = false;  // only between non-word characters
};

// A stretch of text: plain (id < 0), or an added token.
struct Segment {
    std::string_view text;
    std::int32_t id = -1;
};

class AddedTokenMatcher {
  public:
    // pattern: what to search for, the content or its normalised form. Empty ones never match.
    void add(const AddedToken& token, std::string pattern);
    // Called once after all add().
    void finish();

    // Leftmost-longest matches; those of special tokens stay plain text without withSpecial.
    std::vector<Segment> split(std::string_view text, bool withSpecial) const;

  private:
    struct Entry {
        std::string pattern;
        AddedToken token;
    };
    // Entries first … last-1 begin with the same bytes.
    struct Range {
        std::size_t first = 0, last = 0;
    };

    const Entry* longestAt(std::string_view text, std::size_t at) const;

    std::vector<Entry> m_entries;  // sorted by pattern
    std::array<Range, 256> m_byFirstByte{};
};

}  // namespace cospadi
