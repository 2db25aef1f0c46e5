#include "core/report/saved_selection.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

std::string keyOf(const RunCondition& condition) {
    return condition.field + (condition.relation == Relation::Is ? "" : signOf(condition.relation));
}

// "cr": [0.2] where it is one of these; any other relation stands behind the field: "rho>=". Words,
// and two conditions on one field by one relation, have no such place: then all as they are typed.
Json jsonOf(const std::vector<RunCondition>& conditions) {
    std::set<std::string> keys;
    bool isPlain = true;
    for (const RunCondition& condition : conditions) {
        isPlain = isPlain && !condition.field.empty() && keys.insert(keyOf(condition)).second;
    }
    Json where = isPlain ? Json::object() : Json::array();
    for (const RunCondition& condition : conditions) {
        if (isPlain) {
            where[keyOf(condition)] = condition.values;
        } else {
            where.push_back(textOf(condition));
        }
    }
    return where;
}

RunCondition conditionFrom(const std::string& key, const std::vector<std::string>& values) {
    for (const Relation relation : {Relation::AtLeast, Relation::AtMost, Relation::IsNot,
                                    Relation::Below, Relation::Above, Relation::Holds}) {
        if (key.ends_with(signOf(relation))) {
            return {key.substr(0, key.size() - std::string(signOf(relation)).size()), relation,
                    values};
        }
    }
    return {key, Relation::Is, values};
}

}  // namespace

SavedFields::SavedFields(const Json& object, std::string where)
    : m_object(object), m_where(std::move(where)) {
    if (!object.is_object()) {
        fail("is not an object");
    }
}

void SavedFields::fail(const std::string& problem) const {
    throw Error(problem, m_where, "correct the file, or move it away to start afresh");
}

void SavedFields::failUnfit(const char* field) const {
    fail(fmt::format("has an invalid \"{}\"", field));
}

Json jsonOfSelection(const RunSelection& selection) {
    const RunFilter& filter = selection.filter;
    return {{"method", filter.method},
            {"solver", filter.solver},
            {"model", filter.model},
            {"status", filter.status},
            {"tag", filter.tag},
            {"search", filter.text},
            {"tags", selection.tags},
            {"where", jsonOf(selection.where)},
            {"layers", selection.layers},
            {"cr", selection.cr},
            {"rho", selection.rho},
            {"starred", filter.starredOnly},
            {"archived", filter.includeArchived},
            {"limit", filter.limit}};
}

RunSelection selectionFromJson(const Json& saved, const std::string& where) {
    RunSelection selection;
    RunFilter& filter = selection.filter;
    const SavedFields fields(saved, where);
    fields.read("method", filter.method);
    fields.read("solver", filter.solver);
    fields.read("model", filter.model);
    fields.read("status", filter.status);
    fields.read("tag", filter.tag);
    fields.read("search", filter.text);
    fields.read("tags", selection.tags);
    if (const auto terms = saved.find("where"); terms != saved.end() && terms->is_array()) {
        std::vector<std::string> texts;
        fields.read("where", texts);
        for (const std::string& text : texts) {
            for (RunCondition& condition : conditionsIn(text)) {
                selection.where.push_back(std::move(condition));
            }
        }
    } else {
        std::map<std::string, std::vector<std::string>> filters;
        fields.read("where", filters);
        for (const auto& [field, values] : filters) {
            selection.where.push_back(conditionFrom(field, values));
        }
    }
    fields.read("layers", selection.layers);
    fields.read("cr", selection.cr);
    fields.read("rho", selection.rho);
    fields.read("starred", filter.starredOnly);
    fields.read("archived", filter.includeArchived);
    fields.read("limit", filter.limit);
    return selection;
}

}  // namespace cospadi
