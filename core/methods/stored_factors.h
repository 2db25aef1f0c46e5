// What methods share on the way from a solver's factors to stored ones.
#pragma once

#include <Eigen/Core>

#include "core/linalg/backend.h"
#include "core/linalg/whitening.h"

namespace cospadi {

// L A, or A where there is no whitening.
Eigen::MatrixXf whitenedIf(const Whitening* whitening, const Eigen::MatrixXf& a);
// The same on the backend.
Matrix whitenedIf(Backend& backend, const Whitening* whitening, const Matrix& a);

// A dictionary, or a left factor, as it is stored in 16 or 8 bits an entry; what it is multiplied
// by follows where columns are stretched.
void roundColumns(Backend& backend, int bits, Eigen::MatrixXf& columns, Matrix& coefficients);

// ‖E‖_F / ‖W‖_F of their squares; 0 where nothing is lost, also of a weight that is zero.
double relativeNorm(double squaredError, double squaredNorm);
// ‖W − A op(B)‖_F / ‖W‖_F; without op ‖W − A B‖_F / ‖W‖_F.
double productError(Backend& backend, const Matrix& w, const Matrix& left, Op op,
                    const Matrix& right);
double productError(Backend& backend, const Matrix& w, const Eigen::MatrixXf& left,
                    const Eigen::MatrixXf& right);

}  // namespace cospadi
