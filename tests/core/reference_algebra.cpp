#include "tests/core/reference_algebra.h"

#include <Eigen/Dense>

namespace cospadi::reference {

using Eigen::MatrixXd;

Svd svd(const MatrixXd& a) {
    const Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Eigen::VectorXd eigenvalues(const MatrixXd& a) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues();
}

MatrixXd inverse(const MatrixXd& a) { return a.inverse(); }

MatrixXd orthonormal(const MatrixXd& a) {
    return Eigen::HouseholderQR<MatrixXd>(a).householderQ() *
           MatrixXd::Identity(a.rows(), a.cols());
}

MatrixXd choleskyFactor(const MatrixXd& a) { return Eigen::LLT<MatrixXd>(a).matrixU(); }

MatrixXd solveUpper(const MatrixXd& r, const MatrixXd& b) {
    return r.triangularView<Eigen::Upper>().solve(b);
}

MatrixXd solveSymmetric(const MatrixXd& a, const MatrixXd& b) { return a.ldlt().solve(b); }

MatrixXd leastSquares(const MatrixXd& a, const MatrixXd& b) {
    return a.colPivHouseholderQr().solve(b);
}

}  // namespace cospadi::reference
