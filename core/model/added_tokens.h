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
    void add(const AddedToken& token);

    // Leftmost-longest matches of the tokens for which normalized equals the argument; special ones
    // only when withSpecial.
    std::vector<Segment> split(std::string_view text, bool normalized, bool withSpecial) const;

    const std::vector<AddedToken>& tokens() const { return m_tokens; }

  private:
    std::vector<AddedToken> m_tokens;
    std::array<std::vector<std::size_t>, 256> m_byFirstByte;  // longest first
};

}  // namespace cospadi
