#include "core/store/filter_condition.h"

#include <nlohmann/json.hpp>

namespace cospadi {

void FilterCondition::add(const char* sql, const std::string& value) {
    if (!value.empty()) {
        where += sql;
        values.push_back(value);
    }
}

FilterCondition conditionOf(const RunFilter& filter) {
    FilterCondition condition;
    condition.add(" AND runs.model = ?", filter.model);
    condition.add(" AND runs.method = ?", filter.method);
    condition.add(" AND runs.solver = ?", filter.solver);
    condition.add(" AND runs.status = ?", filter.status);
    condition.add(" AND runs.key IN (SELECT run FROM tags WHERE tag = ?)", filter.tag);
    if (filter.ids) {
        condition.add(" AND runs.id IN (SELECT value FROM json_each(?))",
                      nlohmann::json(*filter.ids).dump());
    }
    if (filter.starredOnly) {
        condition.where += " AND runs.starred";
    }
    if (!filter.includeArchived) {
        condition.where += " AND NOT runs.archived";
    }
    if (!filter.text.empty()) {
        // instr() and not LIKE: what the user types has no wildcards.
        condition.where +=
            " AND (instr(lower(runs.id || char(10) || runs.model || char(10) || runs.method ||"
            " char(10) || runs.solver || char(10) || runs.layers), lower(?))"
            " OR runs.key IN (SELECT run FROM tags WHERE instr(lower(tag), lower(?)))"
            " OR runs.key IN (SELECT run FROM notes WHERE instr(lower(text), lower(?))))";
        condition.values.insert(condition.values.end(), 3, filter.text);
    }
    return condition;
}

}  // namespace cospadi
