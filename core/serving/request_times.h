// What the requests of a measurement took, gathered one by one into a point
// (store/throughput.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/store/throughput.h"

namespace cospadi {

class RequestTimes {
  public:
    // Seconds from the request's beginning to its end and to its first token; generated: tokens.
    void add(double seconds, double firstToken, std::int64_t generated);
    // Sets the counts and percentiles of the point.
    void fill(ThroughputPoint& point) const;

  private:
    std::int64_t m_generated = 0;
    std::vector<double> m_first;
    std::vector<double> m_between;  // of requests with a second token
    std::vector<double> m_whole;
};

}  // namespace cospadi
