#include <cmath>
#include <vector>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

constexpr double kSmallestGain = 2e-5;  // of the squared error, for one more step

// With H = DᵀD and P = Dᵀ Z M, the gradient is R = P − H S M. S M is kept beside S: the dictionary
// update and the gradient both need it, and a conjugate-gradient step has M times its direction at
// hand anyway. M's diagonal preconditions everything: columns differ in weight by many orders.
class CoupledColumns final : public CodingProblem {
  public:
    CoupledColumns(Backend& backend, const Matrix& z, const Matrix& metric, std::int64_t s,
                   double squaredNorm, Matrix d, Matrix codes)
        : m_backend(backend),
          m_metric(metric),
          m_s(s),
          m_squaredNorm(squaredNorm),
          m_d(std::move(d)),
          m_codes(std::move(codes)),
          m_zm(backend.zeros(z.rows, z.cols)),
          m_sm(backend.zeros(m_codes.rows, m_codes.cols)),
          m_p(backend.zeros(m_codes.rows, m_codes.cols)),
          m_r(backend.zeros(m_codes.rows, m_codes.cols)),
          m_h(backend.zeros(m_d.cols, m_d.cols)) {
        m_backend.gemm(Op::None, Op::None, 1, z, m_metric, 0, m_zm);
        Eigen::MatrixXf inverse(metric.cols, 1);
        Eigen::Index i = 0;
        for (const double diagonal : backend.diagonal(metric)) {
            inverse(i++, 0) = diagonal > 0 ? static_cast<float>(1 / diagonal) : 0.0F;
        }
        m_inverseDiagonal = backend.upload(inverse);
    }

    Matrix& dictionary() override { return m_d; }
    Matrix& codes() override { return m_codes; }

    // D = (Z M Sᵀ) (S M Sᵀ)⁻¹
    void updateDictionary() override {
        codesChanged();
        Matrix normal = m_backend.zeros(m_d.cols, m_d.cols);
        m_backend.gemm(Op::None, Op::Transpose, 1, m_sm, m_codes, 0, normal);
        m_backend.gemm(Op::None, Op::Transpose, 1, m_zm, m_codes, 0, m_d);
        m_backend.solveRight(normal, m_d);
        m_backend.normalizeAtoms(m_d, m_codes);
    }

    void dictionaryChanged() override {
        m_backend.syrk(Op::Transpose, m_d, m_h);
        m_backend.gemm(Op::Transpose, Op::None, 1, m_d, m_zm, 0, m_p);
        codesChanged();
    }

    std::int64_t selectSupport(float gain) override {
        gradient();
        m_backend.scaleColumns(m_inverseDiagonal, m_r);
        const std::int64_t changes = m_backend.thresholdStep(m_r, gain, m_s, m_codes);
        codesChanged();
        return changes;
    }

    void refine(int steps) override {
        gradient();
        double squaredError =
            m_squaredNorm - m_backend.dot(m_codes, m_p) - m_backend.dot(m_codes, m_r);
        m_backend.restrictToSupport(m_codes, m_r);
        Matrix z = preconditioned();
        Matrix direction = duplicate(z);
        Matrix dm = m_backend.zeros(m_codes.rows, m_codes.cols);
        Matrix q = m_backend.zeros(m_codes.rows, m_codes.cols);
        double rz = m_backend.dot(m_r, z);
        for (int i = 0; i < steps && rz > 0; ++i) {
            m_backend.gemm(Op::None, Op::None, 1, direction, m_metric, 0, dm);
            m_backend.gemm(Op::None, Op::None, 1, m_h, dm, 0, q);
            m_backend.restrictToSupport(m_codes, q);
            const double curvature = m_backend.dot(direction, q);
            if (!(curvature > 0)) {
                break;
            }
            const auto step = static_cast<float>(rz / curvature);
            m_backend.axpby(step, direction, 1, m_codes);
            m_backend.axpby(step, dm, 1, m_sm);
            m_backend.axpby(-step, q, 1, m_r);
            const double gain = rz * rz / curvature;
            squaredError -= gain;
            if (gain < kSmallestGain * squaredError) {
                break;
            }
            z = preconditioned();
            const double next = m_backend.dot(m_r, z);
            m_backend.axpby(1, z, static_cast<float>(next / rz), direction);
            rz = next;
        }
    }

    // ‖Z − D S‖² = ‖Z‖² − ⟨S, P⟩ − ⟨S, R⟩, each in the metric; R may be restricted to the support.
    double relativeError() override {
        return solver::relativeError(m_squaredNorm, m_backend.dot(m_codes, m_p),
                                     m_backend.dot(m_codes, m_r));
    }

  private:
    void codesChanged() { m_backend.gemm(Op::None, Op::None, 1, m_codes, m_metric, 0, m_sm); }

    void gradient() {
        m_backend.copy(m_p, m_r);
        m_backend.gemm(Op::None, Op::None, -1, m_h, m_sm, 1, m_r);
    }

    Matrix preconditioned() {
        Matrix z = duplicate(m_r);
        m_backend.scaleColumns(m_inverseDiagonal, z);
        return z;
    }

    Matrix duplicate(const Matrix& a) {
        Matrix copy = m_backend.zeros(a.rows, a.cols);
        m_backend.copy(a, copy);
        return copy;
    }

    Backend& m_backend;
    const Matrix& m_metric;
    std::int64_t m_s;
    double m_squaredNorm;
    Matrix m_d, m_codes;
    Matrix m_zm;  // Z M
    Matrix m_sm;  // S M
    Matrix m_p;   // Dᵀ Z M
    Matrix m_r;
    Matrix m_h;                // DᵀD
    Matrix m_inverseDiagonal;  // (n, 1), of M
};

}  // namespace

std::unique_ptr<CodingProblem> coupledColumns(Backend& backend, const Matrix& z,
                                              const Matrix& metric, std::int64_t s,
                                              double squaredNorm, Matrix d, Matrix codes) {
    return std::make_unique<CoupledColumns>(backend, z, metric, s, squaredNorm, std::move(d),
                                            std::move(codes));
}

}  // namespace cospadi::solver
