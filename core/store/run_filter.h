// Which runs of the store are meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cospadi {

// Empty fields do not restrict. Newest runs first.
struct RunFilter {
    std::string text;  // occurs in id, model, method, layers, a tag or a note
    std::string model;
    std::string method;
    std::string solver;
    std::string status;
    std::string tag;
    bool starredOnly = false;
    bool includeArchived = false;
    int limit = 0;                                     // 0 = all
    std::optional<std::vector<std::string>> ids = {};  // of these alone
    // RunRow::multiplications, too: a sum over all matrices, 0.5 s of 10,000 large runs.
    bool multiplications = false;
};

}  // namespace cospadi
