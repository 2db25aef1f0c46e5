// Backend on a CUDA device: matrices stay there over a whole solve, everything is queued on one
// stream, and the host waits only for what a verb returns (docs/gpu.md lists these waits).
// The same class runs over the host emulation of CUDA in the tests.
// Two backends on one device work side by side, each on its own stream.
// Errors: DeviceError; OutOfDeviceMemory once not even the smallest batch fits.
#pragma once

#include "core/linalg/backend.h"
#include "gpu/device_blas.h"
#include "gpu/device_memory.h"

namespace cospadi {

// Of the products that a Gram sum adds up in double. Float32: of 256 columns each, for devices that
// multiply doubles slowly.
enum class GramProducts { Double, Float32 };

// Split: operands of two TF32 terms (split_matrix.h), for devices whose tensor cores outdo float32
// three times. Tf32: of one.
enum class StepProducts { Float32, Split, Tf32 };

struct ProductPrecisions {
    StepProducts steps = StepProducts::Float32;     // of conjugate gradients and of pursuits …
    StepProducts onTheWay = StepProducts::Float32;  // … that a later iteration makes up for
    GramProducts grams = GramProducts::Double;
};

class CudaBackend final : public Backend {
  public:
    // On the current device of the calling thread. name: what description() calls it.
    explicit CudaBackend(std::string name, const ProductPrecisions& products = {});
    ~CudaBackend() override;

    std::string description() const override;
    // The most device memory that this backend's matrices and workspaces took together.
    std::int64_t peakBytes() const { return m_memory->peakBytes(); }
    // Whether what was allocated there can be used here without waiting.
    bool sharesMemory(const std::shared_ptr<DeviceMemory>& memory) const {
        return m_memory == memory;
    }
    void synchronize() const override { m_memory->synchronize("waiting for the device"); }

    Matrix zeros(std::int64_t rows, std::int64_t cols) override;
    Matrix upload(const Eigen::Ref<const Eigen::MatrixXf>& host) override;
    Eigen::MatrixXf download(const Matrix& a) override;
    void copy(const Matrix& from, Matrix& to) override;
    void copyRows(const Matrix& from, std::int64_t first, std::int64_t count, Matrix& to,
                  std::int64_t target) override;
    Matrix transposed(const Matrix& a) override;
    void copyColumn(const Matrix& from, std::int64_t column, Matrix& to,
                    std::int64_t target) override;
    std::int64_t availableBytes() override { return m_memory->availableBytes(); }

    std::unique_ptr<GramFactor> gramFactor(const Eigen::MatrixXd& gram, double shift) override;
    std::unique_ptr<GramSum> gramSum(std::int64_t n) override;

    void gemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
              Matrix& c) override;
    std::unique_ptr<LeftOperand> leftOperand(const Matrix& a) override;
    void axpby(float alpha, const Matrix& a, float beta, Matrix& b) override;
    void syrk(Op op, const Matrix& a, Matrix& c) override;
    Matrix leftSingularVectors(const Matrix& w, std::int64_t count) override;
    Matrix leadingEigenvectors(const Matrix& a, std::int64_t count) override;
    bool polar(Matrix& a) override;
    void solveRight(const Matrix& a, double ridge, const Matrix& otherwise, Matrix& b) override;
    bool solveHeld() override;

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
    void ksvdSweep(int powerIterations, Matrix& e, Matrix& d, Matrix& codes) override;

  private:
    Matrix unset(std::int64_t rows, std::int64_t cols);
    double scalar(const char* doing);  // what a reduction left in m_scalars
    bool polarByNewtonSchulz(Matrix& a);
    bool polarByEigenvectors(Matrix& a);
    double cgBatch(const Matrix& g, const float* p, std::int64_t columns, int steps, float limit,
                   float* codes);
    void ompBatch(const Matrix& g, const float* p, std::int64_t columns, std::int64_t s,
                  float* codes);

    std::string m_name;
    ProductPrecisions m_products;
    std::shared_ptr<DeviceMemory> m_memory;
    std::shared_ptr<DeviceBlas> m_blas;
    std::unique_ptr<DeviceFactorizations> m_factorizations;
    std::unique_ptr<DeviceBuffer<double>> m_scalars;   // [0] the result, then its parts
    std::unique_ptr<DeviceBuffer<int>> m_solveFailed;  // of the last solveRight(); 0: it held
};

}  // namespace cospadi
