// A RunFilter as SQL. Private to core/store.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_filter.h"

namespace cospadi {

// Of a query over the table runs: begins with " WHERE", the values are those of its placeholders.
struct FilterCondition {
    std::string where = " WHERE 1";
    std::vector<std::string> values;

    void add(const char* sql, const std::string& value);  // nothing where the value is empty
};

// filter.limit is not part of it.
FilterCondition conditionOf(const RunFilter& filter);

}  // namespace cospadi
