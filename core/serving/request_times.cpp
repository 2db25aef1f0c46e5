#include "core/serving/request_times.h"

namespace cospadi {

void RequestTimes::add(double seconds, double firstToken, std::int64_t generated) {
    m_generated += generated;
    m_first.push_back(firstToken);
    m_whole.push_back(seconds);
    if (generated > 1) {
        m_between.push_back((seconds - firstToken) / static_cast<double>(generated - 1));
    }
}

void RequestTimes::fill(ThroughputPoint& point) const {
    point.requests = static_cast<std::int64_t>(m_whole.size());
    point.generated = m_generated;
    point.firstToken = percentilesOf(m_first);
    point.perToken = percentilesOf(m_between);
    point.request = percentilesOf(m_whole);
}

}  // namespace cospadi
