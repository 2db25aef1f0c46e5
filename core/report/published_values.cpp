#include "core/report/published_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/report/average_accuracy.h"

namespace cospadi {

namespace {

// Tasks whose accuracy lm-eval does not normalize: the paper's number is `acc`.
constexpr std::array<const char*, 3> kPlainTasks = {"lambada_openai", "race", "mmlu"};

bool isPlain(const std::string& task) {
    return std::find(kPlainTasks.begin(), kPlainTasks.end(), task) != kPlainTasks.end();
}

}  // namespace

std::string publishedKey(const std::string& metric) {
    if (metric == kAverageAccuracy) {
        return "average";
    }
    const std::size_t slash = metric.find('/');
    if (slash == std::string::npos) {
        return "";
    }
    std::string task = metric.substr(0, slash);
    const std::string kind = metric.substr(slash + 1);
    if (task == "wikitext") {
        return kind == "word_perplexity" ? task : "";
    }
    if (kind == "acc_norm" && !isPlain(task)) {
        return task;
    }
    if (kind == "acc") {
        return isPlain(task) ? task : task + ":acc";
    }
    return kind == "perplexity" ? task + ":perplexity" : "";
}

std::vector<PublishedValue> publishedValues(const std::vector<PublishedTable>& tables,
                                            const std::string& metric) {
    std::vector<PublishedValue> values;
    const std::string key = publishedKey(metric);
    for (const PublishedTable& table : tables) {
        const auto unit = table.units.find(key);
        const bool percent = unit != table.units.end() && unit->second == "%";
        for (const PublishedRow& row : table.rows) {
            const auto found = row.values.find(key);
            if (key.empty() || found == row.values.end()) {
                continue;
            }
            PublishedValue value;
            value.table = table.number;
            value.method = row.methodText.empty() ? row.method : row.methodText;
            value.model = row.model;
            value.dense = row.method == "dense";
            value.row = row;
            value.row.values.clear();
            value.row.texts.clear();
            value.value = percent ? found->second / 100 : found->second;
            values.push_back(std::move(value));
        }
    }
    return values;
}

std::optional<std::string> settingOf(const PublishedRow& row, const std::string& dimension) {
    if (dimension == "model") {
        return row.model;
    }
    if (dimension == "cr") {
        return row.cr ? std::optional(fmt::format("{}", *row.cr)) : std::nullopt;
    }
    for (const auto& [name, value] : row.settings) {
        if (name == dimension) {
            // As runs have it: 2 and 2.0 are one number.
            char* end = nullptr;
            const double number = std::strtod(value.c_str(), &end);
            return !value.empty() && *end == '\0' ? fmt::format("{}", number) : value;
        }
    }
    return std::nullopt;
}

}  // namespace cospadi
