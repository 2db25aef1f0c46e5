#include "core/methods/low_rank/svd_llm_method.h"

namespace cospadi {

namespace {

class WhitenedSpace final : public TruncationSpace {
  public:
    explicit WhitenedSpace(const Whitening& whitening) : m_whitening(whitening) {}
    Eigen::MatrixXf into(const Eigen::MatrixXf& w) const override {
        return m_whitening.whitenedFromOriginal(w);
    }
    Eigen::MatrixXf back(const Eigen::MatrixXf& u) const override {
        return m_whitening.originalFromWhitened(u);
    }

  private:
    Whitening m_whitening;  // which shares its factor
};

class SvdLlmMethod final : public LowRankMethod {
  public:
    const char* name() const override { return "svd-llm"; }
    const char* title() const override { return "SVD-LLM"; }
    const char* summary() const override { return "truncated SVD of the whitened weight"; }
    const char* source() const override { return "Wang et al., SVD-LLM (ICLR 2025)"; }
    bool needsCalibration() const override { return true; }

    std::unique_ptr<TruncationSpace> space(const InputStatistics& inputs,
                                           const MatrixOptions& /*options*/) const override {
        return std::make_unique<WhitenedSpace>(*inputs.whitening);
    }
};

}  // namespace

const LowRankMethod& svdLlmMethod() {
    static const SvdLlmMethod method;
    return method;
}

}  // namespace cospadi
