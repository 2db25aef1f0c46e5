#include "core/methods/wanda/wanda_method.h"

#include "core/methods/pruning/largest_scores.h"
#include "core/methods/pruning/pruning_method.h"

namespace cospadi {

namespace {

class WandaMethod final : public PruningMethod {
  public:
    const char* name() const override { return "wanda"; }
    const char* title() const override { return "Wanda"; }
    const char* summary() const override {
        return "zeros where weight times input norm is smallest";
    }
    const char* source() const override { return "Wanda (arXiv 2306.11695)"; }

    double work(const MatrixOptions& /*options*/, std::int64_t d1, std::int64_t d2) const override {
        return 30 * static_cast<double>(d1) * static_cast<double>(d2);
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override { return {"sorting", 10e9}; }

  protected:
    std::optional<PrunedEntries> prune(const MatrixProblem& problem, const NmPattern& pattern,
                                       std::int64_t kept,
                                       const std::stop_token& /*stop*/) const override {
        const Eigen::Index d1 = problem.w.rows();
        const Eigen::Index d2 = problem.w.cols();
        const Eigen::ArrayXd norms = problem.whitening->gramDiagonal().array().sqrt();
        KeptWeights keeps = KeptWeights::Constant(d1, d2, false);
        LargestScores largest;
        Eigen::ArrayXd scores(d1);
        for (Eigen::Index j = 0; j < d2; ++j) {
            scores = problem.w.col(j).array().abs().cast<double>() * norms;
            const Eigen::Index length = pattern.isGrouped() ? pattern.group : d1;
            const Eigen::Index ofEach =
                pattern.isGrouped() ? pattern.kept : kept / d2 + (j < kept % d2 ? 1 : 0);
            for (Eigen::Index first = 0; first < d1; first += length) {
                const std::span<const double> group(scores.data() + first,
                                                    static_cast<std::size_t>(length));
                for (const Eigen::Index i : largest.of(group, ofEach)) {
                    keeps(first + i, j) = true;
                }
            }
        }
        return prunedEntries(pattern, problem.w, std::move(keeps));
    }
};

}  // namespace

const Method& wandaMethod() {
    static const WandaMethod method;
    return method;
}

}  // namespace cospadi
