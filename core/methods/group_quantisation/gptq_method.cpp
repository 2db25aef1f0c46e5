#include "core/methods/group_quantisation/gptq_method.h"

#include "core/linalg/inverse_factor.h"
#include "core/methods/group_quantisation/error_feedback.h"
#include "core/methods/group_quantisation/group_quantisation_method.h"

namespace cospadi {

namespace {

constexpr const char* kDamp = "damp";
constexpr const char* kActOrder = "act_order";

class GptqMethod final : public GroupQuantisationMethod {
  public:
    const char* name() const override { return "gptq"; }
    const char* title() const override { return "GPTQ"; }
    const char* summary() const override {
        return "integers of a few bits, with an input's error compensated by the inputs after it";
    }
    const char* source() const override { return "Frantar et al., GPTQ (arXiv 2210.17323)"; }
    bool needsCalibration() const override { return true; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = {"bits",    "group_size",  "zero_point", kDamp,
                                                     kActOrder, "propagation", "held_out"};
        return all;
    }

    const std::vector<Option>& ownOptions() const override {
        static const std::vector<Option> own = [] {
            std::vector<Option> all = groupOptions();
            all.push_back(
                {kDamp,
                 0.01,
                 0,
                 1,
                 {},
                 "",
                 "Damping",
                 "Added to the Gram's diagonal, relative to its mean, while errors are fed forward",
                 "algorithm 1"});
            all.push_back(
                {kActOrder,
                 usualWord("off"),
                 0,
                 0,
                 {{"off", "in the layer's order"}, {"on", "the largest Gram diagonal first"}},
                 "",
                 "Activation order",
                 "on: round inputs with the largest Gram diagonal first, with scales fixed "
                 "beforehand; off: round in the layer's order, with scales determined on the way",
                 "its code, act-order with static groups"});
            return described(all);
        }();
        return own;
    }

    double work(const MatrixOptions& /*options*/, std::int64_t rows,
                std::int64_t cols) const override {
        const auto d1 = static_cast<double>(rows);
        const auto d2 = static_cast<double>(cols);
        const double gramAndFactor = (1 + 2.0 / 3) * d1 * d1 * d1;
        return gramAndFactor + d1 * d1 * d2 + kRounding * d1 * d2;
    }

    WorkRate workRate(const MatrixOptions& /*options*/) const override { return {"gptq", 35e9}; }

    // The Gram in double, in two copies or with U; the weights on their way.
    double workingFloats(const MatrixOptions& /*options*/, std::int64_t d1,
                         std::int64_t d2) const override {
        return (5 * static_cast<double>(d1) + static_cast<double>(d2)) * static_cast<double>(d1);
    }

    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& /*callback*/,
                           const std::stop_token& stop) const override {
        const GroupSettings settings = groupSettings(problem.options, problem.w.rows());
        Eigen::MatrixXd metric = dampedGram(*problem.whitening, realOption(problem.options, kDamp));
        const auto order = choiceOption<InputOrder>(problem.options, kActOrder);
        auto codes = quantiseWithFeedback(problem.w, std::move(metric), settings, order, stop);
        CompressedMatrix result;
        result.termination = codes ? Termination::Converged : Termination::Cancelled;
        if (codes) {
            result.weight = std::make_shared<const GroupQuantisedWeight>(std::move(*codes));
        }
        return result;
    }

  private:
    static constexpr double kRounding = 200;  // an entry: its code, and updates within its block
};

}  // namespace

const Method& gptqMethod() {
    static const GptqMethod method;
    return method;
}

}  // namespace cospadi
