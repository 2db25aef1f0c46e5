#include "app/cli/result_json.h"

#include <cmath>

namespace cospadi::cli {

nlohmann::json numberOrNull(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json taskResultJson(const TaskResultRow& row) {
    return {{"task", row.task},
            {"metric", row.metric},
            {"filter", row.filter},
            {"value", numberOrNull(row.value)},
            {"stderr", numberOrNull(row.standardError)},
            {"samples", row.samples},
            {"shots", row.shots},
            {"version", row.version}};
}

nlohmann::json fetchedDataJson(const std::vector<FetchedData>& fetched) {
    nlohmann::json list = nlohmann::json::array();
    for (const FetchedData& one : fetched) {
        list.push_back({{"task", one.task}, {"items", one.items}, {"file", one.file.string()}});
    }
    return {{"folder", fetchedDataDirectory().string()}, {"fetched", list}};
}

}  // namespace cospadi::cli
