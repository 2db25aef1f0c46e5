#include "core/methods/group_quantisation/rtn_method.h"

#include "core/methods/group_quantisation/group_quantisation_method.h"

namespace cospadi {

namespace {

class RtnMethod final : public GroupQuantisationMethod {
  public:
    const char* name() const override { return "rtn"; }
    const char* title() const override { return "RTN"; }
    const char* summary() const override {
        return "round to nearest: integers of a few bits, one scale per group";
    }
    const char* source() const override { return "baseline of GPTQ (arXiv 2210.17323)"; }
    bool needsCalibration() const override { return false; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {"bits", "group_size", "zero_point"};
        return all;
    }

    const std::vector<Option>& ownOptions() const override { return groupOptions(); }

    double work(const MatrixOptions& /*options*/, std::int64_t d1, std::int64_t d2) const override {
        return 10 * static_cast<double>(d1) * static_cast<double>(d2);
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override { return {"rounding", 1e9}; }

    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& /*callback*/,
                           const std::stop_token& /*stop*/) const override {
        const Eigen::MatrixXf& w = problem.w;
        GroupQuantisedCodes q =
            emptyCodes(groupSettings(problem.options, w.rows()), w.rows(), w.cols());
        for (Eigen::Index j = 0; j < q.d2; ++j) {
            for (Eigen::Index group = 0; group < q.scales.rows(); ++group) {
                const auto values = w.col(j).segment(group * q.groupSize, q.groupSize);
                const GroupGrid grid = fitGrid(values, group, j, q);
                for (Eigen::Index i = 0; i < q.groupSize; ++i) {
                    q.codes[static_cast<std::size_t>(j * q.d1 + group * q.groupSize + i)] =
                        nearestCode(grid, q.bits, values(i));
                }
            }
        }
        CompressedMatrix result;
        result.termination = Termination::Converged;
        result.weight = std::make_shared<const GroupQuantisedWeight>(std::move(q));
        return result;
    }
};

}  // namespace

const Method& rtnMethod() {
    static const RtnMethod method;
    return method;
}

}  // namespace cospadi
