// CpuBackend: Gram matrices of inputs, and their factors.
#include <utility>

#include "core/linalg/cpu_backend.h"

namespace cospadi {

namespace {

class CpuGramSum final : public GramSum {
  public:
    CpuGramSum(ThreadPool& pool, std::int64_t n) : m_pool(pool), m_upper(zero(n)) {}

    void add(const Matrix& x) override {
        const Eigen::MatrixXd wide =
            Eigen::Map<const Eigen::MatrixXf>(x.data.get(), x.rows, x.cols).cast<double>();
        syrkAccumulate(m_pool, x.rows, x.cols, wide.data(), x.rows, m_upper.data(), x.rows);
    }

    Eigen::MatrixXd take() override {
        Eigen::MatrixXd sum = std::exchange(m_upper, zero(m_upper.rows()));
        sum.triangularView<Eigen::StrictlyLower>() = sum.transpose();
        return sum;
    }

  private:
    static Eigen::MatrixXd zero(std::int64_t n) { return Eigen::MatrixXd::Zero(n, n); }

    ThreadPool& m_pool;
    Eigen::MatrixXd m_upper;
};

}  // namespace

std::unique_ptr<GramFactor> CpuBackend::gramFactor(const Eigen::MatrixXd& gram, double shift) {
    return hostGramFactor(gram, shift);
}

std::unique_ptr<GramSum> CpuBackend::gramSum(std::int64_t n) {
    return std::make_unique<CpuGramSum>(m_pool, n);
}

}  // namespace cospadi
