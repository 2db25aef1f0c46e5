#include "core/methods/low_rank/asvd_method.h"

namespace cospadi {

namespace {

constexpr const char* kAlpha = "alpha";

class AsvdMethod final : public LowRankMethod {
  public:
    const char* name() const override { return "asvd"; }
    const char* title() const override { return "ASVD"; }
    const char* summary() const override {
        return "truncated SVD of the weight with rows scaled by the size of their inputs";
    }
    const char* source() const override { return "Yuan et al., ASVD (arXiv 2312.05821)"; }
    bool needsCalibration() const override { return true; }

    const std::vector<std::string>& settings() const override {
        static const std::vector<std::string> all = [this] {
            std::vector<std::string> shared = LowRankMethod::settings();
            shared.insert(shared.begin(), kAlpha);
            return shared;
        }();
        return all;
    }

    const std::vector<Option>& ownOptions() const override {
        static const std::vector<Option> own = [this] {
            std::vector<Option> shared = LowRankMethod::ownOptions();
            shared.insert(
                shared.begin(),
                {kAlpha,
                 0.5,
                 0,
                 2,
                 {},
                 "α",
                 "Alpha",
                 "asvd: scale rows of W by the size of their inputs to this power; 0: no scaling",
                 "ASVD"});
            return shared;
        }();
        return own;
    }

    // The diagonal of a Gram that Cholesky factorises is positive.
    std::unique_ptr<TruncationSpace> space(const InputStatistics& inputs,
                                           const MatrixOptions& options) const override {
        const Eigen::ArrayXd squares = inputs.whitening->gram().diagonal().array();
        return std::make_unique<ScaledRows>(
            (squares / squares.mean()).pow(realOption(options, kAlpha) / 2));
    }

  protected:
    double spaceWork(double d1) const override { return d1 * d1 * d1; }  // LᵀL
};

}  // namespace

const LowRankMethod& asvdMethod() {
    static const AsvdMethod method;
    return method;
}

}  // namespace cospadi
