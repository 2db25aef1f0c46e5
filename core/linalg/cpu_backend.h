// Backend on the host: OpenBLAS for products and LAPACK for factorisations, own kernels for the
// rest, all split over a ThreadPool into blocks of fixed size (same bits for every thread count).
#pragma once

#include "core/base/thread_pool.h"
#include "core/linalg/backend.h"

namespace cospadi {

class CpuBackend : public Backend {
  public:
    explicit CpuBackend(int threads = 0) : m_pool(threads) {}

    std::string description() const override;
    ThreadPool& pool() { return m_pool; }
    bool m_solveHeld = true;

    Matrix zeros(std::int64_t rows, std::int64_t cols) override;
    Matrix upload(const Eigen::Ref<const Eigen::MatrixXf>& host) override;
    Eigen::MatrixXf download(const Matrix& a) override;
    void copy(const Matrix& from, Matrix& to) override;
    void copyRows(const Matrix& from, std::int64_t first, std::int64_t count, Matrix& to,
                  std::int64_t target) override;
    Matrix transposed(const Matrix& a) override;
    void copyColumn(const Matrix& from, std::int64_t column, Matrix& to,
                    std::int64_t target) override;
    std::int64_t availableBytes() override { return INT64_MAX; }

    std::unique_ptr<GramFactor> gramFactor(const Eigen::MatrixXd& gram, double shift) override;
    std::unique_ptr<GramSum> gramSum(std::int64_t n) override;

    void gemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
              Matrix& c) override;
    void stepGemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                  Matrix& c) override;
    std::unique_ptr<LeftOperand> leftOperand(const Matrix& a) override;
    void axpby(float alpha, const Matrix& a, float beta, Matrix& b) override;
    void syrk(Op op, const Matrix& a, Matrix& c) override;
    Matrix leftSingularVectors(const Matrix& w, std::int64_t count) override;
    Matrix leadingEigenvectors(const Matrix& a, std::int64_t count) override;
    bool polar(Matrix& a) override;
    void solveRight(const Matrix& a, double ridge, const Matrix& otherwise, Matrix& b) override;
    bool solveHeld() override { return m_solveHeld; }

    double dot(const Matrix& a, const Matrix& b) override;
    std::vector<double> squaredColumnNorms(const Matrix& a) override;
    std::vector<std::int64_t> rowCounts(const Matrix& s) override;
    std::vector<double> diagonal(const Matrix& a) override;

    void scaleColumns(const Matrix& factors, Matrix& a) override;

    void normalizeAtoms(Matrix& d, std::initializer_list<Matrix> scaled) override;
    std::int64_t thresholdStep(const Matrix& r, float mu, std::int64_t s, Matrix& codes) override;
    double maskedCg(const Matrix& g, const Matrix& p, int steps, double tolerance,
                    Matrix& codes) override;
    double coupledCg(const CoupledSystem& system, int steps, double tolerance, double squaredError,
                     CoupledCodes& at) override;
    void ompEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) override;
    void lassoEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) override;
    void ksvdSweep(int powerIterations, Matrix& e, Matrix& d, Matrix& codes) override;
    void ksvdSketchSweep(std::uint64_t seed, Matrix& e, Matrix& d, Matrix& codes) override;

  private:
    static Matrix unset(std::int64_t rows, std::int64_t cols);
    bool polarByNewtonSchulz(Matrix& a);
    bool polarByEigenvectors(Matrix& a);

    ThreadPool m_pool;
};

}  // namespace cospadi
