// CpuBackend: memory, dense algebra, reductions.
#include <algorithm>
#include <cstring>
#include <new>

#include "core/linalg/cpu_backend.h"
#include "core/products/amx_product.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::align_val_t kAlignment{64};  // one AVX-512 register

void multiply(ThreadPool& pool, Accuracy accuracy, Op opA, Op opB, float alpha, const Matrix& a,
              const Matrix& b, float beta, Matrix& c) {
    const std::int64_t inner = opA == Op::None ? a.cols : a.rows;
    cospadi::gemm(pool, opA, opB, c.rows, c.cols, inner, alpha, a.data.get(), a.rows, b.data.get(),
                  b.rows, beta, c.data.get(), c.rows, accuracy);
}

class CpuLeftOperand final : public LeftOperand {
  public:
    CpuLeftOperand(CpuBackend& backend, const Matrix& a) : m_backend(backend), m_a(a) {
        if (bestProductKernel(a.rows, a.rows) == ProductKernel::MatrixUnits) {
            m_tiles = packPairTiles(backend.pool(), Op::None, a.data.get(), a.rows, a.rows, a.cols,
                                    m_memory.atLeast(tileWords(a.rows, a.cols)), Accuracy::Step);
        }
    }

    void times(float alpha, const Matrix& b, float beta, Matrix& c) const override {
        multiply(m_tiles, alpha, b, beta, c);
    }

    // By the first of its terms.
    void timesRoughly(float alpha, const Matrix& b, float beta, Matrix& c) const override {
        PairTiles first = m_tiles;
        first.isBfloat16 = true;
        multiply(first, alpha, b, beta, c);
    }

  private:
    void multiply(const PairTiles& a, float alpha, const Matrix& b, float beta, Matrix& c) const {
        if (a.words != nullptr && bestProductKernel(c.rows, c.cols) == ProductKernel::MatrixUnits) {
            multiplyPacked(m_backend.pool(), a, Op::None, c.cols, alpha, b.data.get(), b.rows, beta,
                           c.data.get(), c.rows);
            return;
        }
        m_backend.stepGemm(Op::None, Op::None, alpha, m_a, b, beta, c);
    }

    CpuBackend& m_backend;
    Matrix m_a;
    TileMemory m_memory;
    PairTiles m_tiles;  // none where OpenBLAS multiplies
};

}  // namespace

std::unique_ptr<LeftOperand> CpuBackend::leftOperand(const Matrix& a) {
    return std::make_unique<CpuLeftOperand>(*this, a);
}

std::string CpuBackend::description() const {
    return "cpu, " + std::to_string(m_pool.threadCount()) + " threads, " + blasDescription();
}

Matrix CpuBackend::unset(std::int64_t rows, std::int64_t cols) {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(rows * cols, 1));
    auto* memory = static_cast<float*>(::operator new(size * sizeof(float), kAlignment));
    return {rows, cols, {memory, [](float* p) { ::operator delete(p, kAlignment); }}};
}

Matrix CpuBackend::zeros(std::int64_t rows, std::int64_t cols) {
    Matrix a = unset(rows, cols);
    std::fill_n(a.data.get(), a.size(), 0.0F);
    return a;
}

Matrix CpuBackend::upload(const Eigen::Ref<const Eigen::MatrixXf>& host) {
    Matrix a = unset(host.rows(), host.cols());
    Eigen::Map<Eigen::MatrixXf>(a.data.get(), a.rows, a.cols) = host;
    return a;
}

Eigen::MatrixXf CpuBackend::download(const Matrix& a) {
    return Eigen::Map<const Eigen::MatrixXf>(a.data.get(), a.rows, a.cols);
}

void CpuBackend::copy(const Matrix& from, Matrix& to) {
    std::copy_n(from.data.get(), from.size(), to.data.get());
}

void CpuBackend::copyColumn(const Matrix& from, std::int64_t column, Matrix& to,
                            std::int64_t target) {
    std::copy_n(from.data.get() + column * from.rows, from.rows, to.data.get() + target * to.rows);
}

void CpuBackend::copyRows(const Matrix& from, std::int64_t first, std::int64_t count, Matrix& to,
                          std::int64_t target) {
    for (std::int64_t j = 0; j < to.cols; ++j) {
        std::copy_n(from.data.get() + first + j * from.rows, count,
                    to.data.get() + target + j * to.rows);
    }
}

Matrix CpuBackend::transposed(const Matrix& a) {
    Matrix result = unset(a.cols, a.rows);
    Eigen::Map<Eigen::MatrixXf>(result.data.get(), a.cols, a.rows) =
        Eigen::Map<const Eigen::MatrixXf>(a.data.get(), a.rows, a.cols).transpose();
    return result;
}

void CpuBackend::gemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                      Matrix& c) {
    multiply(m_pool, Accuracy::Float32, opA, opB, alpha, a, b, beta, c);
}

void CpuBackend::stepGemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                          Matrix& c) {
    multiply(m_pool, Accuracy::Step, opA, opB, alpha, a, b, beta, c);
}

void CpuBackend::axpby(float alpha, const Matrix& a, float beta, Matrix& b) {
    const Eigen::Map<const Eigen::ArrayXf> from(a.data.get(), a.size());
    Eigen::Map<Eigen::ArrayXf> to(b.data.get(), b.size());
    to = alpha * from + beta * to;
}

void CpuBackend::syrk(Op op, const Matrix& a, Matrix& c) {
    const std::int64_t n = c.rows;
    const std::int64_t inner = op == Op::None ? a.cols : a.rows;
    const auto rowsFrom = [&](std::int64_t first) {
        return op == Op::None ? a.data.get() + first : a.data.get() + first * a.rows;
    };
    const Op other = op == Op::None ? Op::Transpose : Op::None;
    const ProductKernel kernel = bestProductKernel(n, n);
    if (kernel == ProductKernel::MatrixUnits) {
        multiplyOnMatrixUnits(m_pool, Region::Upper, op, other, n, n, inner, 1, a.data.get(),
                              a.rows, a.data.get(), a.rows, 0, c.data.get(), n);
    } else {
        forUpperBlocks(m_pool, n, [&](auto i, auto j, auto rows, auto columns) {
            multiplyBlock(op, other, rows, columns, inner, 1, rowsFrom(i), a.rows, rowsFrom(j),
                          a.rows, 0, c.data.get() + i + j * n, n, kernel);
        });
    }
    float* values = c.data.get();
    forColumns(m_pool, n, [&](std::int64_t j) {
        for (std::int64_t i = j + 1; i < n; ++i) {
            values[i + j * n] = values[j + i * n];
        }
    });
}

double CpuBackend::dot(const Matrix& a, const Matrix& b) {
    return sumOverColumns(m_pool, a.cols, [&](std::int64_t j) {
        return dotInDouble(a.data.get() + j * a.rows, b.data.get() + j * a.rows, a.rows);
    });
}

std::vector<double> CpuBackend::squaredColumnNorms(const Matrix& a) {
    std::vector<double> norms(static_cast<std::size_t>(a.cols));
    forColumns(m_pool, a.cols, [&](std::int64_t j) {
        const float* column = a.data.get() + j * a.rows;
        norms[static_cast<std::size_t>(j)] = dotInDouble(column, column, a.rows);
    });
    return norms;
}

std::vector<std::int64_t> CpuBackend::rowCounts(const Matrix& s) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(s.rows), 0);
    for (std::int64_t j = 0; j < s.cols; ++j) {
        const float* column = s.data.get() + j * s.rows;
        for (std::int64_t i = 0; i < s.rows; ++i) {
            counts[static_cast<std::size_t>(i)] += column[i] != 0 ? 1 : 0;
        }
    }
    return counts;
}

std::vector<double> CpuBackend::diagonal(const Matrix& a) {
    const std::int64_t n = std::min(a.rows, a.cols);
    std::vector<double> values(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        values[static_cast<std::size_t>(i)] = static_cast<double>(a.data.get()[i + i * a.rows]);
    }
    return values;
}

void CpuBackend::scaleColumns(const Matrix& factors, Matrix& a) {
    forColumns(m_pool, a.cols, [&](std::int64_t j) {
        Eigen::Map<Eigen::ArrayXf>(a.data.get() + j * a.rows, a.rows) *= factors.data.get()[j];
    });
}

}  // namespace cospadi
