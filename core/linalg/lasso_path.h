// The LASSO as a coder (paper, Algorithm 1): min ½‖w − D x‖² + λ‖x‖₁ along its path of falling λ
// (homotopy: Osborne, Presnell and Turlach 2000; Efron et al. 2004), to the last λ at which no more
// than s atoms are used. In double, from G = DᵀD and p = Dᵀw.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace cospadi {

class LassoPath {
  public:
    using Gram = Eigen::Map<const Eigen::MatrixXf>;

    // gram (k, k), whose memory outlives this. s ≥ 1.
    LassoPath(const Gram& gram, std::int64_t s);

    // x (k) with at most s non-zeros, for p (k). Its optimality: |p − G x| ≤ λ, with equality and
    // the sign of x on the support. Atoms that lie in the span of those in use are passed over.
    // Valid until the next call. Not thread-safe: one path a thread.
    const Eigen::VectorXd& solve(const Eigen::Ref<const Eigen::VectorXf>& p);
    double lambda() const { return m_lambda; }  // of the last solution; 0: nothing is left over

  private:
    bool join(std::int64_t atom);
    void leave(std::size_t place);
    Eigen::VectorXd direction() const;

    Gram m_gram;
    std::int64_t m_s;
    double m_lambda = 0;
    Eigen::VectorXd m_x;
    Eigen::VectorXd m_correlation;
    std::vector<std::int64_t> m_active;
    std::vector<double> m_signs;
    std::vector<char> m_out;   // in use, or in the span of what is
    Eigen::MatrixXd m_factor;  // (s, s): Cholesky factor of the Gram of the active atoms, lower
};

}  // namespace cospadi
