#include "core/allocation/rho_curves.h"

#include <algorithm>
#include <utility>

namespace cospadi {

RhoCurves::RhoCurves(std::vector<RhoCurve> curves) : m_curves(std::move(curves)) {}

void RhoCurves::setDivergences(double error, double divergence, double otherError,
                               double otherDivergence) {
    for (RhoCurve& at : m_curves) {
        at.curve.setDivergences(error, divergence, otherError, otherDivergence);
    }
}

const RhoCurve& RhoCurves::lowestAt(double cr) const {
    return *std::min_element(m_curves.begin(), m_curves.end(),
                             [&](const RhoCurve& a, const RhoCurve& b) {
                                 return a.curve.errorAt(cr) < b.curve.errorAt(cr);
                             });
}

}  // namespace cospadi
