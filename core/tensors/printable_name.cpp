#include "core/tensors/printable_name.h"

#include <cstddef>

namespace cospadi {

namespace {

constexpr std::size_t kLongest = 120;

// Bytes of the well-formed UTF-8 character at the start of text (not empty), or 0.
std::size_t characterLength(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xe0 && first < 0xf0) {
        const bool overlong = first == 0xe0 && byte(1) < 0xa0;
        const bool surrogate = first == 0xed && byte(1) >= 0xa0;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xf0 && first < 0xf5) {
        const bool overlong = first == 0xf0 && byte(1) < 0x90;
        const bool beyond = first == 0xf4 && byte(1) >= 0x90;
        return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string printableName(std::string_view name) {
    std::string result;
    while (!name.empty()) {
        if (result.size() > kLongest) {
            return result + "…";
        }
        const std::size_t length = characterLength(name);
        const auto first = static_cast<unsigned char>(name[0]);
        if (length == 0 || first < 0x20 || first == 0x7f) {
            result += '?';
            name.remove_prefix(1);
        } else {
            result += name.substr(0, length);
            name.remove_prefix(length);
        }
    }
    return result;
}

}  // namespace cospadi
