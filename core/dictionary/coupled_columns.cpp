#include <algorithm>

#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

constexpr double kSmallestGain = 2e-5;  // of the squared error, for one more step
constexpr std::int64_t kBlockColumns = 64;
constexpr int kBlockSteps = 6;  // of conjugate gradients in a block
constexpr int kShorterChoices = 2;
constexpr float kShorter = 0.125F;    // times the gain before
constexpr double kUntellable = 1e-6;  // of ‖Z‖²: less is rounding

// With H = DᵀD and P = Dᵀ Z M, the gradient is R = P − H S M. S M is kept beside S: the dictionary
// update and the gradient both need it, and conjugate gradients have M times their direction at
// hand anyway. M's diagonal preconditions everything: columns differ in weight by many orders.
//
// Supports are chosen block by block of columns, as in Gauss and Seidel's iteration: columns that M
// couples take up the same residual where they choose at once, and S overshoots by as much as
// their inputs have in common. Parts stand alone once D is given, each with step sizes of its own.
//
// Where atoms are nearly parallel, as those of a dictionary that has just grown may be, a gradient
// step overshoots by as many times as there are of them. The blocks of a part may add the error
// once more together; one whose choice would add more than its share chooses again with a shorter
// step, and in the end keeps what it had.
class CoupledColumns final : public CodingProblem {
  public:
    CoupledColumns(Backend& backend, const Matrix& z, const std::vector<CoupledPart>& parts,
                   const Support& support, Matrix d, Matrix codes)
        : m_backend(backend),
          m_support(support),
          m_d(std::move(d)),
          m_codes(std::move(codes)),
          m_zm(backend.zeros(z.rows, z.cols)),
          m_sm(backend.zeros(m_codes.rows, m_codes.cols)),
          m_p(backend.zeros(m_codes.rows, m_codes.cols)),
          m_h(backend.zeros(m_d.cols, m_d.cols)) {
        for (Matrix* scratch : {&m_change, &m_residual, &m_weighted, &m_target}) {
            *scratch = backend.zeros(m_codes.rows, kBlockColumns);
        }
        std::int64_t first = 0;
        for (const CoupledPart& part : parts) {
            const std::int64_t columns = part.metric.cols;
            Matrix weighted = m_zm.columns(first, columns);
            m_backend.gemm(Op::None, Op::None, 1, z.columns(first, columns), part.metric, 0,
                           weighted);
            m_parts.push_back({{m_h, m_p.columns(first, columns), part.metric,
                                inverseDiagonal(part.metric), part.squaredNorm},
                               m_codes.columns(first, columns),
                               m_sm.columns(first, columns),
                               {}});
            addBlocks(m_parts.back());
            m_squaredNorm += part.squaredNorm;
            first += columns;
        }
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
        m_backend.syrk(Op::Transpose, m_d, m_h);
        m_backend.gemm(Op::Transpose, Op::None, 1, m_d, m_zm, 0, m_p);
    }

    void codesChanged() override {
        for (Part& part : m_parts) {
            m_backend.gemm(Op::None, Op::None, 1, part.codes, part.system.metric, 0, part.weighted);
        }
    }

    std::int64_t selectSupport(float gain) override {
        if (m_squaredError < 0) {
            m_squaredError = squaredErrorNow();
        }
        std::int64_t changes = 0;
        for (Part& part : m_parts) {
            for (Block& block : part.blocks) {
                changes += choose(part, block, gain);
            }
        }
        return changes;
    }

    void refine(int steps) override {
        m_overlap = 0;
        for (Part& part : m_parts) {
            m_overlap +=
                m_backend.coupledCg(part.system, steps, kSmallestGain, part.codes, part.weighted);
        }
    }

    // ‖Z − D S‖² = ‖Z‖² − ⟨S, P⟩ − ⟨S, R⟩, each in the metric
    double relativeError() override {
        const double overlapWithP = m_backend.dot(m_codes, m_p);
        m_squaredError = std::max(0.0, m_squaredNorm - overlapWithP - m_overlap);
        return solver::relativeError(m_squaredNorm, overlapWithP, m_overlap);
    }

    Matrix unexplained() override {  // (Z − D S) M diag(M)^−½
        Matrix residual = copyOf(m_backend, m_zm);
        m_backend.gemm(Op::None, Op::None, -1, m_d, m_sm, 1, residual);
        std::int64_t first = 0;
        for (const Part& part : m_parts) {
            Matrix own = residual.columns(first, part.codes.cols);
            const Eigen::MatrixXf weights =
                m_backend.download(part.system.inverseDiagonal).cwiseSqrt();
            m_backend.scaleColumns(m_backend.upload(weights), own);
            first += part.codes.cols;
        }
        return residual;
    }

  private:
    // Columns of a part that choose their support at once.
    struct Block {
        Matrix codes, weighted;  // its columns of S and of S M
        Matrix p;                // of P
        Matrix across;           // of M, (n_i, b)
        Matrix metric;           // M_B, rows and columns of M that are its own
        Matrix inverseDiagonal;
    };
    struct Part {
        CoupledSystem system;
        Matrix codes, weighted;  // its columns of S and of S M
        std::vector<Block> blocks;
    };

    Matrix inverseDiagonal(const Matrix& metric) {
        Eigen::MatrixXf inverse(metric.cols, 1);
        Eigen::Index i = 0;
        for (const double diagonal : m_backend.diagonal(metric)) {
            inverse(i++, 0) = diagonal > 0 ? static_cast<float>(1 / diagonal) : 0.0F;
        }
        return m_backend.upload(inverse);
    }

    void addBlocks(Part& part) {
        for (std::int64_t first = 0; first < part.codes.cols; first += kBlockColumns) {
            const std::int64_t count = std::min(kBlockColumns, part.codes.cols - first);
            const Matrix across = part.system.metric.columns(first, count);
            Matrix metric = m_backend.zeros(count, count);
            m_backend.copyRows(across, first, count, metric, 0);
            const auto& all = part.system.inverseDiagonal.data;
            part.blocks.push_back({part.codes.columns(first, count),
                                   part.weighted.columns(first, count),
                                   part.system.p.columns(first, count),
                                   across,
                                   metric,
                                   {count, 1, {all, all.get() + first}}});
        }
    }

    // By how much the block's codes make the squared error smaller, the others as they are:
    // ⟨S_B, T_B⟩ + ⟨S_B, R_B⟩.
    double explained(const Block& block, const Matrix& target, double overlap) {
        return m_backend.dot(block.codes, target) + overlap;
    }

    double squaredErrorNow() {
        Matrix residual = copyOf(m_backend, m_p);
        m_backend.gemm(Op::None, Op::None, -1, m_h, m_sm, 1, residual);
        return std::max(
            0.0, m_squaredNorm - m_backend.dot(m_codes, m_p) - m_backend.dot(m_codes, residual));
    }

    // The block's support, and values that fit the others' as they are.
    std::int64_t choose(Part& part, Block& block, float gain) {
        const std::int64_t columns = block.codes.cols;
        Matrix change = m_change.columns(0, columns);
        Matrix residual = m_residual.columns(0, columns);
        Matrix weighted = m_weighted.columns(0, columns);
        Matrix target = m_target.columns(0, columns);
        m_backend.copy(block.codes, change);
        m_backend.copy(block.p, residual);
        m_backend.gemm(Op::None, Op::None, -1, m_h, block.weighted, 1, residual);
        // What is asked of the block alone: P_B − H (S M − S_B M_B) = R + H S_B M_B.
        m_backend.gemm(Op::None, Op::None, 1, block.codes, block.metric, 0, weighted);
        m_backend.copy(residual, target);
        m_backend.gemm(Op::None, Op::None, 1, m_h, weighted, 1, target);

        const double allowed = std::max(m_squaredError / static_cast<double>(part.blocks.size()),
                                        kUntellable * m_squaredNorm);
        const double before = explained(block, target, m_backend.dot(block.codes, residual));
        m_backend.scaleColumns(block.inverseDiagonal, residual);
        std::int64_t changes = 0;
        for (int shorter = 0; shorter <= kShorterChoices + 1; ++shorter, gain *= kShorter) {
            const bool chooses = shorter <= kShorterChoices;
            changes = chooses ? threshold(m_backend, residual, gain, m_support, block.codes) : 0;
            m_backend.gemm(Op::None, Op::None, 1, block.codes, block.metric, 0, weighted);
            const double overlap =
                m_backend.coupledCg({m_h, target, block.metric, block.inverseDiagonal, 0},
                                    kBlockSteps, 0, block.codes, weighted);
            if (!chooses || before - explained(block, target, overlap) <= allowed) {
                break;
            }
            m_backend.copy(change, block.codes);
        }

        m_backend.axpby(1, block.codes, -1, change);
        m_backend.gemm(Op::None, Op::Transpose, 1, change, block.across, 1, part.weighted);
        return changes;
    }

    Backend& m_backend;
    Support m_support;
    Matrix m_d, m_codes;
    Matrix m_zm;  // Z M
    Matrix m_sm;  // S M
    Matrix m_p;   // Dᵀ Z M
    Matrix m_h;   // DᵀD
    std::vector<Part> m_parts;
    // Of a block, (k, kBlockColumns): allocated once.
    Matrix m_change, m_residual, m_weighted, m_target;
    double m_squaredNorm = 0;
    double m_overlap = 0;        // ⟨S, R⟩ after refine()
    double m_squaredError = -1;  // when last asked for; below 0: not yet known
};

}  // namespace

std::unique_ptr<CodingProblem> coupledColumns(Backend& backend, const Matrix& z,
                                              const std::vector<CoupledPart>& parts,
                                              const Support& support, Matrix d, Matrix codes) {
    return std::make_unique<CoupledColumns>(backend, z, parts, support, std::move(d),
                                            std::move(codes));
}

}  // namespace cospadi::solver
