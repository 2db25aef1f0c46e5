// The rows of a query, one after the other. Private to core/store.
#pragma once

#include <string>
#include <vector>

#include "core/store/store_database.h"

namespace cospadi {

// values: of the query's placeholders, in order. take(RowReader&), once a row.
template <class Take>
void eachRow(StoreDatabase& database, const std::string& sql,
             const std::vector<std::string>& values, Take&& take) {
    SQLite::Statement& statement = database.statement(sql);
    Binder binder(statement);
    for (const std::string& value : values) {
        binder << value;
    }
    while (statement.executeStep()) {
        RowReader reader(statement);
        take(reader);
    }
    statement.tryReset();
}

}  // namespace cospadi
