#include "core/tokenizer/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <vector>

namespace cospadi {

namespace {

// Assigned in Unicode 14.1 to 16.
constexpr std::array kLetterRanges = {
    CharacterRange{0x1C89, 0x1C8A},   CharacterRange{0xA7CB, 0xA7CD},
    CharacterRange{0xA7DA, 0xA7DC},   CharacterRange{0x105C0, 0x105F3},
    CharacterRange{0x10D4A, 0x10D65}, CharacterRange{0x10D6F, 0x10D85},
    CharacterRange{0x10EC2, 0x10EC4}, CharacterRange{0x1123F, 0x11240},
    CharacterRange{0x11380, 0x11389}, CharacterRange{0x1138B, 0x1138B},
    CharacterRange{0x1138E, 0x1138E}, CharacterRange{0x11390, 0x113B5},
    CharacterRange{0x113B7, 0x113B7}, CharacterRange{0x113D1, 0x113D1},
    CharacterRange{0x113D3, 0x113D3}, CharacterRange{0x11BC0, 0x11BE0},
    CharacterRange{0x11F02, 0x11F02}, CharacterRange{0x11F04, 0x11F10},
    CharacterRange{0x11F12, 0x11F33}, CharacterRange{0x1342F, 0x1342F},
    CharacterRange{0x13441, 0x13446}, CharacterRange{0x13460, 0x143FA},
    CharacterRange{0x16100, 0x1611D}, CharacterRange{0x16D40, 0x16D6C},
    CharacterRange{0x18CFF, 0x18CFF}, CharacterRange{0x1B132, 0x1B132},
    CharacterRange{0x1B155, 0x1B155}, CharacterRange{0x1DF25, 0x1DF2A},
    CharacterRange{0x1E030, 0x1E06D}, CharacterRange{0x1E4D0, 0x1E4EB},
    CharacterRange{0x1E5D0, 0x1E5ED}, CharacterRange{0x1E5F0, 0x1E5F0},
    CharacterRange{0x2B739, 0x2B739}, CharacterRange{0x2EBF0, 0x2EE5D},
    CharacterRange{0x31350, 0x323AF}};
constexpr std::array kNumberRanges = {
    CharacterRange{0x10D40, 0x10D49}, CharacterRange{0x116D0, 0x116E3},
    CharacterRange{0x11BF0, 0x11BF9}, CharacterRange{0x11F50, 0x11F59},
    CharacterRange{0x16130, 0x16139}, CharacterRange{0x16D70, 0x16D79},
    CharacterRange{0x1CCF0, 0x1CCF9}, CharacterRange{0x1D2C0, 0x1D2D3},
    CharacterRange{0x1E4F0, 0x1E4F9}, CharacterRange{0x1E5F1, 0x1E5FA}};

constexpr std::array kMarkRanges = {
    CharacterRange{0x897, 0x897},     CharacterRange{0xCF3, 0xCF3},
    CharacterRange{0xECE, 0xECE},     CharacterRange{0x10D69, 0x10D6D},
    CharacterRange{0x10EFC, 0x10EFF}, CharacterRange{0x11241, 0x11241},
    CharacterRange{0x113B8, 0x113C0}, CharacterRange{0x113C2, 0x113C2},
    CharacterRange{0x113C5, 0x113C5}, CharacterRange{0x113C7, 0x113CA},
    CharacterRange{0x113CC, 0x113D0}, CharacterRange{0x113D2, 0x113D2},
    CharacterRange{0x113E1, 0x113E2}, CharacterRange{0x1171E, 0x1171E},
    CharacterRange{0x11F00, 0x11F01}, CharacterRange{0x11F03, 0x11F03},
    CharacterRange{0x11F34, 0x11F3A}, CharacterRange{0x11F3E, 0x11F42},
    CharacterRange{0x11F5A, 0x11F5A}, CharacterRange{0x13440, 0x13440},
    CharacterRange{0x13447, 0x13455}, CharacterRange{0x1611E, 0x1612F},
    CharacterRange{0x1E08F, 0x1E08F}, CharacterRange{0x1E4EC, 0x1E4EF},
    CharacterRange{0x1E5EE, 0x1E5EF}};

constexpr char32_t kTableEnd = 0x32400;  // beyond are only marks and private use

bool isSpaceIn(char32_t c) {
    return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
           c == 0x205F || c == 0x3000;
}

std::vector<CharacterClass> makeTable() {
    std::vector<CharacterClass> table(kTableEnd, CharacterClass::Other);
    for (char32_t c = 0; c < kTableEnd; ++c) {
        const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
        if (isSpaceIn(c)) {
            table[c] = CharacterClass::Space;
        } else if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) {
            table[c] = CharacterClass::Letter;
        } else if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) {
            table[c] = CharacterClass::Number;
        }
    }
    const auto set = [&](const auto& ranges, CharacterClass value) {
        for (const CharacterRange& range : ranges) {
            for (char32_t c = range.first; c <= range.last; ++c) {
                table[c] = value;
            }
        }
    };
    set(kLetterRanges, CharacterClass::Letter);
    set(kNumberRanges, CharacterClass::Number);
    return table;
}

const std::vector<CharacterClass>& table() {
    static const std::vector<CharacterClass> kTable = makeTable();
    return kTable;
}

}  // namespace

CharacterClass characterClass(char32_t codepoint) {
    return codepoint < kTableEnd ? table()[codepoint] : CharacterClass::Other;
}

bool isWhiteSpace(char32_t codepoint) { return isSpaceIn(codepoint); }

bool isNumeric(char32_t c) {
    return characterClass(c) == CharacterClass::Number || (c >= 0x11DE0 && c <= 0x11DE9) ||
           (c >= 0x16FF4 && c <= 0x16FF6);
}

bool isWordCharacter(char32_t c) {
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    const bool circledLetter = (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
                               (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
    const bool newer =
        category == UTF8PROC_CATEGORY_CN &&
        (characterClass(c) != CharacterClass::Other ||
         std::any_of(kMarkRanges.begin(), kMarkRanges.end(),
                     [c](const CharacterRange& r) { return r.first <= c && c <= r.last; }));
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
           category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D || circledLetter || newer;
}

}  // namespace cospadi
