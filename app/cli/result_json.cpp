#include "app/cli/result_json.h"

#include <cmath>

namespace cospadi::cli {

namespace {

nlohmann::json cellJson(const ReportCell& cell) {
    return std::visit(
        [](const auto& value) -> nlohmann::json {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Value, MeanCell>) {
                nlohmann::json mean{
                    {"mean", value.mean}, {"std", value.deviation}, {"n", value.count}};
                if (value.standardError > 0) {
                    mean["stderr"] = value.standardError;
                }
                return mean;
            } else {
                return value;
            }
        },
        cell);
}

}  // namespace

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

nlohmann::json rowsJson(const ReportTable& table) {
    nlohmann::json rows = nlohmann::json::array();
    for (const ReportRow& row : table.rows) {
        nlohmann::json object;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            object[table.columns[c].name] = cellJson(row.cells[c]);
        }
        rows.push_back(object);
    }
    return rows;
}

}  // namespace cospadi::cli
