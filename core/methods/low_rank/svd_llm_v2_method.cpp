#include "core/methods/low_rank/svd_llm_v2_method.h"

namespace cospadi {

namespace {

constexpr double kGramAndSpectrum = 10;  // d1³ of LᵀL and its decomposition

class SpectralSpace final : public TruncationSpace {
  public:
    explicit SpectralSpace(const GramSpectrum& spectrum)
        : m_into(spectrum.values.cwiseSqrt().asDiagonal() * spectrum.vectors.transpose()),
          m_back(spectrum.vectors * spectrum.values.cwiseSqrt().cwiseInverse().asDiagonal()) {}

    Eigen::MatrixXf into(const Eigen::MatrixXf& w) const override {
        return (m_into * w.cast<double>()).cast<float>();
    }
    Eigen::MatrixXf back(const Eigen::MatrixXf& u) const override {
        return (m_back * u.cast<double>()).cast<float>();
    }

  private:
    Eigen::MatrixXd m_into;  // √S_s U_sᵀ (q, d1)
    Eigen::MatrixXd m_back;  // U_s √S_s⁻¹ (d1, q)
};

class SvdLlmV2Method final : public LowRankMethod {
  public:
    const char* name() const override { return "svd-llm-v2"; }
    const char* title() const override { return "SVD-LLM V2"; }
    const char* summary() const override {
        return "truncated SVD of the whitened weight, by the Gram's spectrum";
    }
    const char* source() const override { return "Wang et al., SVD-LLM V2 (arXiv 2503.12340)"; }
    bool needsCalibration() const override { return true; }

    std::unique_ptr<TruncationSpace> space(const InputStatistics& inputs,
                                           const MatrixOptions& /*options*/) const override {
        return std::make_unique<SpectralSpace>(inputs.whitening->spectrum());
    }

  protected:
    double spaceWork(double d1) const override { return kGramAndSpectrum * d1 * d1 * d1; }
};

}  // namespace

const LowRankMethod& svdLlmV2Method() {
    static const SvdLlmV2Method method;
    return method;
}

}  // namespace cospadi
