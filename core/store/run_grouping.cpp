#include "core/store/run_grouping.h"

#include <algorithm>
#include <iterator>

#include "core/methods/rho_candidates.h"
#include "core/store/each_row.h"
#include "core/store/filter_condition.h"

namespace cospadi {

namespace {

constexpr const char* groupFields[] = {"method",     "solver", "layers", "model",      "status",
                                       "accounting", "cr",     "rho",    "iterations", "seed"};

static_assert(RunRow::kEachItsOwnRho == 0);
const std::string kRhoInWords = std::string("CASE rho WHEN 0 THEN '") + kAutoRho + "' ELSE rho END";

}  // namespace

std::vector<RunGroup> groupRuns(const std::vector<std::string>& fields, const RunFilter& filter,
                                StoreDatabase& database) {
    std::string columns;
    std::string values;
    for (const std::string& field : fields) {
        if (std::find(std::begin(groupFields), std::end(groupFields), field) ==
            std::end(groupFields)) {
            throw Error("runs cannot be grouped by this", field,
                        "there are: method, solver, layers, model, status, accounting, cr, rho, "
                        "iterations, seed");
        }
        columns += (columns.empty() ? "" : ", ") + field;
        values += ", " + (field == "rho" ? kRhoInWords : field);
    }
    return database.guarded([&] {
        const FilterCondition condition = conditionOf(filter);
        std::vector<RunGroup> groups;
        const std::string by =
            columns.empty() ? "" : " GROUP BY " + columns + " ORDER BY " + columns;
        eachRow(database,
                "SELECT count(*), avg(relative_error), min(relative_error), "
                "coalesce(sum(layer_bytes), 0), coalesce(sum(seconds), 0.0)" +
                    values + " FROM runs" + condition.where + by,
                condition.values, [&](RowReader& reader) {
                    RunGroup& row = groups.emplace_back();
                    reader >> row.runs >> row.meanError >> row.bestError >> row.bytes >>
                        row.seconds;
                    row.values.resize(fields.size());
                    for (std::string& value : row.values) {
                        reader >> value;
                    }
                });
        return groups;
    });
}

}  // namespace cospadi
