// Products and factorisations on the device: cuBLAS and cuSOLVER, or in the emulation BLAS and
// LAPACK. All arrays are in device memory, column-major; ld* is the leading dimension; triangular
// and symmetric matrices live in their upper triangle. Work is queued on the stream given to the
// open functions; only what returns a value waits for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/products/blas.h"
#include "gpu/device_memory.h"

namespace cospadi {

// Of products of float32 matrices. Tf32: tensor cores, operands rounded to 11 significant bits.
enum class Precision { Float32, Tf32 };

class DeviceBlas {
  public:
    virtual ~DeviceBlas() = default;
    virtual std::string description() const = 0;

    // C (m, n) = alpha op(A) op(B) + beta C, inner size k
    virtual void gemm(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                      const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
                      float beta, float* c, std::int64_t ldc, Precision precision) = 0;
    virtual void gemmDouble(Op opA, Op opB, std::int64_t m, std::int64_t n, std::int64_t k,
                            const double* a, std::int64_t lda, const double* b, std::int64_t ldb,
                            double* c, std::int64_t ldc) = 0;
    // Upper triangle of C (n, n) = op(A) op(A)ᵀ, op(A) (n, k)
    virtual void syrk(Op op, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
                      float* c, Precision precision) = 0;
    // … + beta C
    virtual void syrkDouble(Op op, std::int64_t n, std::int64_t k, const double* a,
                            std::int64_t lda, double beta, double* c) = 0;
    // B (m, n) ← B op(U)⁻¹, U (n, n) upper triangular
    virtual void solveTriangularRight(Op op, std::int64_t m, std::int64_t n, const float* u,
                                      float* b) = 0;
    // C = op(U) B and B ← U⁻¹ B, U (m, m) upper triangular, B and C (m, n), which do not overlap
    virtual void multiplyTriangularDouble(Op op, std::int64_t m, std::int64_t n, const double* u,
                                          const double* b, double* c) = 0;
    virtual void solveTriangularDouble(std::int64_t m, std::int64_t n, const double* u,
                                       double* b) = 0;
};

class DeviceFactorizations {
  public:
    virtual ~DeviceFactorizations() = default;
    virtual std::string description() const = 0;

    // A = UᵀU in place; `failed`, on the device, becomes 0 where A is positive definite.
    virtual void cholesky(std::int64_t n, float* a, int* failed) = 0;
    virtual void cholesky(std::int64_t n, double* a, int* failed) = 0;
    // Eigenvalues (n) ascending, eigenvectors in the columns of A; false where it did not converge.
    virtual bool symmetricEigen(std::int64_t n, float* a, float* values) = 0;
    virtual bool symmetricEigen(std::int64_t n, double* a, double* values) = 0;
    // The eigenvector (n) of the largest eigenvalue; destroys A.
    virtual bool leadingEigenvector(std::int64_t n, double* a, double* vector) = 0;
};

std::unique_ptr<DeviceBlas> openDeviceBlas(DeviceMemory& memory);
std::unique_ptr<DeviceFactorizations> openDeviceFactorizations(DeviceMemory& memory);

// On the host with LAPACK, the matrix copied there and back: for the emulation, and for machines
// with cuBLAS but without cuSOLVER. reason: why there, for the description.
std::unique_ptr<DeviceFactorizations> lapackFactorizations(DeviceMemory& memory,
                                                           const std::string& reason = {});

}  // namespace cospadi
