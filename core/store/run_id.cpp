#include "core/store/run_id.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

constexpr std::size_t kLongest = 200;  // a file name has 255

bool isIdCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

}  // namespace

bool isRunId(std::string_view text) {
    return !text.empty() && text.size() <= kLongest && text.front() != '.' &&
           std::all_of(text.begin(), text.end(), isIdCharacter);
}

void requireRunId(std::string_view id, const std::string& where) {
    if (!isRunId(id)) {
        throw Error(
            "\"" + printableName(id) + "\" is not the id of a run", where,
            "an id consists of letters, digits, '.', '_' and '-', and does not begin with '.'");
    }
}

}  // namespace cospadi
