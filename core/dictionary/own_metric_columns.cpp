#include <algorithm>
#include <cmath>
#include <utility>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

constexpr int kDictionarySteps = 6;

// Every part has its own H_i = DᵀM_iD and P_i = DᵀM_iW_i. Atoms are of length 1 in the mean
// metric, not in a part's; the verbs that choose and fit codes are for atoms of length 1, so that
// codes are scaled there and back around them.
class OwnMetricColumns final : public CodingProblem {
  public:
    OwnMetricColumns(Backend& backend, const Matrix& w, const std::vector<Matrix>& metrics,
                     const std::vector<std::int64_t>& widths, const Support& support,
                     double squaredNorm, Matrix d, Matrix codes)
        : m_backend(backend),
          m_w(w),
          m_support(support),
          m_squaredNorm(squaredNorm),
          m_d(std::move(d)),
          m_codes(std::move(codes)),
          m_p(backend.zeros(m_d.cols, w.cols)),
          m_r(backend.zeros(m_d.cols, w.cols)) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const std::int64_t width = widths[i];
            Part part{metrics[i],
                      backend.zeros(w.rows, width),
                      m_codes.columns(first, width),
                      m_p.columns(first, width),
                      m_r.columns(first, width),
                      backend.zeros(m_d.cols, m_d.cols),
                      backend.zeros(1, m_d.cols),
                      backend.zeros(1, m_d.cols)};
            backend.gemm(Op::None, Op::None, 1, part.metric, w.columns(first, width), 0,
                         part.weighted);
            m_parts.push_back(std::move(part));
            first += width;
        }
    }

    Matrix& dictionary() override { return m_d; }
    Matrix& codes() override { return m_codes; }

    // Σ M_i D S_iS_iᵀ = Σ M_iW_iS_iᵀ by conjugate gradients from D on, which raise the error at no
    // step, preconditioned by (Σ S_iS_iᵀ)⁻¹: exact at once where all metrics are the identity.
    void updateDictionary(const Ridge& ridge) override {
        const std::vector<Matrix> squares = squaredCodes();
        Matrix sum = m_backend.zeros(m_d.cols, m_d.cols);
        Matrix residual = m_backend.zeros(m_d.rows, m_d.cols);
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            m_backend.axpby(1, squares[i], 1, sum);
            m_backend.gemm(Op::None, Op::Transpose, 1, m_parts[i].weighted, m_parts[i].codes, 1,
                           residual);
        }
        addImage(-1, m_d, squares, residual);
        Matrix next = copyOf(m_backend, m_d);
        const Matrix nowhere = m_backend.zeros(m_d.rows, m_d.cols);
        Matrix direction;
        double slope = 0;
        for (int step = 0; step < kDictionarySteps; ++step) {
            Matrix preconditioned = copyOf(m_backend, residual);
            m_backend.solveRight(sum, ridge.value(), nowhere, preconditioned);
            const double nextSlope = m_backend.dot(residual, preconditioned);
            if (!(nextSlope > 0)) {
                break;  // solved, or the normal equations did not hold
            }
            if (direction) {
                m_backend.axpby(1, preconditioned, static_cast<float>(nextSlope / slope),
                                direction);
            } else {
                direction = preconditioned;
            }
            slope = nextSlope;
            Matrix image = m_backend.zeros(m_d.rows, m_d.cols);
            addImage(1, direction, squares, image);
            const double curvature = m_backend.dot(direction, image);
            if (!(curvature > 0)) {
                break;
            }
            const auto length = static_cast<float>(slope / curvature);
            m_backend.axpby(length, direction, 1, next);
            m_backend.axpby(-length, image, 1, residual);
        }
        m_backend.normalizeAtoms(next, {m_codes});
        m_d = next;
    }

    void dictionaryChanged() override {
        Matrix image = m_backend.zeros(m_d.rows, m_d.cols);
        for (Part& part : m_parts) {
            m_backend.gemm(Op::None, Op::None, 1, part.metric, m_d, 0, image);
            m_backend.gemm(Op::Transpose, Op::None, 1, m_d, image, 0, part.h);
            m_backend.gemm(Op::Transpose, Op::None, 1, m_d, part.weighted, 0, part.p);
            setLengths(part);
            scaleRows(part.inverse, {part.p});
            m_backend.scaleColumns(columnOf(part.inverse), part.h);
            scaleRows(part.inverse, {part.h});
        }
    }

    void codesChanged() override {}

    std::int64_t selectSupport(float gain) override {
        std::int64_t changes = 0;
        for (Part& part : m_parts) {
            scaleRows(part.lengths, {part.codes});
            m_backend.copy(part.p, part.r);
            m_backend.gemm(Op::None, Op::None, -1, part.h, part.codes, 1, part.r);
            changes += threshold(m_backend, part.r, gain, m_support, part.codes);
            scaleRows(part.inverse, {part.codes});
        }
        return changes;
    }

    void refine(int steps) override {
        m_overlaps = 0;
        for (Part& part : m_parts) {
            scaleRows(part.lengths, {part.codes});
            const double withResidual = m_backend.maskedCg(part.h, part.p, steps, 0, part.codes);
            m_overlaps += withResidual + m_backend.dot(part.codes, part.p);
            scaleRows(part.inverse, {part.codes});
        }
    }

    double relativeError() override { return solver::relativeError(m_squaredNorm, m_overlaps, 0); }

    // As if all metrics were their mean.
    Matrix unexplained() override {
        Matrix residual = copyOf(m_backend, m_w);
        m_backend.gemm(Op::None, Op::None, -1, m_d, m_codes, 1, residual);
        return residual;
    }

  private:
    struct Part {
        Matrix metric;            // M_i
        Matrix weighted;          // M_i W_i
        Matrix codes, p, r;       // columns of all parts': S_i; P_i, and P_i − H_i S_i, scaled
        Matrix h;                 // scaled on both sides
        Matrix lengths, inverse;  // (1, k): of the atoms in the metric, and 1 over them
    };

    std::vector<Matrix> squaredCodes() {
        std::vector<Matrix> squares;
        for (const Part& part : m_parts) {
            squares.push_back(m_backend.zeros(m_d.cols, m_d.cols));
            m_backend.syrk(Op::None, part.codes, squares.back());
        }
        return squares;
    }

    // to += factor Σ M_i X S_iS_iᵀ
    void addImage(float factor, const Matrix& x, const std::vector<Matrix>& squares, Matrix& to) {
        Matrix weighted = m_backend.zeros(x.rows, x.cols);
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            m_backend.gemm(Op::None, Op::None, 1, m_parts[i].metric, x, 0, weighted);
            m_backend.gemm(Op::None, Op::None, factor, weighted, squares[i], 1, to);
        }
    }

    void setLengths(Part& part) {
        Eigen::MatrixXf lengths(1, m_d.cols);
        Eigen::Index j = 0;
        for (const double square : m_backend.diagonal(part.h)) {
            lengths(0, j++) = static_cast<float>(std::sqrt(std::max(0.0, square)));
        }
        // An atom that has no length here adds nothing, whatever its codes.
        lengths = (lengths.array() > 0).select(lengths, 1);
        part.lengths = m_backend.upload(lengths);
        part.inverse = m_backend.upload(lengths.cwiseInverse());
    }

    // Row j of what is listed times factors(0, j) > 0.
    void scaleRows(const Matrix& factors, std::initializer_list<Matrix> scaled) {
        Matrix atoms = copyOf(
            m_backend, factors);  // of one entry, made 1: what S is scaled by is their length
        m_backend.normalizeAtoms(atoms, scaled);
    }

    static Matrix columnOf(const Matrix& row) { return {row.cols, 1, row.data}; }

    Backend& m_backend;
    const Matrix& m_w;
    Support m_support;
    double m_squaredNorm;
    Matrix m_d, m_codes;
    Matrix m_p, m_r;
    std::vector<Part> m_parts;
    double m_overlaps = 0;  // Σ ⟨S_i, P_i⟩ + ⟨S_i, P_i − H_iS_i⟩ after refine()
};

}  // namespace

std::unique_ptr<CodingProblem> columnsInOwnMetrics(Backend& backend, const Matrix& w,
                                                   const std::vector<Matrix>& metrics,
                                                   const std::vector<std::int64_t>& widths,
                                                   const Support& support, double squaredNorm,
                                                   Matrix d, Matrix codes) {
    return std::make_unique<OwnMetricColumns>(backend, w, metrics, widths, support, squaredNorm,
                                              std::move(d), std::move(codes));
}

}  // namespace cospadi::solver
