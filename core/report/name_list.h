// Lists of names: of settings that stand along an axis, of a table's rows and columns.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace cospadi {

inline bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace cospadi
