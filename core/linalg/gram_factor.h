// The upper Cholesky factor L of a Gram matrix, LᵀL = G (paper eq 2–3), in double, where the
// backend that made it computes: all that whitening needs of a layer's inputs.
// Backend::gramFactor() makes them.
//
// Matrices go in and come out in float32 on the host; products and solves round once, at the end.
// Thread-safety: that of its backend, which it may outlive. Errors: DeviceError.
#pragma once

#include <Eigen/Core>
#include <memory>

namespace cospadi {

class Backend;
struct Matrix;
struct UnitGram;

class GramFactor {
  public:
    virtual ~GramFactor() = default;

    virtual Eigen::MatrixXd product() const = 0;                        // LᵀL (n, n), symmetric
    virtual Eigen::MatrixXf times(const Eigen::MatrixXf& w) const = 0;  // L W, W (n, m)
    virtual Eigen::MatrixXf solve(const Eigen::MatrixXf& d) const = 0;  // L⁻¹ D, D (n, m)
    virtual Eigen::VectorXd diagonal() const = 0;                       // of L (n), positive

    // L W and LᵀL with mean diagonal 1, W and what comes out being matrices of `backend`: where
    // the factor stands on its device, nothing crosses the bus.
    virtual Matrix times(Backend& backend, const Matrix& w) const;
    virtual UnitGram unitProduct(Backend& backend) const;
};

// On the host, with LAPACK: of gram (n, n) with `shift` added to its diagonal; null where that is
// not positive definite. Safe from any thread once made.
std::unique_ptr<GramFactor> hostGramFactor(const Eigen::MatrixXd& gram, double shift);

}  // namespace cospadi
