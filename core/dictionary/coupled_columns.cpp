
#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

constexpr double kSmallestGain = 2e-5;  // of the squared error, for one more step

// With H = DᵀD and P = Dᵀ Z M, the gradient is R = P − H S M. S M is kept beside S: the dictionary
// update and the gradient both need it, and conjugate gradients have M times their direction at
// hand anyway. M's diagonal preconditions everything: columns differ in weight by many orders.
class CoupledColumns final : public CodingProblem {
  public:
    CoupledColumns(Backend& backend, const Matrix& z, const Matrix& metric, const Support& support,
                   double squaredNorm, Matrix d, Matrix codes)
        : m_backend(backend),
          m_support(support),
          m_d(std::move(d)),
          m_codes(std::move(codes)),
          m_zm(backend.zeros(z.rows, z.cols)),
          m_sm(backend.zeros(m_codes.rows, m_codes.cols)),
          m_r(backend.zeros(m_codes.rows, m_codes.cols)) {
        m_backend.gemm(Op::None, Op::None, 1, z, metric, 0, m_zm);
        Eigen::MatrixXf inverse(metric.cols, 1);
        Eigen::Index i = 0;
        for (const double diagonal : backend.diagonal(metric)) {
            inverse(i++, 0) = diagonal > 0 ? static_cast<float>(1 / diagonal) : 0.0F;
        }
        m_system = {backend.zeros(m_d.cols, m_d.cols), backend.zeros(m_codes.rows, m_codes.cols),
                    metric, backend.upload(inverse), squaredNorm};
        CoupledColumns::codesChanged();
    }

    Matrix& dictionary() override { return m_d; }
    Matrix& codes() override { return m_codes; }

    // D = (Z M Sᵀ) (S M Sᵀ)⁻¹
    void updateDictionary(const Ridge& ridge) override {
        Matrix normal = m_backend.zeros(m_d.cols, m_d.cols);
        Matrix next = m_backend.zeros(m_d.rows, m_d.cols);
        m_backend.gemm(Op::None, Op::Transpose, 1, m_sm, m_codes, 0, normal);
        m_backend.gemm(Op::None, Op::Transpose, 1, m_zm, m_codes, 0, next);
        m_backend.solveRight(normal, ridge.value(), m_d, next);
        m_backend.normalizeAtoms(next, {m_codes, m_sm});
        m_d = next;
    }

    void dictionaryChanged() override {
        m_backend.syrk(Op::Transpose, m_d, m_system.h);
        m_backend.gemm(Op::Transpose, Op::None, 1, m_d, m_zm, 0, m_system.p);
    }

    void codesChanged() override {
        m_backend.gemm(Op::None, Op::None, 1, m_codes, m_system.metric, 0, m_sm);
    }

    std::int64_t selectSupport(float gain) override {
        m_backend.copy(m_system.p, m_r);
        m_backend.gemm(Op::None, Op::None, -1, m_system.h, m_sm, 1, m_r);
        m_backend.scaleColumns(m_system.inverseDiagonal, m_r);
        const std::int64_t changes = threshold(m_backend, m_r, gain, m_support, m_codes);
        codesChanged();
        return changes;
    }

    void refine(int steps) override {
        m_overlap = m_backend.coupledCg(m_system, steps, kSmallestGain, m_codes, m_sm);
    }

    // ‖Z − D S‖² = ‖Z‖² − ⟨S, P⟩ − ⟨S, R⟩, each in the metric
    double relativeError() override {
        return solver::relativeError(m_system.squaredNorm, m_backend.dot(m_codes, m_system.p),
                                     m_overlap);
    }

    Matrix unexplained() override {  // (Z − D S) M diag(M)^−½
        Matrix residual = m_backend.zeros(m_zm.rows, m_zm.cols);
        m_backend.copy(m_zm, residual);
        m_backend.gemm(Op::None, Op::None, -1, m_d, m_sm, 1, residual);
        const Eigen::MatrixXf weights = m_backend.download(m_system.inverseDiagonal).cwiseSqrt();
        m_backend.scaleColumns(m_backend.upload(weights), residual);
        return residual;
    }

  private:
    Backend& m_backend;
    Support m_support;
    Matrix m_d, m_codes;
    Matrix m_zm;  // Z M
    Matrix m_sm;  // S M
    Matrix m_r;   // (P − H S M) diag(M)⁻¹
    CoupledSystem m_system;
    double m_overlap = 0;  // ⟨S, R⟩ after refine()
};

}  // namespace

std::unique_ptr<CodingProblem> coupledColumns(Backend& backend, const Matrix& z,
                                              const Matrix& metric, const Support& support,
                                              double squaredNorm, Matrix d, Matrix codes) {
    return std::make_unique<CoupledColumns>(backend, z, metric, support, squaredNorm, std::move(d),
                                            std::move(codes));
}

}  // namespace cospadi::solver
