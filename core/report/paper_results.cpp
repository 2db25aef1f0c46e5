#include "core/report/paper_results.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/report/average_accuracy.h"

namespace cospadi {

namespace {

// Which metric of a task stands in a column, the first that there is.
std::vector<std::string> metricsOf(const std::string& key) {
    if (key == "wikitext") {
        return {"word_perplexity"};
    }
    return key.ends_with(":perplexity") ? std::vector<std::string>{"perplexity"}
                                        : std::vector<std::string>{"acc_norm", "acc"};
}

const TaskResultRow* resultOf(const RunRow& run, const std::string& key) {
    const std::string task = key.substr(0, key.find(':'));
    for (const std::string& metric : metricsOf(key)) {
        for (const TaskResultRow& row : run.taskResults) {
            if (row.task == task && row.metric == metric) {
                return &row;
            }
        }
    }
    return nullptr;
}

// Accuracies are told in per cent.
double unitOf(const std::string& key) {
    return key == "wikitext" || key.ends_with(":perplexity") ? 1 : 100;
}

std::map<std::string, TaskResultRow> usualMeasures(const std::vector<RunRow>& runs) {
    std::map<std::string, std::vector<std::pair<TaskResultRow, int>>> counts;
    for (const RunRow& run : runs) {
        for (const TaskResultRow& row : run.taskResults) {
            auto& measures = counts[row.task + "/" + row.metric];
            const auto known = std::find_if(
                measures.begin(), measures.end(),
                [&](const auto& measure) { return measure.first.measuresSameAs(row); });
            if (known == measures.end()) {
                measures.emplace_back(row, 1);
            } else {
                ++known->second;
            }
        }
    }
    std::map<std::string, TaskResultRow> usual;
    for (const auto& [key, measures] : counts) {
        const auto most =
            std::max_element(measures.begin(), measures.end(), [](const auto& x, const auto& y) {
                return std::pair(x.second, x.first.samples) < std::pair(y.second, y.first.samples);
            });
        usual.emplace(key, most->first);
    }
    return usual;
}

}  // namespace

double paperValue(const RunRow& run, const std::string& key) {
    const TaskResultRow* found = resultOf(run, key);
    return found == nullptr ? unknownNumber : unitOf(key) * found->value;
}

double paperStandardError(const RunRow& run, const std::string& key) {
    const TaskResultRow* found = resultOf(run, key);
    return found == nullptr || !std::isfinite(found->standardError)
               ? 0
               : unitOf(key) * found->standardError;
}

bool hasPaperResults(const RunRow& run) {
    return std::any_of(
               kPaperTasks.begin(), kPaperTasks.end(),
               [&](const PaperTask& column) { return resultOf(run, column.task) != nullptr; }) ||
           std::any_of(
               kPaperPerplexities.begin(), kPaperPerplexities.end(),
               [&](const PaperColumn& column) { return resultOf(run, column.key) != nullptr; });
}

std::size_t keepUsualMeasures(std::vector<RunRow>& runs) {
    const std::map<std::string, TaskResultRow> usual = usualMeasures(runs);
    std::size_t leftOut = 0;
    for (RunRow& run : runs) {
        leftOut += std::erase_if(run.taskResults, [&](const TaskResultRow& row) {
            return !usual.at(row.task + "/" + row.metric).measuresSameAs(row);
        });
    }
    return leftOut;
}

}  // namespace cospadi
