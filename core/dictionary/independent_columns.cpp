#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

class IndependentColumns final : public CodingProblem {
  public:
    IndependentColumns(Backend& backend, const Matrix& w, const Support& support,
                       double squaredNorm, Matrix d, Matrix codes)
        : m_backend(backend),
          m_w(w),
          m_support(support),
          m_squaredNorm(squaredNorm),
          m_d(std::move(d)),
          m_codes(std::move(codes)),
          m_p(backend.zeros(m_d.cols, w.cols)),
          m_r(backend.zeros(m_d.cols, w.cols)),
          m_g(backend.zeros(m_d.cols, m_d.cols)) {}

    Matrix& dictionary() override { return m_d; }
    Matrix& codes() override { return m_codes; }

    void updateDictionary(const Ridge& ridge) override {
        leastSquaresDictionary(m_backend, m_w, ridge, m_d, m_codes);
    }

    void dictionaryChanged() override {
        m_backend.syrk(Op::Transpose, m_d, m_g);
        m_backend.gemm(Op::Transpose, Op::None, 1, m_d, m_w, 0, m_p);
    }

    void codesChanged() override {}

    std::int64_t selectSupport(float gain) override {
        m_backend.copy(m_p, m_r);
        m_backend.stepGemm(Op::None, Op::None, -1, m_g, m_codes, 1, m_r);
        return threshold(m_backend, m_r, gain, m_support, m_codes);
    }

    void refine(int steps) override { m_overlap = m_backend.maskedCg(m_g, m_p, steps, 0, m_codes); }

    double relativeError() override {
        return solver::relativeError(m_squaredNorm, m_backend.dot(m_codes, m_p), m_overlap);
    }

    Matrix unexplained() override {  // W − D S
        Matrix residual = m_backend.zeros(m_w.rows, m_w.cols);
        m_backend.copy(m_w, residual);
        m_backend.gemm(Op::None, Op::None, -1, m_d, m_codes, 1, residual);
        return residual;
    }

  private:
    Backend& m_backend;
    const Matrix& m_w;
    Support m_support;
    double m_squaredNorm;
    Matrix m_d, m_codes;
    Matrix m_p;            // Dᵀ W
    Matrix m_r;            // P − G S
    Matrix m_g;            // Dᵀ D
    double m_overlap = 0;  // ⟨S, R⟩ after refine()
};

}  // namespace

std::unique_ptr<CodingProblem> independentColumns(Backend& backend, const Matrix& w,
                                                  const Support& support, double squaredNorm,
                                                  Matrix d, Matrix codes) {
    return std::make_unique<IndependentColumns>(backend, w, support, squaredNorm, std::move(d),
                                                std::move(codes));
}

}  // namespace cospadi::solver
