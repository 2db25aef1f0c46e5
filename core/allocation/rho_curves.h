// The curve of a matrix over CR where ρ may be any of some candidates: the lower envelope of the
// candidates' own curves. With one candidate it is that one's.
#pragma once

#include <vector>

#include "core/allocation/allocation_curve.h"

namespace cospadi {

struct RhoCurve {
    double rho = 0;
    AllocationCurve curve;
};

class RhoCurves {
  public:
    // At least one; all over the same ratios.
    explicit RhoCurves(std::vector<RhoCurve> curves);

    // What an error costs does not depend on the ρ that left it (AllocationCurve).
    void setDivergences(double error, double divergence, double otherError, double otherDivergence);

    double smallestRatio() const { return m_curves.front().curve.smallestRatio(); }
    double largestRatio() const { return m_curves.front().curve.largestRatio(); }
    // The ρ whose curve is lowest there, of equal ones the first; and its error.
    double rhoAt(double cr) const { return lowestAt(cr).rho; }
    double errorAt(double cr) const { return lowestAt(cr).curve.errorAt(cr); }
    double divergenceOf(double error) const { return m_curves.front().curve.divergenceOf(error); }

  private:
    const RhoCurve& lowestAt(double cr) const;

    std::vector<RhoCurve> m_curves;
};

}  // namespace cospadi
