#include "core/allocation/allocation_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cospadi {

namespace {

constexpr double kSmallestError = 1e-5;
constexpr double kSmallestDivergence = 1e-9;
constexpr double kTellingRatio = 1.2;  // of two errors, from which on they tell a power
constexpr double kLeastExponent = 1;
constexpr double kGreatestExponent = 4;

}  // namespace

AllocationCurve::AllocationCurve(std::vector<CurvePoint> points) : m_points(std::move(points)) {
    for (CurvePoint& point : m_points) {
        point.error = std::max(point.error, kSmallestError);
    }
    double least = m_points.back().error;
    for (auto point = m_points.rbegin(); point != m_points.rend(); ++point) {
        least = std::min(least, point->error);
        point->error = least;
    }
}

void AllocationCurve::setDivergences(double error, double divergence, double otherError,
                                     double otherDivergence) {
    const double e = std::log(std::max(error, kSmallestError));
    const double other = std::log(std::max(otherError, kSmallestError));
    const double kl = std::log(std::max(divergence, kSmallestDivergence));
    const double otherKl = std::log(std::max(otherDivergence, kSmallestDivergence));
    m_exponent = std::abs(other - e) > std::log(kTellingRatio)
                     ? std::clamp((otherKl - kl) / (other - e), kLeastExponent, kGreatestExponent)
                     : 2;
    // The better measured of the two: small divergences drown in the sums' rounding.
    m_logScale = std::max(kl - m_exponent * e, otherKl - m_exponent * other);
}

double AllocationCurve::errorAt(double cr) const {
    const auto after = std::lower_bound(m_points.begin(), m_points.end(), cr,
                                        [](const CurvePoint& p, double x) { return p.cr < x; });
    if (after == m_points.end()) {
        return m_points.back().error;
    }
    if (after == m_points.begin()) {
        return after->error;
    }
    const CurvePoint& before = *(after - 1);
    const double share = (cr - before.cr) / (after->cr - before.cr);
    return std::exp(std::lerp(std::log(before.error), std::log(after->error), share));
}

double AllocationCurve::divergenceOf(double error) const {
    return std::exp(m_logScale + m_exponent * std::log(std::max(error, kSmallestError)));
}

}  // namespace cospadi
