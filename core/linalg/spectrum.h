// The singular values of a matrix, and what the best approximation of a rank leaves.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace cospadi {

// All min(d1, d2) singular values, descending, in double by the Gram of the shorter side: those
// below about 1e-8 of the greatest are rounding. Throws Error where they do not converge.
std::vector<double> singularValues(const Eigen::MatrixXf& w);

// errors[r] = ‖W − W_r‖_F / ‖W‖_F of the best approximation of rank r (Eckart–Young), r = 0 … n.
std::vector<double> truncationErrors(const std::vector<double>& singularValues);

// ‖W‖_F.
double frobeniusNorm(const std::vector<double>& singularValues);

}  // namespace cospadi
