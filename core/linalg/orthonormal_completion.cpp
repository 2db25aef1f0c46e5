#include "core/linalg/orthonormal_completion.h"

#include <Eigen/QR>

namespace cospadi {

void completeOrthonormally(Eigen::MatrixXd& u) {
    for (Eigen::Index j = 0; j < u.cols(); ++j) {
        const double length = u.col(j).norm();
        if (length > 0) {
            u.col(j) /= length;
        }
    }
    const Eigen::HouseholderQR<Eigen::MatrixXd> factors(u);
    u.setIdentity();
    u.applyOnTheLeft(factors.householderQ());
}

}  // namespace cospadi
