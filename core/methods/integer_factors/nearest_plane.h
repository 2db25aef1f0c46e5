// A column of integers near a point in a metric: codes, or a right factor, once what they are
// multiplied by is fixed. min ‖C x − z‖ over x of integers with scales (core/forms/
// integer_columns.h), C lower triangular, by Babai's nearest plane: x_1 is rounded first, and what
// each rounding leaves of an error is made up for by the entries after it. GPTQ
// (core/methods/group_quantisation/error_feedback.h) does the same from the inverse of the metric;
// here the real minimum of what is left comes out of the same substitution, so that a run's scale
// fits its entries as they are once all before them are fixed.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

namespace cospadi {

// A (n, n) symmetric, positive semidefinite → C lower triangular, CᵀC = A with the least ridge on
// its diagonal, relative to each entry of it, from 1e-7 on, that Cholesky holds with.
Eigen::MatrixXd lowerFactor(const Eigen::MatrixXd& a);

// x (n) near the minimum of xᵀA x − 2 pᵀx, and the half-steps of its runs. Preconditions: C is
// A's, every size n but halfSteps'.
void roundToNearestPlane(const Eigen::MatrixXd& c, const Eigen::Ref<const Eigen::VectorXd>& p,
                         int bits, std::span<float> halfSteps, Eigen::Ref<Eigen::VectorXf> x);

}  // namespace cospadi
