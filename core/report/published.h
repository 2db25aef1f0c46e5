// Results as the paper printed them (resources/published, one file a table), to set beside one's
// own runs. Nothing in them was measured with this program; their notes say what the paper leaves
// open.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/report/report_table.h"

namespace cospadi {

struct PublishedRow {
    std::string model;       // as printed: Llama3-8B; empty where the table is of none
    std::string method;      // the program's name where it has one: svd-llm
    std::string methodText;  // as printed
    std::optional<double> cr;
    // Further settings, as text: rho, layers, iterations, users …
    std::vector<std::pair<std::string, std::string>> settings;
    std::map<std::string, double> values;      // by the table's keys: piqa, piqa:acc, wikitext …
    std::map<std::string, std::string> texts;  // cells that are no number: ∞
};

struct PublishedTable {
    std::string name;    // main-results: the file's
    std::string number;  // as the paper counts: 3
    std::string caption;
    std::string note;
    std::vector<std::string> keys;             // in the order of the paper's columns
    std::map<std::string, std::string> units;  // by key; % for accuracies
    std::vector<PublishedRow> rows;
};

// All of them, by number. Throws Error naming the file that is damaged.
std::vector<PublishedTable> publishedTables();
// By name or number; throws Error that lists the names.
PublishedTable publishedTable(const std::string& nameOrNumber);

// Whether two names mean one model: case, punctuation and the publisher's name do not count.
bool sameModel(const std::string& a, const std::string& b);

// The table as it is printed; the caption and the note stand below it.
ReportTable tableOf(const PublishedTable& published);

}  // namespace cospadi
