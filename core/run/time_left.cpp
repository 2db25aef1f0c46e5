#include "core/run/time_left.h"

#include <algorithm>

namespace cospadi {

namespace {

// The share of a unit from which on its own pace counts more than that of all.
constexpr double kTrust = 0.1;

}  // namespace

double TimeLeft::Unit::done() const { return took < 0 ? share : 1; }

double TimeLeft::Unit::spent(double now) const {
    return begun < 0 ? 0 : took < 0 ? now - begun : took;
}

void TimeLeft::reached(const std::string& unit, double share, double seconds) {
    const auto found = m_units.find(unit);
    if (found == m_units.end()) {
        return;
    }
    Unit& at = found->second;
    at.share = std::clamp(share, 0.0, 1.0);
    at.begun = at.begun < 0 ? seconds : at.begun;
    at.took = share >= 1 ? seconds - at.begun : -1;
}

double TimeLeft::seconds(double now) const {
    double done = 0, left = 0, busy = 0;
    for (const auto& [name, unit] : m_units) {
        done += unit.work * unit.done();
        left += unit.work * (1 - unit.done());
        busy += unit.spent(now);
    }
    if (left <= 0) {
        return 0;
    }
    if (done <= 0 || busy <= 0) {
        return -1;
    }
    double all = 0, longest = 0;
    for (const auto& [name, unit] : m_units) {
        const double pace =  // seconds for all of it
            (unit.spent(now) + kTrust * unit.work * busy / done) / (unit.done() + kTrust);
        const double own = pace * (1 - unit.done());
        all += own;
        longest = std::max(longest, own);
    }
    return std::max(now / busy * all, longest);
}

}  // namespace cospadi
