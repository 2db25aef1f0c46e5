#include <algorithm>

#include "core/base/ceil_divide.h"
#include "core/dictionary/coding_problem.h"
#include "core/dictionary/solver_steps.h"

namespace cospadi::solver {

namespace {

constexpr double kSmallestGain = 2e-5;  // of the squared error, for one more step
constexpr std::int64_t kBlockColumns = 64;
constexpr std::int64_t kSpanColumns = 512;
constexpr int kBlockSteps = 6;  // of conjugate gradients in a block, at most
// Of a block's share of the squared error, for one more of them.
constexpr double kSmallestBlockGain = 1e-2;
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
// S M is as large as S, and a block's change touches all of it: within a span of blocks only the
// span's own columns are brought up to date, the others once for the whole span.
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
        for (Matrix* scratch : {&m_gradient, &m_scaled, &m_change, &m_weighted, &m_left}) {
            *scratch = backend.zeros(m_codes.rows, kBlockColumns);
        }
        for (Matrix* scratch : {&m_spanChange, &m_spanWeighted}) {
            *scratch = backend.zeros(m_codes.rows, kSpanColumns);
        }
        std::int64_t first = 0;
        for (const CoupledPart& part : parts) {
            const std::int64_t columns = part.metric.cols;
            Matrix weighted = m_zm.columns(first, columns);
            m_backend.gemm(Op::None, Op::None, 1, z.columns(first, columns), part.metric, 0,
                           weighted);
            m_parts.push_back({{m_h, part.metric, inverseDiagonal(part.metric), nullptr},
                               part.squaredNorm,
                               m_codes.columns(first, columns),
                               m_sm.columns(first, columns),
                               m_p.columns(first, columns),
                               {}});
            addSpans(m_parts.back());
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
        m_hFromLeft = m_backend.leftOperand(m_h);
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
            const std::int64_t blocks = ceilDivide(part.codes.cols, kBlockColumns);
            const double share = m_squaredError / static_cast<double>(blocks);
            for (Span& span : part.spans) {
                changes += chooseInSpan(part, span, share, gain);
            }
        }
        return changes;
    }

    void refine(int steps) override {
        m_overlap = 0;
        for (Part& part : m_parts) {
            CoupledCodes at{part.codes, part.weighted, residualOf(part)};
            double overlap = m_backend.dot(part.codes, at.residual);
            if (steps > 0) {
                const double error = part.squaredNorm - m_backend.dot(part.codes, part.p) - overlap;
                m_backend.coupledCg(part.system, steps, kSmallestGain, error, at);
                overlap = m_backend.dot(part.codes, at.residual);
            }
            m_overlap += overlap;
        }
    }

    // ‖Z − D S‖² = ‖Z‖² − ⟨S, P⟩ − ⟨S, R⟩, each in the metric
    double relativeError() override {
        const double overlapWithP = m_backend.dot(m_codes, m_p);
        m_squaredError = std::max(m_squaredNorm - overlapWithP - m_overlap, 0.0);
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
        std::int64_t first = 0;  // of the span's columns
        Matrix codes, p;         // its columns of S and of P
        Matrix metric;           // M_B, rows and columns of M that are its own
        Matrix inverseDiagonal;
    };
    struct Span {
        Matrix codes, weighted;  // its columns of S and of S M
        Matrix across;           // of M, (n_i, w)
        Matrix metric;           // rows and columns of M that are its own
        std::vector<Block> blocks;
    };
    struct Part {
        CoupledSystem system;
        double squaredNorm = 0;     // ‖Z Lᵀ‖²
        Matrix codes, weighted, p;  // its columns of S, of S M and of P
        std::vector<Span> spans;
    };

    Matrix inverseDiagonal(const Matrix& metric) {
        Eigen::MatrixXf inverse(metric.cols, 1);
        Eigen::Index i = 0;
        for (const double diagonal : m_backend.diagonal(metric)) {
            inverse(i++, 0) = diagonal > 0 ? static_cast<float>(1 / diagonal) : 0.0F;
        }
        return m_backend.upload(inverse);
    }

    // A matrix of its own: rows `first` on of the columns of a metric.
    Matrix rowsOf(const Matrix& metric, std::int64_t first, std::int64_t count) {
        Matrix rows = m_backend.zeros(count, metric.cols);
        m_backend.copyRows(metric, first, count, rows, 0);
        return rows;
    }

    void addSpans(Part& part) {
        const std::int64_t columns = part.codes.cols;
        const std::int64_t spans = ceilDivide(columns, kSpanColumns);
        const std::int64_t width =
            ceilDivide(ceilDivide(columns, spans), kBlockColumns) * kBlockColumns;
        for (std::int64_t first = 0; first < columns; first += width) {
            const std::int64_t count = std::min(width, columns - first);
            const Matrix across = part.system.metric.columns(first, count);
            part.spans.push_back({part.codes.columns(first, count),
                                  part.weighted.columns(first, count),
                                  across,
                                  rowsOf(across, first, count),
                                  {}});
            addBlocks(part, part.spans.back(), first);
        }
    }

    void addBlocks(Part& part, Span& span, std::int64_t spanFirst) {
        for (std::int64_t first = 0; first < span.codes.cols; first += kBlockColumns) {
            const std::int64_t count = std::min(kBlockColumns, span.codes.cols - first);
            const auto& all = part.system.inverseDiagonal.data;
            span.blocks.push_back({first,
                                   span.codes.columns(first, count),
                                   part.p.columns(spanFirst + first, count),
                                   rowsOf(span.metric.columns(first, count), first, count),
                                   {count, 1, {all, all.get() + spanFirst + first}}});
        }
    }

    Matrix residualOf(const Part& part) {  // P − H S M
        Matrix residual = copyOf(m_backend, part.p);
        m_backend.gemm(Op::None, Op::None, -1, m_h, part.weighted, 1, residual);
        return residual;
    }

    double squaredErrorNow() {
        double squared = m_squaredNorm - m_backend.dot(m_codes, m_p);
        for (const Part& part : m_parts) {
            squared -= m_backend.dot(part.codes, residualOf(part));
        }
        return std::max(squared, 0.0);
    }

    std::int64_t chooseInSpan(Part& part, Span& span, double share, float gain) {
        Matrix change = m_spanChange.columns(0, span.codes.cols);
        Matrix weighted = m_spanWeighted.columns(0, span.codes.cols);
        m_backend.copy(span.codes, change);
        m_backend.copy(span.weighted, weighted);
        std::int64_t changes = 0;
        for (Block& block : span.blocks) {
            const std::int64_t columns = block.codes.cols;
            Matrix blockChange = change.columns(block.first, columns);  // S_B as it was, so far
            changes +=
                choose(block, blockChange, weighted.columns(block.first, columns), share, gain);
            m_backend.axpby(1, block.codes, -1, blockChange);
            m_backend.stepGemm(Op::None, Op::Transpose, 1, blockChange,
                               span.metric.columns(block.first, columns), 1, weighted);
        }
        m_backend.stepGemm(Op::None, Op::Transpose, 1, change, span.across, 1, part.weighted);
        return changes;
    }

    // The block's support, and values that fit the others' as they are. before: a copy of S_B.
    // weighted: its columns of S M. share: of the squared error, the block's.
    std::int64_t choose(Block& block, const Matrix& before, const Matrix& weighted, double share,
                        float gain) {
        const std::int64_t columns = block.codes.cols;
        Matrix gradient = m_gradient.columns(0, columns);  // R_B there
        Matrix scaled = m_scaled.columns(0, columns);
        m_backend.copy(block.p, gradient);
        m_hFromLeft->times(-1, weighted, 1, gradient);
        m_backend.copy(gradient, scaled);
        m_backend.scaleColumns(block.inverseDiagonal, scaled);
        const double allowed = std::max(share, kUntellable * m_squaredNorm);
        Matrix change = m_change.columns(0, columns);
        CoupledCodes at{block.codes, m_weighted.columns(0, columns), m_left.columns(0, columns)};
        const CoupledSystem system{m_h, block.metric, block.inverseDiagonal, m_hFromLeft.get()};
        std::int64_t changes = 0;
        for (int shorter = 0; shorter <= kShorterChoices + 1; ++shorter, gain *= kShorter) {
            const bool chooses = shorter <= kShorterChoices;
            changes = chooses ? threshold(m_backend, scaled, gain, m_support, block.codes) : 0;
            // What S_B has become more than it was, C, takes ⟨C, R⟩ before and behind off the
            // error.
            m_backend.copy(block.codes, change);
            m_backend.axpby(-1, before, 1, change);
            m_backend.gemm(Op::None, Op::None, 1, change, block.metric, 0, at.codesMetric);
            m_backend.copy(gradient, at.residual);
            m_hFromLeft->timesRoughly(-1, at.codesMetric, 1, at.residual);
            double gained = m_backend.dot(change, gradient) + m_backend.dot(change, at.residual);
            gained +=
                m_backend.coupledCg(system, kBlockSteps, kSmallestBlockGain, allowed - gained, at);
            if (!chooses || -gained <= allowed) {
                break;
            }
            m_backend.copy(before, block.codes);
        }
        return changes;
    }

    Backend& m_backend;
    Support m_support;
    Matrix m_d, m_codes;
    Matrix m_zm;  // Z M
    Matrix m_sm;  // S M
    Matrix m_p;   // Dᵀ Z M
    Matrix m_h;   // DᵀD
    std::unique_ptr<LeftOperand> m_hFromLeft;
    std::vector<Part> m_parts;
    // Allocated once, of a block and of a span.
    Matrix m_gradient, m_scaled, m_change, m_weighted, m_left;
    Matrix m_spanChange, m_spanWeighted;
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
