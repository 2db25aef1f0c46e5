// How files of saved tables and figures (docs/formats.md) write fields and choices of runs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/report/run_selection.h"

namespace cospadi {

// Reads the fields of one object; absent ones keep what they hold. Errors name `where` and the
// field.
class SavedFields {
  public:
    SavedFields(const nlohmann::ordered_json& object, std::string where);

    template <typename Value>
    void read(const char* field, Value& value) const {
        const auto found = m_object.find(field);
        if (found == m_object.end() || found->is_null()) {
            return;
        }
        try {
            value = found->get<Value>();
        } catch (const nlohmann::json::exception&) {
            failUnfit(field);
        }
    }

    template <typename Value>
    void read(const char* field, std::optional<Value>& value) const {
        if (const auto found = m_object.find(field); found != m_object.end() && !found->is_null()) {
            Value known{};
            read(field, known);
            value = known;
        }
    }

    [[noreturn]] void fail(const std::string& problem) const;

  private:
    [[noreturn]] void failUnfit(const char* field) const;

    const nlohmann::ordered_json& m_object;
    std::string m_where;
};

nlohmann::ordered_json jsonOfSelection(const RunSelection& selection);
// Throws Error naming `where` and the field.
RunSelection selectionFromJson(const nlohmann::ordered_json& saved, const std::string& where);

}  // namespace cospadi
