// How long a run still compresses: by the work of its units as predicted (cost_estimate.h), what
// those that are done took for theirs, and how far those are that are solved at the moment.
// Not thread-safe.
#pragma once

#include <map>
#include <string>

namespace cospadi {

class TimeLeft {
  public:
    // Of a unit that is to be done; operations, or whatever times are proportional to.
    void expect(const std::string& unit, double work) { m_units[unit].work = work; }
    // `share` of the unit is done, from 0 where it begins to 1, `seconds` after the first began.
    // Units that were not expected count for nothing.
    void reached(const std::string& unit, double share, double seconds);

    // From then on. A unit goes on as it went on so far, the less of it is done the more as all of
    // them did; all side by side, but what is left of a single unit no faster than a unit: the last
    // of them has a core for itself while others have nothing to do. Negative while nothing is
    // done.
    double seconds(double now) const;

  private:
    struct Unit {
        double work = 0;
        double share = 0;
        double begun = -1;  // seconds; below 0: not yet
        double took = -1;   // seconds; below 0: not done

        double done() const;             // share
        double spent(double now) const;  // seconds
    };
    std::map<std::string, Unit> m_units;
};

}  // namespace cospadi
