// Which results no other result beats: the front of a picture of bytes against a metric.
#pragma once

#include <string>
#include <vector>

namespace cospadi {

struct ParetoPoint {
    std::string group;  // points are compared with those of their own group alone
    double bytes = 0;   // finite
    double value = 0;   // finite; smaller is better
};

// For each point whether it lies on the front: no other of its group has at most its bytes and at
// most its value, and less of one of them. Equal points stand or fall together.
std::vector<bool> paretoFront(const std::vector<ParetoPoint>& points);

}  // namespace cospadi
