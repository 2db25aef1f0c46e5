// The Gram factor that turns the functional loss ‖XW − XW̃‖ into a Frobenius one (paper eq 2–3 and
// appendix "Numerically robust Gram factorization"): LᵀL = G, W_L = L W, D_a = L⁻¹ D.
#pragma once

#include <Eigen/Core>
#include <string>

namespace cospadi {

class Whitening {
  public:
    // gram (d1, d1) symmetric, sums of squares of the calibration inputs. Where it is not positive
    // definite, shift() was added to its diagonal: max(0, −λmin + ε), ε = 1e-6 of the mean
    // diagonal. Throws Error naming `layer` where the Gram is not finite or zero.
    Whitening(const Eigen::MatrixXd& gram, const std::string& layer);

    double shift() const { return m_shift; }
    Eigen::MatrixXd gram() const;  // LᵀL: the Gram with its shift
    Eigen::MatrixXf whitenedFromOriginal(const Eigen::MatrixXf& w) const;  // L W
    Eigen::MatrixXf originalFromWhitened(const Eigen::MatrixXf& d) const;  // L⁻¹ D

  private:
    Eigen::MatrixXd m_factor;  // L, upper triangular
    double m_shift = 0;
};

}  // namespace cospadi
