#include "core/methods/low_rank/fwsvd_method.h"

#include "core/base/error.h"
#include "core/methods/output_metric.h"

namespace cospadi {

namespace {

class FwsvdMethod final : public LowRankMethod {
  public:
    const char* name() const override { return "fwsvd"; }
    const char* title() const override { return "FWSVD"; }
    const char* summary() const override {
        return "truncated SVD of the weight with rows scaled by their Fisher information";
    }
    const char* source() const override { return "Hsu et al., FWSVD (arXiv 2207.00112)"; }
    bool needsCalibration() const override { return true; }
    bool needsGradients() const override { return true; }

    // Other inputs, or a ridge on their Gram, change nothing of what it solves.
    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = [this] {
            std::vector<std::string> shared = LowRankMethod::settings();
            std::erase_if(shared, [](const std::string& setting) {
                return setting == "ridge" || setting == "propagation";
            });
            return shared;
        }();
        return all;
    }

    void validate(const MatrixOptions& options) const override {
        LowRankMethod::validate(options);
        if (asksForOutputMetric(options)) {
            throw Error(
                "method fwsvd weights inputs by the gradients, but does not support a metric of "
                "the outputs",
                "output_metric", "use none, or method cospadi");
        }
    }

    std::unique_ptr<TruncationSpace> space(const InputStatistics& inputs,
                                           const MatrixOptions& /*options*/) const override {
        const Eigen::VectorXd weights = inputs.rowFisher->cwiseSqrt();
        const double largest = weights.maxCoeff();
        if (!(largest > 0)) {
            throw Error("no gradient of the loss reached this matrix", "calibration",
                        "use more text, or another method");
        }
        return std::make_unique<ScaledRows>((weights / largest).cwiseMax(kLeastRowWeight));
    }
};

}  // namespace

const LowRankMethod& fwsvdMethod() {
    static const FwsvdMethod method;
    return method;
}

}  // namespace cospadi
