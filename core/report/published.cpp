#include "core/report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/resources.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

PublishedRow rowOf(const Json& object, std::vector<std::string>& keys) {
    PublishedRow row;
    for (const auto& [field, value] : object.items()) {
        if (field == "model") {
            row.model = value.get<std::string>();
        } else if (field == "method") {
            row.method = value.get<std::string>();
        } else if (field == "method_text") {
            row.methodText = value.get<std::string>();
        } else if (field == "cr") {
            row.cr = value.get<double>();
        } else if (field != "values") {
            row.settings.emplace_back(field, plainText(value));
        }
    }
    for (const auto& [key, cell] : object.at("values").items()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            keys.push_back(key);
        }
        if (cell.contains("value")) {
            row.values[key] = cell.at("value").get<double>();
        } else {
            row.texts[key] = cell.at("text").get<std::string>();
        }
    }
    return row;
}

PublishedTable read(const std::filesystem::path& file) {
    try {
        std::ifstream stream(file, std::ios::binary);
        const Json object = Json::parse(stream);
        PublishedTable table;
        table.name = file.stem().string();
        table.number = object.at("table").get<std::string>();
        table.caption = object.at("caption").get<std::string>();
        table.note = object.value("note", "");
        if (object.contains("unit") && object.at("unit").is_object()) {
            for (const auto& [key, unit] : object.at("unit").items()) {
                table.units[key] = unit.get<std::string>();
            }
        }
        for (const Json& row : object.at("rows")) {
            table.rows.push_back(rowOf(row, table.keys));
        }
        return table;
    } catch (const nlohmann::json::exception& error) {
        throw Error(fmt::format("is damaged: {}", error.what()), file.string(),
                    "install the program again");
    }
}

// llama38b of Meta-Llama-3-8B.
std::string essence(const std::string& model) {
    std::string result;
    for (const char c : model) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return result.starts_with("meta") ? result.substr(4) : result;
}

bool lowerIsBetter(const std::string& key) {
    return key.find("perplexity") != std::string::npos || key.starts_with("wikitext");
}

}  // namespace

std::vector<PublishedTable> publishedTables() {
    std::vector<PublishedTable> tables;
    for (const auto& entry : std::filesystem::directory_iterator(resourcePath("published"))) {
        if (entry.path().extension() == ".json") {
            tables.push_back(read(entry.path()));
        }
    }
    std::sort(tables.begin(), tables.end(), [](const PublishedTable& a, const PublishedTable& b) {
        return std::stoi(a.number) < std::stoi(b.number);
    });
    return tables;
}

PublishedTable publishedTable(const std::string& nameOrNumber) {
    std::string names;
    for (PublishedTable& table : publishedTables()) {
        if (table.name == nameOrNumber || table.number == nameOrNumber) {
            return std::move(table);
        }
        names += fmt::format("{}{} {}", names.empty() ? "" : ", ", table.number, table.name);
    }
    throw Error(fmt::format("'{}' is not one of the paper's tables", nameOrNumber), "published",
                "use " + names);
}

bool sameModel(const std::string& a, const std::string& b) { return essence(a) == essence(b); }

ReportTable tableOf(const PublishedTable& published) {
    ReportTable table;
    const auto any = [&](const auto& has) {
        return std::any_of(published.rows.begin(), published.rows.end(), has);
    };
    const bool models = any([](const PublishedRow& row) { return !row.model.empty(); });
    const bool ratios = any([](const PublishedRow& row) { return row.cr.has_value(); });
    if (models) {
        table.columns.push_back({"model"});
    }
    table.columns.push_back({"method"});
    if (ratios) {
        table.columns.push_back({"cr", ColumnKind::Number, 2, BestValue::None, false, true});
    }
    std::vector<std::string> settings;
    for (const PublishedRow& row : published.rows) {
        for (const auto& [name, value] : row.settings) {
            if (std::find(settings.begin(), settings.end(), name) == settings.end()) {
                settings.push_back(name);
                table.columns.push_back({name});
            }
        }
    }
    for (const std::string& key : published.keys) {
        const auto unit = published.units.find(key);
        const bool named = unit != published.units.end() && !unit->second.empty();
        const BestValue best = lowerIsBetter(key)             ? BestValue::Lowest
                               : named && unit->second == "%" ? BestValue::Highest
                                                              : BestValue::None;
        table.columns.push_back(
            {named ? fmt::format("{} ({})", key, unit->second) : key, ColumnKind::Number, 1, best});
    }
    for (const PublishedRow& row : published.rows) {
        ReportRow cells;
        cells.group = fmt::format("{} {}", row.model, row.cr.value_or(0));
        cells.baseline = row.method == "dense";
        cells.block = ratios ? cells.group : "";
        if (models) {
            cells.cells.emplace_back(row.model);
        }
        cells.cells.emplace_back(row.methodText.empty() ? row.method : row.methodText);
        if (ratios) {
            cells.cells.push_back(row.cr ? ReportCell(*row.cr) : ReportCell());
        }
        for (const std::string& name : settings) {
            const auto found =
                std::find_if(row.settings.begin(), row.settings.end(),
                             [&](const auto& setting) { return setting.first == name; });
            cells.cells.push_back(found == row.settings.end() ? ReportCell()
                                                              : ReportCell(found->second));
        }
        for (const std::string& key : published.keys) {
            const auto text = row.texts.find(key);
            const auto value = row.values.find(key);
            cells.cells.push_back(value != row.values.end() ? ReportCell(value->second)
                                  : text != row.texts.end() ? ReportCell(text->second)
                                                            : ReportCell());
        }
        table.rows.push_back(std::move(cells));
    }
    table.notes = {fmt::format("Table {} of the paper: {}", published.number, published.caption),
                   published.note};
    std::erase(table.notes, "");
    return table;
}

}  // namespace cospadi
