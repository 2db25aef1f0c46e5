// Fields of a run's files (docs/formats.md) as rows have them. Absent and null fields keep their
// default; Error where the field is of another type, or a count that cannot be.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/base/error.h"
#include "core/store/run_row.h"

namespace cospadi {

constexpr double kLargestCount = 0x1p53;  // what JSON's numbers hold exactly

template <class Value>
void takeField(const nlohmann::json& object, const char* field, Value& value) {
    const auto entry = object.find(field);
    if (entry == object.end() || entry->is_null()) {
        return;
    }
    if constexpr (std::is_same_v<Value, std::int64_t>) {
        if (!entry->is_number() || !(std::abs(entry->get<double>()) <= kLargestCount)) {
            throw Error(std::string("the field \"") + field + "\" is not a count", "",
                        "the file is damaged or was written by another program");
        }
    }
    try {
        value = entry->get<Value>();
    } catch (const nlohmann::json::exception&) {
        throw Error(std::string("the field \"") + field + "\" has the wrong type", "",
                    "the file is damaged or was written by another program");
    }
}

// A list that may be absent.
nlohmann::json listField(const nlohmann::json& object, const char* field);

// Of a result, or of the events of a matrix.
MatrixRow matrixRowOf(const nlohmann::json& object);

}  // namespace cospadi
