#include "core/tokenizer/known_patterns.h"

#include <algorithm>
#include <limits>

#include "core/tokenizer/characters.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
const char* const kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
const char* const kQwen2Pattern = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                                  R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

class Cursor {
  public:
    Cursor(std::string_view text, std::size_t at) : m_text(text), m_at(at) { look(); }

    bool atEnd() const { return m_at >= m_text.size(); }
    std::size_t at() const { return m_at; }
    char32_t codepoint() const { return m_character.codepoint; }
    bool is(CharacterClass wanted) const { return !atEnd() && m_class == wanted; }
    bool isLineEnd() const { return !atEnd() && (codepoint() == '\n' || codepoint() == '\r'); }

    void next() {
        m_at += m_character.length;
        look();
    }
    // Passes up to `most` characters of the class; how many there were.
    std::size_t pass(CharacterClass wanted, std::size_t most = kAll) {
        std::size_t count = 0;
        for (; count < most && is(wanted); ++count) {
            next();
        }
        return count;
    }

  private:
    void look() {
        if (!atEnd()) {
            m_character = characterAt(m_text, m_at);
            m_class = characterClass(m_character.codepoint);
        }
    }

    std::string_view m_text;
    std::size_t m_at;
    Character m_character;
    CharacterClass m_class = CharacterClass::Other;
};

// Bytes of an English contraction such as 're at text[at]; 0 when there is none. Ignoring case, the
// long s (U+017F) counts as an s.
std::size_t contraction(std::string_view text, std::size_t at, bool ignoreCase) {
    if (text[at] != '\'') {
        return 0;
    }
    const std::string_view rest = text.substr(at + 1, 2);
    if (ignoreCase && rest == "\xC5\xBF") {
        return 3;
    }
    const auto is = [&](std::string_view wanted) {
        return rest.size() >= wanted.size() &&
               std::equal(wanted.begin(), wanted.end(), rest.begin(), [&](char a, char b) {
                   return a == b || (ignoreCase && a - 'a' + 'A' == b);
               });
    };
    for (const std::string_view one : {"s", "t", "m", "d", "re", "ve", "ll"}) {
        if (is(one)) {
            return 1 + one.size();
        }
    }
    return 0;
}

// \s+(?!\S)|\s+ : white space leaves its last character to what follows it.
std::size_t endOfSpaces(std::string_view text, std::size_t at) {
    Cursor cursor(text, at);
    std::size_t last = at;
    std::size_t count = 0;
    for (; cursor.is(CharacterClass::Space); ++count) {
        last = cursor.at();
        cursor.next();
    }
    return cursor.atEnd() || count == 1 ? cursor.at() : last;
}

std::size_t gpt2(std::string_view text, std::size_t at) {
    if (const std::size_t length = contraction(text, at, false)) {
        return at + length;
    }
    Cursor cursor(text, at);
    if (cursor.codepoint() == ' ') {
        cursor.next();
    }
    for (const CharacterClass one :
         {CharacterClass::Letter, CharacterClass::Number, CharacterClass::Other}) {
        if (cursor.pass(one) > 0) {
            return cursor.at();
        }
    }
    return endOfSpaces(text, at);
}

std::size_t llama3WithDigits(std::string_view text, std::size_t at, std::size_t mostDigits) {
    if (const std::size_t length = contraction(text, at, true)) {
        return at + length;
    }
    Cursor cursor(text, at);
    if (!cursor.isLineEnd() && !cursor.is(CharacterClass::Letter) &&
        !cursor.is(CharacterClass::Number)) {
        cursor.next();
    }
    if (cursor.pass(CharacterClass::Letter) > 0) {
        return cursor.at();
    }
    cursor = Cursor(text, at);
    if (cursor.pass(CharacterClass::Number, mostDigits) > 0) {
        return cursor.at();
    }
    if (cursor.codepoint() == ' ') {
        cursor.next();
    }
    if (cursor.pass(CharacterClass::Other) > 0) {
        while (cursor.isLineEnd()) {
            cursor.next();
        }
        return cursor.at();
    }
    std::size_t afterLineEnd = 0;  // \s*[\r\n]+ reaches the last line end of the white space
    for (cursor = Cursor(text, at); cursor.is(CharacterClass::Space);) {
        const bool lineEnd = cursor.isLineEnd();
        cursor.next();
        afterLineEnd = lineEnd ? cursor.at() : afterLineEnd;
    }
    return afterLineEnd > 0 ? afterLineEnd : endOfSpaces(text, at);
}

std::size_t llama3(std::string_view text, std::size_t at) { return llama3WithDigits(text, at, 3); }

std::size_t qwen2(std::string_view text, std::size_t at) { return llama3WithDigits(text, at, 1); }

}  // namespace

Scanner scannerFor(const std::string& regex) {
    if (regex == kGpt2Pattern) {
        return gpt2;
    }
    if (regex == kLlama3Pattern) {
        return llama3;
    }
    return regex == kQwen2Pattern ? qwen2 : nullptr;
}

}  // namespace cospadi
