// W ≈ B C by truncation: what the low-rank methods share. They differ in the space T W of which
// they truncate the singular value decomposition, B = T⁻¹ U_r, C = U_rᵀ T W: the best of rank r
// there (Eckart and Young).
#pragma once

#include <memory>
#include <vector>

#include "core/methods/method.h"

namespace cospadi {

class TruncationSpace {
  public:
    TruncationSpace() = default;
    virtual ~TruncationSpace() = default;
    TruncationSpace(const TruncationSpace&) = delete;
    TruncationSpace& operator=(const TruncationSpace&) = delete;

    virtual Eigen::MatrixXf into(const Eigen::MatrixXf& w) const = 0;  // T W, (q, d2) of (d1, d2)
    virtual Eigen::MatrixXf back(
        const Eigen::MatrixXf& u) const = 0;  // T⁻¹ U, or T⁺ U where q < d1
};

// T = diag(s), which weighs the rows of W: the inputs.
class ScaledRows final : public TruncationSpace {
  public:
    explicit ScaledRows(Eigen::VectorXd scales) : m_scales(std::move(scales)) {}

    Eigen::MatrixXf into(const Eigen::MatrixXf& w) const override;
    Eigen::MatrixXf back(const Eigen::MatrixXf& u) const override;

  private:
    Eigen::VectorXd m_scales;  // (d1), positive
};

// What the text says of a layer's inputs; null where the method does not ask for it.
struct InputStatistics {
    const Whitening* whitening = nullptr;
    const Eigen::VectorXd* rowFisher = nullptr;  // as in MatrixProblem
};

class LowRankMethod : public Method {
  public:
    virtual std::unique_ptr<TruncationSpace> space(const InputStatistics& inputs,
                                                   const MatrixOptions& options) const = 0;

    const char* form() const override;
    const char* formUnder(const MatrixOptions& options) const override;
    const std::vector<std::string>& settings() const override;
    const std::vector<Option>& ownOptions() const override;  // groups
    void validate(const MatrixOptions& options) const override;
    StoragePlan plan(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const override;
    int coefficientBits(const MatrixOptions& options, std::int64_t d1,
                        std::int64_t d2) const override;
    // Published without; but where what is saved buys rank.
    bool usuallyRefits(const MatrixOptions& options) const override;
    double work(const MatrixOptions& options, std::int64_t d1, std::int64_t d2) const override;
    WorkRate workRate(const MatrixOptions& options) const override;
    CompressedMatrix solve(const MatrixProblem& problem, const IterationCallback& callback,
                           const std::stop_token& stop) const override;

  protected:
    // Operations that making the space takes.
    virtual double spaceWork(double d1) const;
};

LowRankBudget lowRankBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);

// The errors that compressMatrix() reports for a low-rank method under these options, by one
// decomposition of the largest rank. whitening: as there. Precondition: the options have one
// method, one of these that needs no gradients, and one ridge.
std::vector<double> lowRankErrors(Backend& backend, const Eigen::MatrixXf& w,
                                  const Whitening* whitening,
                                  const std::vector<MatrixOptions>& options);

}  // namespace cospadi
