// What a matrix loses at a compression ratio, and what that costs the model's predictions: measured
// at a few ratios, in between by interpolation (core/allocation/allocation.h).
#pragma once

#include <vector>

namespace cospadi {

struct CurvePoint {
    double cr = 0;
    double error = 0;  // relative, > 0
};

class AllocationCurve {
  public:
    // points: at ratios that grow, at least one. A point with more bytes (a smaller ratio) whose
    // error is larger than one with fewer counts as that one: the smaller form fits in its bytes.
    explicit AllocationCurve(std::vector<CurvePoint> points);

    // KL = a e^b through two measured pairs (error, nats a token); b within 1 and 4, and 2 where
    // the errors are too near to tell.
    void setDivergences(double error, double divergence, double otherError, double otherDivergence);

    double smallestRatio() const { return m_points.front().cr; }
    double largestRatio() const { return m_points.back().cr; }
    // ln e is interpolated linearly in CR. Precondition: within the measured ratios.
    double errorAt(double cr) const;
    double divergenceOf(double error) const;

  private:
    std::vector<CurvePoint> m_points;
    double m_logScale = 0;  // ln a
    double m_exponent = 2;  // b
};

}  // namespace cospadi
