// A Gram matrix G = Σ x xᵀ over columns x (n) that arrive piece by piece (paper §3, X transposed),
// summed in double where the backend that made it computes. Backend::gramSum() makes them.
//
// Thread-safety: that of its backend, which it may outlive. Errors: DeviceError; a sum that failed
// is lost, and has to be begun anew.
#pragma once

#include <Eigen/Core>

namespace cospadi {

struct Matrix;

class GramSum {
  public:
    virtual ~GramSum() = default;

    virtual void add(const Matrix& x) = 0;  // X (n, columns) in the backend's memory
    virtual Eigen::MatrixXd take() = 0;     // G (n, n), symmetric; the sum is zero again
};

}  // namespace cospadi
