// The Gram factor that turns the functional loss ‖XW − XW̃‖ into a Frobenius one (paper eq 2–3 and
// appendix "Numerically robust Gram factorization"): LᵀL = G, W_L = L W, D_a = L⁻¹ D.
//
// The factor lives, and its products are computed, where the backend computes that is given; on the
// host without one. Copies share it. Errors: DeviceError where the backend's device fails.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "core/linalg/backend.h"

namespace cospadi {

// G = U diag(λ) Uᵀ without the directions that G does not hold.
struct GramSpectrum {
    Eigen::VectorXd values;   // λ (q), ascending, positive
    Eigen::MatrixXd vectors;  // U (d1, q), orthonormal columns
};

class Whitening {
  public:
    // gram (d1, d1) symmetric, sums of squares of the calibration inputs. Where it is not positive
    // definite, shift() was added to its diagonal: max(0, −λmin + ε), ε = 1e-6 of the mean
    // diagonal. Throws Error naming `layer` where the Gram is not finite or zero.
    Whitening(const Eigen::MatrixXd& gram, const std::string& layer);
    Whitening(const Eigen::MatrixXd& gram, const std::string& layer, Backend& backend);

    // A metric for errors alone, in which nothing is solved: a Gram that lacks directions, as one
    // of fewer tokens than inputs does, gets the first of 1e-9, 1e-8, … of its mean diagonal with
    // which it has a factor. Cheaper than its eigenvalues, and too little to show in an error.
    static Whitening forMeasuring(const Eigen::MatrixXd& gram, const std::string& layer,
                                  Backend& backend);

    // Of a diagonal Gram, positive: nothing mixes, and nothing is larger than the diagonal. On the
    // host. Throws Error naming `layer` where it is not finite and positive.
    static Whitening ofDiagonal(const Eigen::VectorXd& diagonal, const std::string& layer);

    // The metric of this one's Gram G with `relative` times its mean diagonal added to the
    // diagonal: directions that the calibration text hardly holds keep some weight. > 0. Made once
    // for this one and its copies, on the backend of whoever asks first; kept as long as they are.
    // Thread-safe where factors are: of backends on the host.
    Whitening ridged(double relative, Backend& backend) const;

    double shift() const { return m_shift; }
    // The smallest pivot of the factorisation over the largest, min L(i, i)² / max L(i, i)²: how
    // near the Gram is to losing a direction. Below kSmallestPivotRatio inputs are nearly
    // dependent, and L⁻¹ magnifies what is rounded.
    double pivotRatio() const { return m_pivotRatio; }
    static constexpr double kSmallestPivotRatio = 1e-10;
    // LᵀL: the Gram with its shift
    Eigen::MatrixXd gram() const { return m_factor->product(); }
    // Its diagonal (d1), Σ x² of every input: at hand, where gram() is a product of two matrices
    const Eigen::VectorXd& gramDiagonal() const { return m_gramDiagonal; }
    // Of the Gram as it was given, without its shift; λ (the squared singular values of L where
    // there is none) at most kNoDirection d1 of the largest count as zero. On the host, about
    // 9 d1³ operations.
    GramSpectrum spectrum() const;
    static constexpr double kNoDirection = 1e-15;  // 4.5 ε: what rounding makes of a zero
    Eigen::MatrixXf whitenedFromOriginal(const Eigen::MatrixXf& w) const {  // L W
        return m_factor->times(w);
    }
    // The same, and the Gram, as matrices of `backend` (gram_factor.h).
    Matrix whitenedFromOriginal(Backend& backend, const Matrix& w) const {
        return m_factor->times(backend, w);
    }
    UnitGram unitGram(Backend& backend) const { return m_factor->unitProduct(backend); }
    Eigen::MatrixXf originalFromWhitened(const Eigen::MatrixXf& d) const {  // L⁻¹ D
        return m_factor->solve(d);
    }

  private:
    enum class Use { Solving, Measuring };
    struct Ridged;
    Whitening();
    Whitening(const Eigen::MatrixXd& gram, const std::string& layer, Backend& backend, Use use);

    std::shared_ptr<const GramFactor> m_factor;
    std::shared_ptr<Ridged> m_ridged;  // those of this factor
    Eigen::VectorXd m_gramDiagonal;
    double m_shift = 0;
    double m_pivotRatio = 1;
};

}  // namespace cospadi
