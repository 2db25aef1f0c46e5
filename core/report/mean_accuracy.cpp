#include "core/report/mean_accuracy.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/report/average_accuracy.h"
#include "core/report/run_metrics.h"

namespace cospadi {

MeanAccuracy::MeanAccuracy(const std::vector<RunRow>& runs) {
    std::vector<TaskResultRow> all;
    for (const std::string& metric : accuracyMetrics(runs)) {
        all.push_back(commonMeasure(runs, metric).task.value());
    }
    std::map<std::set<std::size_t>, int> counts;  // runs that have exactly these of `all`
    for (const RunRow& run : runs) {
        std::set<std::size_t> has;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (missingTasks(run, {all[i]}).empty()) {
                has.insert(i);
            }
        }
        if (!has.empty()) {
            ++counts[has];
        }
    }
    const auto most =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
            return std::pair(a.second, a.first.size()) < std::pair(b.second, b.first.size());
        });
    if (most != counts.end()) {
        for (const std::size_t task : most->first) {
            m_measures.push_back(all[task]);
        }
    }
}

std::vector<std::string> MeanAccuracy::metrics() const {
    std::vector<std::string> names;
    for (const TaskResultRow& measure : m_measures) {
        names.push_back(measure.task + "/" + measure.metric);
    }
    return names;
}

double MeanAccuracy::of(const RunRow& run) const { return averageOf(run, m_measures); }

double MeanAccuracy::standardErrorOf(const RunRow& run) const {
    return averageErrorOf(run, m_measures);
}

}  // namespace cospadi
