#include "core/report/measured_value.h"

#include <fmt/format.h>

#include "core/report/name_list.h"

namespace cospadi {

bool isMeasured(const std::string& name) {
    return name == kMeanAccuracy || name.find('/') != std::string::npos ||
           contains(metricNames(), name);
}

std::vector<std::string> measuredNames(const std::vector<RunRow>& runs) {
    std::vector<std::string> names = metricNames();
    const std::vector<std::string> tasks = taskMetrics(runs);
    if (!tasks.empty() && !MeanAccuracy(runs).metrics().empty()) {
        names.emplace_back(kMeanAccuracy);
    }
    names.insert(names.end(), tasks.begin(), tasks.end());
    return names;
}

MeasuredValue::MeasuredValue(const std::vector<RunRow>& runs, const std::string& name)
    : m_name(name), m_accuracy(name == kMeanAccuracy ? runs : std::vector<RunRow>()) {
    if (name == kMeanAccuracy) {
        return;
    }
    m_best = metricFromName(name).best;
    m_measure = commonMeasure(runs, name);
    if (m_measure.task) {
        m_best = m_measure.task->higherIsBetter ? BestValue::Highest : BestValue::Lowest;
    }
    m_otherwise = measuredOtherwise(runs, name, m_measure);
}

double MeasuredValue::of(const RunRow& run) const {
    return m_name == kMeanAccuracy ? m_accuracy.of(run) : metricOf(run, m_name, m_measure);
}

double MeasuredValue::standardError(const RunRow& run) const {
    return m_name == kMeanAccuracy ? 0 : standardErrorOf(run, m_name, m_measure);
}

std::vector<Phrase> MeasuredValue::notes() const {
    std::vector<Phrase> notes;
    if (m_name == kMeanAccuracy) {
        notes.push_back(
            Phrase{"mean of %1", {fmt::format("{}", fmt::join(m_accuracy.metrics(), ", "))}});
    } else if ((m_name == "perplexity" || m_measure.task) && !m_measure.label.empty()) {
        notes.push_back(m_measure.label);
    }
    if (m_otherwise > 0) {
        notes.push_back(m_otherwise == 1 ? Phrase{"1 run measured otherwise is left out"}
                                         : Phrase{"%1 runs measured otherwise are left out",
                                                  {std::to_string(m_otherwise)}});
    }
    return notes;
}

}  // namespace cospadi
