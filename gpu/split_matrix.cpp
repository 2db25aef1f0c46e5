#include "gpu/split_matrix.h"

#include "core/base/ceil_divide.h"
#include "gpu/kernels/split.h"

namespace cospadi {

namespace {

constexpr std::int64_t kAligned = 8;  // floats

}  // namespace

SplitMatrix::SplitMatrix(DeviceMemory& memory, std::int64_t rows, std::int64_t cols)
    : m_memory(memory),
      m_rows(rows),
      m_cols(cols),
      m_high(memory, paddedSize(rows) * paddedSize(cols)),
      m_low(memory, paddedSize(rows) * paddedSize(cols)) {}

SplitMatrix::SplitMatrix(DeviceMemory& memory, const Matrix& a)
    : SplitMatrix(memory, a.rows, a.cols) {
    take(a.data.get(), a.rows);
}

std::int64_t SplitMatrix::paddedSize(std::int64_t size) {
    return ceilDivide(size, kAligned) * kAligned;
}

std::int64_t SplitMatrix::ld() const { return paddedSize(m_rows); }

void SplitMatrix::take(const float* a, std::int64_t lda) {
    kernels::splitToTf32(m_rows, m_cols, a, lda, ld(), paddedSize(m_cols), m_high.get(),
                         m_low.get(), m_memory.stream());
}

void multiply(DeviceBlas& blas, const SplitMatrix& a, const SplitMatrix& b, float* c) {
    const auto add = [&](const float* left, const float* right, float beta) {
        blas.gemm(Op::None, Op::None, a.ld(), b.cols(), b.ld(), 1, left, a.ld(), right, b.ld(),
                  beta, c, a.ld(), Precision::Tf32);
    };
    add(a.low(), b.high(), 0);  // the small ones first
    add(a.high(), b.low(), 1);
    add(a.high(), b.high(), 1);
}

}  // namespace cospadi
