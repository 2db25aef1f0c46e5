#include "core/methods/stored_factors.h"

#include <cmath>

#include "core/forms/number_formats.h"

namespace cospadi {

Eigen::MatrixXf whitenedIf(const Whitening* whitening, const Eigen::MatrixXf& a) {
    return whitening != nullptr ? whitening->whitenedFromOriginal(a) : a;
}

Matrix whitenedIf(Backend& backend, const Whitening* whitening, const Matrix& a) {
    return whitening != nullptr ? whitening->whitenedFromOriginal(backend, a) : a;
}

void roundColumns(Backend& backend, int bits, Eigen::MatrixXf& columns, Matrix& coefficients) {
    const Eigen::VectorXf stretch = roundColumns(bits, columns);
    if (!(stretch.array() == 1).all()) {
        coefficients =
            backend.upload(stretch.cwiseInverse().asDiagonal() * backend.download(coefficients));
    }
}

double relativeNorm(double squaredError, double squaredNorm) {
    return squaredError == 0 ? 0 : std::sqrt(squaredError / squaredNorm);
}

double productError(Backend& backend, const Matrix& w, const Matrix& left, Op op,
                    const Matrix& right) {
    Matrix residual = backend.zeros(w.rows, w.cols);
    backend.copy(w, residual);
    backend.gemm(Op::None, op, -1, left, right, 1, residual);
    return relativeNorm(backend.dot(residual, residual), backend.dot(w, w));
}

double productError(Backend& backend, const Matrix& w, const Eigen::MatrixXf& left,
                    const Eigen::MatrixXf& right) {
    return productError(backend, w, backend.upload(left), Op::None, backend.upload(right));
}

}  // namespace cospadi
