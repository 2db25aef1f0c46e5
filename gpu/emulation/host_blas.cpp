// What cuBLAS is to the device, BLAS is to the emulation; tensor cores are played by rounding the
// operands to TF32 before the product.
#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "gpu/device_blas.h"

namespace cospadi {

namespace {

blasint bi(std::int64_t value) { return static_cast<blasint>(value); }

CBLAS_TRANSPOSE blasOp(Op op) { return op == Op::None ? CblasNoTrans : CblasTrans; }

// 10 bits of the mantissa are left, rounded to nearest, ties to even. NaN may be all ones, which
// rounded up would be −0.
float roundedToTf32(float value) {
    if (std::isnan(value)) {
        return value;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>((bits + 0xfffU + (bits >> 13 & 1U)) & ~0x1fffU);
}

// The (rows, cols) operand as the product sees it, and its leading dimension.
class Operand {
  public:
    Operand(const float* a, std::int64_t rows, std::int64_t cols, std::int64_t ld,
            Precision precision)
        : m_data(a), m_ld(ld) {
        if (precision == Precision::Tf32) {
            m_rounded.resize(static_cast<std::size_t>(rows * cols));
            for (std::int64_t j = 0; j < cols; ++j) {
                for (std::int64_t i = 0; i < rows; ++i) {
                    m_rounded[static_cast<std::size_t>(i + j * rows)] =
                        roundedToTf32(a[i + j * ld]);
                }
            }
            m_data = m_rounded.data();
            m_ld = rows;
        }
    }
    const float* data() const { return m_data; }
    blasint ld() const { return bi(m_ld); }

  private:
    std::vector<float> m_rounded;
    const float* m_data;
    std::int64_t m_ld;
};

class HostBlas final : public DeviceBlas {
  public:
    std::string description() const override { return blasDescription(); }

    void gemm(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
              const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
              float* c, std::int64_t ldc, Precision precision) override {
        const bool plainA = opA == Op::None;
        const bool plainB = opB == Op::None;
        const Operand left(a, plainA ? m : k, plainA ? k : m, lda, precision);
        const Operand right(b, plainB ? k : n, plainB ? n : k, ldb, precision);
        cblas_sgemm(CblasColMajor, blasOp(opA), blasOp(opB), bi(m), bi(n), bi(k), alpha,
                    left.data(), left.ld(), right.data(), right.ld(), beta, c, bi(ldc));
    }

    void gemmDouble(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, const double* a,
                    std::int64_t lda, const double* b, std::int64_t ldb, double* c,
                    std::int64_t ldc) override {
        cblas_dgemm(CblasColMajor, blasOp(opA), blasOp(opB), bi(m), bi(n), bi(k), 1, a, bi(lda), b,
                    bi(ldb), 0, c, bi(ldc));
    }

    void syrk(Op op, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda, float* c,
              Precision precision) override {
        const bool plain = op == Op::None;
        const Operand operand(a, plain ? n : k, plain ? k : n, lda, precision);
        cblas_ssyrk(CblasColMajor, CblasUpper, blasOp(op), bi(n), bi(k), 1, operand.data(),
                    operand.ld(), 0, c, bi(n));
    }

    void syrkDouble(Op op, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda,
                    double beta, double* c) override {
        cblas_dsyrk(CblasColMajor, CblasUpper, blasOp(op), bi(n), bi(k), 1, a, bi(lda), beta, c,
                    bi(n));
    }

    void solveTriangularRight(Op op, std::int64_t m, std::int64_t n, const float* u,
                              float* b) override {
        cblas_strsm(CblasColMajor, CblasRight, CblasUpper, blasOp(op), CblasNonUnit, bi(m), bi(n),
                    1, u, bi(n), b, bi(m));
    }

    void multiplyTriangularDouble(Op op, std::int64_t m, std::int64_t n, const double* u,
                                  const double* b, double* c) override {
        std::copy_n(b, m * n, c);
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, blasOp(op), CblasNonUnit, bi(m), bi(n), 1,
                    u, bi(m), c, bi(m));
    }

    void solveTriangularDouble(std::int64_t m, std::int64_t n, const double* u,
                               double* b) override {
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, bi(m), bi(n),
                    1, u, bi(m), b, bi(m));
    }
};

}  // namespace

std::unique_ptr<DeviceBlas> openDeviceBlas(DeviceMemory&) { return std::make_unique<HostBlas>(); }

std::unique_ptr<DeviceFactorizations> openDeviceFactorizations(DeviceMemory& memory) {
    return lapackFactorizations(memory);
}

}  // namespace cospadi
