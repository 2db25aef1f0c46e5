#include "core/tensors/printable_name.h"

#include <cstddef>

#include "core/base/printable_text.h"

namespace cospadi {

namespace {

constexpr std::size_t kLongest = 120;

}  // namespace

std::string printableName(std::string_view name) {
    std::string result;
    while (!name.empty()) {
        if (result.size() > kLongest) {
            return result + "…";
        }
        const std::size_t length = utf8CharacterLength(name);
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
