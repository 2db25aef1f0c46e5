#include "core/report/mean_accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace cospadi {

namespace {

constexpr const char* kNormalised = "acc_norm";

// The metric of each task that a run has an accuracy of.
std::vector<std::string> accuracies(const std::vector<RunRow>& runs) {
    std::map<std::string, std::string> byTask;
    for (const std::string& name : taskMetrics(runs)) {
        const std::size_t slash = name.rfind('/');
        const std::string metric = name.substr(slash + 1);
        if (metric == kNormalised) {
            byTask[name.substr(0, slash)] = name;
        } else if (metric == "acc") {
            byTask.try_emplace(name.substr(0, slash), name);
        }
    }
    std::vector<std::string> metrics;
    for (const auto& [task, metric] : byTask) {
        metrics.push_back(metric);
    }
    return metrics;
}

}  // namespace

MeanAccuracy::MeanAccuracy(const std::vector<RunRow>& runs) {
    std::vector<Task> all;
    for (const std::string& metric : accuracies(runs)) {
        all.push_back({metric, commonMeasure(runs, metric)});
    }
    std::map<std::set<std::size_t>, int> counts;  // runs that have exactly these of `all`
    for (const RunRow& run : runs) {
        std::set<std::size_t> has;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (std::isfinite(metricOf(run, all[i].metric, all[i].measure))) {
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
            m_tasks.push_back(all[task]);
        }
    }
}

std::vector<std::string> MeanAccuracy::metrics() const {
    std::vector<std::string> names;
    for (const Task& task : m_tasks) {
        names.push_back(task.metric);
    }
    return names;
}

double MeanAccuracy::of(const RunRow& run) const {
    double sum = 0;
    for (const Task& task : m_tasks) {
        sum += metricOf(run, task.metric, task.measure);
    }
    return sum / static_cast<double>(m_tasks.size());  // NaN without tasks
}

}  // namespace cospadi
