// Products on tensor cores that are nearly those of float32: each operand is a sum of two TF32
// terms, and of their four products the smallest is left out. Sums of 2,000 products are off by
// 5e-6 where float32 is off by 6e-7, in half of its time (docs/gpu.md).
#pragma once

#include <cstdint>

#include "core/linalg/backend.h"
#include "gpu/device_blas.h"
#include "gpu/device_memory.h"

namespace cospadi {

// The two terms of a matrix of fixed size, padded with zeros to whole 32 bytes, as products of them
// are: elsewhere cuBLAS takes two and a half times as long.
class SplitMatrix {
  public:
    // Unset. Errors: OutOfDeviceMemory.
    SplitMatrix(DeviceMemory& memory, std::int64_t rows, std::int64_t cols);
    SplitMatrix(DeviceMemory& memory, const Matrix& a);

    void take(const float* a, std::int64_t lda);
    std::int64_t cols() const { return m_cols; }
    std::int64_t ld() const;
    static std::int64_t paddedSize(std::int64_t size);  // ld() of so many rows
    const float* high() const { return m_high.get(); }
    const float* low() const { return m_low.get(); }

  private:
    DeviceMemory& m_memory;
    std::int64_t m_rows;
    std::int64_t m_cols;
    DeviceBuffer<float> m_high;
    DeviceBuffer<float> m_low;
};

// C = A B, (A's ld, B's cols)
void multiply(DeviceBlas& blas, const SplitMatrix& a, const SplitMatrix& b, float* c);

}  // namespace cospadi
