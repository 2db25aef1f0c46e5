#include "core/methods/low_rank/svd_method.h"

namespace cospadi {

namespace {

class PlainSpace final : public TruncationSpace {
  public:
    Eigen::MatrixXf into(const Eigen::MatrixXf& w) const override { return w; }
    Eigen::MatrixXf back(const Eigen::MatrixXf& u) const override { return u; }
};

class SvdMethod final : public LowRankMethod {
  public:
    const char* name() const override { return "svd"; }
    const char* title() const override { return "SVD"; }
    const char* summary() const override { return "truncated SVD of the weight"; }
    const char* source() const override { return "Eckart and Young (1936)"; }
    bool needsCalibration() const override { return false; }

    std::unique_ptr<TruncationSpace> space(const InputStatistics& /*inputs*/,
                                           const MatrixOptions& /*options*/) const override {
        return std::make_unique<PlainSpace>();
    }
};

}  // namespace

const LowRankMethod& svdMethod() {
    static const SvdMethod method;
    return method;
}

}  // namespace cospadi
