#include "core/run/time_left.h"

#include <algorithm>

namespace cospadi {

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
    double done = 0, left = 0, longest = 0, busy = 0;
    for (const auto& [name, unit] : m_units) {
        const double own = unit.took < 0 ? unit.work * (1 - unit.share) : 0;
        done += unit.work - own;
        left += own;
        longest = std::max(longest, own);
        if (unit.begun >= 0) {
            busy += unit.took < 0 ? now - unit.begun : unit.took;
        }
    }
    return done > 0 ? std::max(now * left, busy * longest) / done : left > 0 ? -1 : 0;
}

}  // namespace cospadi
