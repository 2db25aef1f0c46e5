// The paper's printed numbers by the names of this program's metrics, to lay them beside one's own:
// as rows of a pivot, or as points of a chart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/published.h"

namespace cospadi {

// Where the printed numbers come from, for notes and captions.
inline constexpr const char* kPaperSource = "Makhov et al., CoSpaDi, arXiv:2509.22075";

struct PublishedValue {
    std::string table;   // number: 3
    std::string method;  // as printed
    std::string model;
    bool dense = false;
    PublishedRow row;  // with its settings; without values
    double value = 0;  // in the metric's unit: accuracies are fractions
};

// The key that the tables have for TASK/METRIC: "piqa" of piqa/acc_norm; empty where they have
// none.
std::string publishedKey(const std::string& metric);

// All that the tables print of a metric. Accuracies count as normalized where the task has that
// (the paper's Section 4.1); `wikitext` as perplexity of words. Empty for metrics that the paper
// does not print in this form: the program's own perplexity, of tokens, is another number.
std::vector<PublishedValue> publishedValues(const std::vector<PublishedTable>& tables,
                                            const std::string& metric);

// A setting of a published row by the name of a run's: model, cr, rho, solver, iterations, layers …
// as text; nullopt where none is printed.
std::optional<std::string> settingOf(const PublishedRow& row, const std::string& dimension);

}  // namespace cospadi
