#include "core/methods/sparsegpt/sparsegpt_method.h"

#include <algorithm>

#include "core/linalg/inverse_factor.h"
#include "core/methods/pruning/largest_scores.h"
#include "core/methods/pruning/pruning_method.h"

namespace cospadi {

namespace {

constexpr double kDamping = 0.01;     // of the Gram, times the mean of its diagonal
constexpr Eigen::Index kBlock = 128;  // inputs

// A layer's weights while they are pruned. Outputs are rows here: what is done to an input is done
// to a column.
class InputsInOrder {
  public:
    InputsInOrder(const MatrixProblem& problem, const NmPattern& pattern, std::int64_t kept)
        : m_backend(problem.backend),
          m_w(problem.w),
          m_pattern(pattern),
          m_kept(kept),
          m_u(inverseFactor(dampedGram(*problem.whitening, kDamping))),
          m_errors(m_backend.zeros(m_w.cols(), m_w.rows())),
          m_keeps(KeptWeights::Constant(m_w.rows(), m_w.cols(), false)),
          m_result(m_w.rows(), m_w.cols()) {}

    // False when stopped.
    bool run(const std::stop_token& stop) {
        const Eigen::Index length =
            m_pattern.isGrouped() ? kBlock - kBlock % m_pattern.group : kBlock;
        for (m_first = 0; m_first < m_w.rows(); m_first += length) {
            if (stop.stop_requested()) {
                return false;
            }
            m_count = std::min(length, m_w.rows() - m_first);
            begin();
            pruneBlock();
            end();
        }
        return true;
    }

    PrunedEntries entries() { return prunedEntries(m_pattern, m_result, std::move(m_keeps)); }

  private:
    // The block with all that the blocks before it leave to it.
    void begin() {
        m_block = m_w.middleRows(m_first, m_count).transpose().cast<double>();
        if (m_first > 0) {
            Matrix before = m_errors;
            before.cols = m_first;
            const Matrix factor =
                m_backend.upload(m_u.block(0, m_first, m_first, m_count).cast<float>());
            Matrix change = m_backend.zeros(m_w.cols(), m_count);
            m_backend.gemm(Op::None, Op::None, 1, before, factor, 0, change);
            m_block -= m_backend.download(change).cast<double>();
        }
    }

    void pruneBlock() {
        m_blockErrors = Eigen::MatrixXd::Zero(m_w.cols(), m_count);
        if (!m_pattern.isGrouped()) {
            keepLargestOfBlock();
        }
        for (Eigen::Index i = 0; i < m_count; ++i) {
            if (m_pattern.isGrouped() && i % m_pattern.group == 0) {
                keepLargestOfGroups(i);
            }
            const auto keeps = m_keeps.row(m_first + i).transpose();
            auto error = m_blockErrors.col(i);
            error = keeps.select(0.0, m_block.col(i).array() / pivot(i)).matrix();
            const Eigen::Index behind = m_count - i - 1;
            m_block.rightCols(behind).noalias() -=
                error * m_u.row(m_first + i).segment(m_first + i + 1, behind);
        }
    }

    void end() {
        m_result.middleRows(m_first, m_count) = m_block.transpose().cast<float>();
        const Matrix errors = m_backend.upload(m_blockErrors.cast<float>());
        for (Eigen::Index i = 0; i < m_count; ++i) {
            m_backend.copyColumn(errors, i, m_errors, m_first + i);
        }
    }

    // Of the inputs before `end`, all outputs together: an even share, of which all blocks have
    // m_kept.
    std::int64_t keptBefore(Eigen::Index end) const {
        const Eigen::Index d1 = m_w.rows();
        return m_kept / d1 * end + m_kept % d1 * end / d1;
    }

    void keepLargestOfBlock() {
        Eigen::MatrixXd scores(m_block.rows(), m_count);
        for (Eigen::Index i = 0; i < m_count; ++i) {
            scores.col(i) = (m_block.col(i) / pivot(i)).cwiseAbs2();
        }
        const std::span<const double> all(scores.data(), static_cast<std::size_t>(scores.size()));
        const std::int64_t kept = keptBefore(m_first + m_count) - keptBefore(m_first);
        for (const Eigen::Index at : m_largest.of(all, kept)) {
            m_keeps(m_first + at / scores.rows(), at % scores.rows()) = true;
        }
    }

    void keepLargestOfGroups(Eigen::Index first) {
        std::vector<double> scores(static_cast<std::size_t>(m_pattern.group));
        for (Eigen::Index j = 0; j < m_block.rows(); ++j) {
            for (Eigen::Index i = 0; i < m_pattern.group; ++i) {
                const double scaled = m_block(j, first + i) / pivot(first + i);
                scores[static_cast<std::size_t>(i)] = scaled * scaled;
            }
            for (const Eigen::Index i : m_largest.of(scores, m_pattern.kept)) {
                m_keeps(m_first + first + i, j) = true;
            }
        }
    }

    double pivot(Eigen::Index i) const { return m_u(m_first + i, m_first + i); }

    Backend& m_backend;
    const Eigen::MatrixXf& m_w;  // (d1, d2)
    NmPattern m_pattern;
    std::int64_t m_kept;
    Eigen::MatrixXd m_u;
    Matrix m_errors;  // (d2, d1): what is removed over its pivot, of the blocks that are done
    KeptWeights m_keeps;
    Eigen::MatrixXf m_result;  // what is removed is not told by it
    LargestScores m_largest;
    // Of the block at hand.
    Eigen::Index m_first = 0;
    Eigen::Index m_count = 0;
    Eigen::MatrixXd m_block;        // (d2, count)
    Eigen::MatrixXd m_blockErrors;  // (d2, count)
};

class SparseGptMethod final : public PruningMethod {
  public:
    const char* name() const override { return "sparsegpt"; }
    const char* title() const override { return "SparseGPT"; }
    const char* summary() const override { return "zeros compensated by the weights after them"; }
    const char* source() const override { return "SparseGPT (arXiv 2301.00774)"; }

    // The factor of the inverse, what inputs leave within a block and to later ones.
    double work(const MatrixOptions& /*options*/, std::int64_t rows,
                std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        const auto d2 = static_cast<double>(cols);
        return 2 * d1 * d1 * d1 + d1 * d1 * d2 + d1 * d2 * (kBlock + 30);
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override {
        return {"input by input", 10e9};
    }

    double workingFloats(const MatrixOptions& /*options*/, std::int64_t rows,
                         std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        return 6 * d1 * d1 + 2.25 * d1 * static_cast<double>(cols);
    }

  protected:
    std::optional<PrunedEntries> prune(const MatrixProblem& problem, const NmPattern& pattern,
                                       std::int64_t kept,
                                       const std::stop_token& stop) const override {
        InputsInOrder inputs(problem, pattern, kept);
        if (!inputs.run(stop)) {
            return std::nullopt;
        }
        return inputs.entries();
    }
};

}  // namespace

const Method& sparseGptMethod() {
    static const SparseGptMethod method;
    return method;
}

}  // namespace cospadi
