#include "core/report/pareto_front.h"

#include <algorithm>

namespace cospadi {

namespace {

bool beats(const ParetoPoint& a, const ParetoPoint& b) {
    return a.group == b.group && a.bytes <= b.bytes && a.value <= b.value &&
           (a.bytes < b.bytes || a.value < b.value);
}

}  // namespace

std::vector<bool> paretoFront(const std::vector<ParetoPoint>& points) {
    std::vector<bool> front;
    for (const ParetoPoint& point : points) {
        front.push_back(std::none_of(points.begin(), points.end(), [&](const ParetoPoint& other) {
            return beats(other, point);
        }));
    }
    return front;
}

}  // namespace cospadi
