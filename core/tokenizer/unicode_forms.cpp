#include "core/tokenizer/unicode_forms.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/error.h"
#include "core/tokenizer/characters.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

// Characters with a combining class, decomposition or composition that the package does not know.
constexpr std::array kNewer = {CharacterRange{0x7FD, 0x7FD},     CharacterRange{0x897, 0x89F},
                               CharacterRange{0x8CA, 0x8D3},     CharacterRange{0x9FE, 0x9FE},
                               CharacterRange{0xC3C, 0xC3C},     CharacterRange{0xD3B, 0xD3C},
                               CharacterRange{0xEBA, 0xEBA},     CharacterRange{0x1715, 0x1715},
                               CharacterRange{0x1ABF, 0x1AEB},   CharacterRange{0x1DF6, 0x1DFA},
                               CharacterRange{0xA82C, 0xA82C},   CharacterRange{0x105C9, 0x105C9},
                               CharacterRange{0x105D2, 0x105E4}, CharacterRange{0x10D24, 0x10D27},
                               CharacterRange{0x10D69, 0x10D6D}, CharacterRange{0x10EAB, 0x10EAC},
                               CharacterRange{0x10EFA, 0x10EFF}, CharacterRange{0x10F46, 0x10F50},
                               CharacterRange{0x10F82, 0x10F85}, CharacterRange{0x11070, 0x11070},
                               CharacterRange{0x1133B, 0x1133B}, CharacterRange{0x11380, 0x113E2},
                               CharacterRange{0x1145E, 0x1145E}, CharacterRange{0x11839, 0x1183A},
                               CharacterRange{0x11930, 0x11943}, CharacterRange{0x119E0, 0x119E0},
                               CharacterRange{0x11A34, 0x11A34}, CharacterRange{0x11A47, 0x11A47},
                               CharacterRange{0x11A99, 0x11A99}, CharacterRange{0x11D42, 0x11D45},
                               CharacterRange{0x11D97, 0x11D97}, CharacterRange{0x11F00, 0x11F5A},
                               CharacterRange{0x16100, 0x1612F}, CharacterRange{0x16D40, 0x16D6C},
                               CharacterRange{0x16FF0, 0x16FF1}, CharacterRange{0x1E08F, 0x1E08F},
                               CharacterRange{0x1E130, 0x1E136}, CharacterRange{0x1E2AE, 0x1E2AE},
                               CharacterRange{0x1E2EC, 0x1E2EF}, CharacterRange{0x1E4EC, 0x1E4EF},
                               CharacterRange{0x1E5EE, 0x1E5EF}, CharacterRange{0x1E6E0, 0x1E6FF}};

// The same for the compatibility forms alone.
constexpr std::array kNewerCompatibility = {
    CharacterRange{0x32FF, 0x32FF},   CharacterRange{0xA7F1, 0xA7F4},
    CharacterRange{0xAB69, 0xAB69},   CharacterRange{0x10781, 0x107BA},
    CharacterRange{0x1CCD6, 0x1CCF9}, CharacterRange{0x1E030, 0x1E06D},
    CharacterRange{0x1F16C, 0x1F16C}, CharacterRange{0x1FBF0, 0x1FBF9}};

template <std::size_t N>
bool inRanges(const std::array<CharacterRange, N>& ranges, char32_t c) {
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), c,
                         [](char32_t v, const CharacterRange& r) { return v < r.first; });
    return after != ranges.begin() && c <= std::prev(after)->last;
}

class Normalizer {
  public:
    Normalizer(UnicodeForm form, std::string& out)
        : m_compatible(form == UnicodeForm::Nfkc || form == UnicodeForm::Nfkd), m_out(out) {
        const bool compose = form == UnicodeForm::Nfc || form == UnicodeForm::Nfkc;
        const int options = UTF8PROC_STABLE | (m_compatible ? UTF8PROC_COMPAT : 0);
        m_decompose = static_cast<utf8proc_option_t>(options | UTF8PROC_DECOMPOSE);
        m_compose = static_cast<utf8proc_option_t>(options | (compose ? UTF8PROC_COMPOSE : 0));
        m_composes = compose;
    }

    void add(char32_t c) {
        if (inRanges(kNewer, c) || (m_compatible && inRanges(kNewerCompatibility, c))) {
            flush();
            m_out += encodeUtf8(c);
            return;
        }
        std::array<utf8proc_int32_t, 32> parts{};
        int boundary = 0;
        const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(),
                                                   static_cast<utf8proc_ssize_t>(parts.size()),
                                                   m_decompose, &boundary);
        if (count < 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
            throw Error("a character cannot be normalised", "text", "remove it");
        }
        m_buffer.insert(m_buffer.end(), parts.begin(), parts.begin() + count);
    }

    void flush() {
        const auto classOf = [](utf8proc_int32_t c) {
            return utf8proc_get_property(c)->combining_class;
        };
        for (auto begin = m_buffer.begin(); begin != m_buffer.end();) {
            if (classOf(*begin) == 0) {
                ++begin;
                continue;
            }
            const auto end = std::find_if(begin, m_buffer.end(),
                                          [&](utf8proc_int32_t c) { return classOf(c) == 0; });
            std::stable_sort(begin, end, [&](utf8proc_int32_t a, utf8proc_int32_t b) {
                return classOf(a) < classOf(b);
            });
            begin = end;
        }
        auto length = static_cast<utf8proc_ssize_t>(m_buffer.size());
        if (m_composes && length > 0) {
            length = utf8proc_normalize_utf32(m_buffer.data(), length, m_compose);
        }
        for (utf8proc_ssize_t i = 0; i < length; ++i) {
            m_out += encodeUtf8(static_cast<char32_t>(m_buffer[static_cast<std::size_t>(i)]));
        }
        m_buffer.clear();
    }

  private:
    bool m_compatible;
    bool m_composes = false;
    std::string& m_out;
    utf8proc_option_t m_decompose{};
    utf8proc_option_t m_compose{};
    std::vector<utf8proc_int32_t> m_buffer;
};

}  // namespace

std::string normalizeUnicode(std::string_view text, UnicodeForm form) {
    std::string out;
    out.reserve(text.size());
    Normalizer normalizer(form, out);
    for (std::size_t i = 0; i < text.size();) {
        const Character character = characterAt(text, i);
        normalizer.add(character.codepoint);
        i += character.length;
    }
    normalizer.flush();
    return out;
}

// The first character that is no form C of itself, or combines with its neighbours, is U+0300.
bool isPlainlyNfc(std::string_view text) {
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) >= 0xCC; });
}

}  // namespace cospadi
