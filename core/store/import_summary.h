// What came of taking many runs into the store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cospadi {

struct ImportSummary {
    std::int64_t imported = 0;
    std::vector<std::string> notes;     // as of RunStore::importRun
    std::vector<std::string> warnings;  // directories that were passed over, and why
};

}  // namespace cospadi
