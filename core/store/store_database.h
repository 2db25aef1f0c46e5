// The open database behind RunStore: connection, statement cache, and SQLite's errors put in words.
// Private to core/store.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/error.h"
#include "core/store/run_row.h"

namespace cospadi {

// SQLite's error as the project's: what happened, which file, what to do.
Error storeError(const SQLite::Exception& error, const std::filesystem::path& path);

// Waits 10 s for a busy file. For reading, also where the file or its folder may not be written.
SQLite::Database connectStore(const std::filesystem::path& path, bool mayWrite);

class StoreDatabase {
  public:
    StoreDatabase(std::filesystem::path path, SQLite::Database connection)
        : m_path(std::move(path)), m_connection(std::move(connection)) {}

    const std::filesystem::path& path() const { return m_path; }
    SQLite::Database& connection() { return m_connection; }

    // Prepared once, then reset and reused. Valid until the next call with the same text.
    SQLite::Statement& statement(const std::string& sql);

    // The internal key of a run given by its id, its directory or the beginning of its id. Throws
    // Error.
    std::int64_t keyOf(const std::string& run);

    std::optional<std::int64_t> keyOfId(const std::string& id);

    // One transaction: all of `change` or nothing.
    void write(const std::function<void()>& change);

    // Runs `work` and puts SQLite's errors in words.
    template <class Work>
    auto guarded(Work&& work) -> decltype(work()) {
        try {
            return work();
        } catch (const SQLite::Exception& error) {
            throw storeError(error, m_path);
        }
    }

  private:
    std::filesystem::path m_path;
    SQLite::Database m_connection;
    std::unordered_map<std::string, SQLite::Statement> m_statements;
};

// Bytes that are no text.
struct Blob {
    std::string bytes;
};

// Binds values in order from index 1; NaN becomes NULL (SQLite has no NaN).
class Binder {
  public:
    explicit Binder(SQLite::Statement& statement) : m_statement(statement) {}
    Binder& operator<<(const std::string& value) { return bind(value); }
    Binder& operator<<(std::int64_t value) { return bind(value); }
    Binder& operator<<(const Blob& value) {
        m_statement.bind(++m_index, value.bytes.data(), static_cast<int>(value.bytes.size()));
        return *this;
    }
    Binder& operator<<(double value) {
        if (std::isfinite(value)) {
            return bind(value);
        }
        ++m_index;  // cleared bindings are NULL
        return *this;
    }

  private:
    template <class Value>
    Binder& bind(const Value& value) {
        m_statement.bind(++m_index, value);
        return *this;
    }
    SQLite::Statement& m_statement;
    int m_index = 0;
};

// Reads the columns of the current row in order; NULL numbers become NaN.
class RowReader {
  public:
    explicit RowReader(SQLite::Statement& statement) : m_statement(statement) {}
    RowReader& operator>>(std::string& value) {
        value = next().getString();
        return *this;
    }
    RowReader& operator>>(Blob& value) {
        const SQLite::Column column = next();
        value.bytes.assign(static_cast<const char*>(column.getBlob()),
                           static_cast<std::size_t>(column.getBytes()));
        return *this;
    }
    RowReader& operator>>(std::int64_t& value) {
        value = next().getInt64();
        return *this;
    }
    RowReader& operator>>(bool& value) {
        value = next().getInt() != 0;
        return *this;
    }
    RowReader& operator>>(double& value) {
        const SQLite::Column column = next();
        value = column.isNull() ? unknownNumber : column.getDouble();
        return *this;
    }

  private:
    SQLite::Column next() { return m_statement.getColumn(m_index++); }
    SQLite::Statement& m_statement;
    int m_index = 0;
};

}  // namespace cospadi
