// CpuBackend: memory, dense algebra, reductions.
#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "core/base/error.h"
#include "core/linalg/column_tasks.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi {

namespace {

constexpr std::int64_t kColumnChunk = 64;   // columns a task of the own kernels
constexpr std::align_val_t kAlignment{64};  // one AVX-512 register

lapack_int li(std::int64_t value) { return static_cast<lapack_int>(value); }

std::shared_ptr<float> allocate(std::int64_t size) {
    const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(size, 1)) * sizeof(float);
    auto* memory = static_cast<float*>(::operator new(bytes, kAlignment));
    return {memory, [](float* p) { ::operator delete(p, kAlignment); }};
}

// Calls body(column) for every column, in tasks of fixed size.
template <typename Body>
void forColumns(ThreadPool& pool, std::int64_t columns, const Body& body) {
    forColumnRanges(pool, columns, kColumnChunk, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t j = first; j < last; ++j) {
            body(j);
        }
    });
}

double dotInDouble(const float* a, const float* b, std::int64_t n) {
    return Eigen::Map<const Eigen::VectorXf>(a, n).cast<double>().dot(
        Eigen::Map<const Eigen::VectorXf>(b, n).cast<double>());
}

}  // namespace

std::string CpuBackend::description() const {
    return "cpu, " + std::to_string(m_pool.threadCount()) + " threads, " + blasDescription();
}

Matrix CpuBackend::zeros(std::int64_t rows, std::int64_t cols) {
    Matrix a{rows, cols, allocate(rows * cols)};
    std::fill_n(a.data.get(), a.size(), 0.0F);
    return a;
}

Matrix CpuBackend::upload(const Eigen::Ref<const Eigen::MatrixXf>& host) {
    Matrix a{host.rows(), host.cols(), allocate(host.size())};
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

void CpuBackend::gemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                      Matrix& c) {
    const std::int64_t inner = opA == Op::None ? a.cols : a.rows;
    cospadi::gemm(m_pool, opA, opB, c.rows, c.cols, inner, alpha, a.data.get(), a.rows,
                  b.data.get(), b.rows, beta, c.data.get(), c.rows);
}

void CpuBackend::axpby(float alpha, const Matrix& a, float beta, Matrix& b) {
    const Eigen::Map<const Eigen::ArrayXf> from(a.data.get(), a.size());
    Eigen::Map<Eigen::ArrayXf> to(b.data.get(), b.size());
    to = alpha * from + beta * to;
}

void CpuBackend::syrk(Op op, const Matrix& a, Matrix& c) {
    const std::int64_t n = c.rows;
    const std::int64_t inner = op == Op::None ? a.cols : a.rows;
    const std::int64_t share = productShare(n);
    const std::int64_t edges = (n + share - 1) / share;
    m_pool.run(edges * edges, [&](std::int64_t task) {
        const std::int64_t i = (task % edges) * share;
        const std::int64_t j = (task / edges) * share;
        if (i > j) {
            return;  // below the diagonal
        }
        const auto rowsFrom = [&](std::int64_t first) {
            return op == Op::None ? a.data.get() + first : a.data.get() + first * a.rows;
        };
        multiplyBlock(op, op == Op::None ? Op::Transpose : Op::None, std::min(share, n - i),
                      std::min(share, n - j), inner, 1, rowsFrom(i), a.rows, rowsFrom(j), a.rows, 0,
                      c.data.get() + i + j * n, n);
    });
    float* values = c.data.get();
    forColumns(m_pool, n, [&](std::int64_t j) {
        for (std::int64_t i = j + 1; i < n; ++i) {
            values[i + j * n] = values[j + i * n];
        }
    });
}

Matrix CpuBackend::leftSingularVectors(const Matrix& w, std::int64_t count) {
    const Eigen::Map<const Eigen::MatrixXf> source(w.data.get(), w.rows, w.cols);
    const bool wide = w.rows <= w.cols;
    // (n, ·) with the shorter side first. In double: eigenvalues are squares of singular values.
    const Eigen::MatrixXd sides = wide ? Eigen::MatrixXd(source.cast<double>())
                                       : Eigen::MatrixXd(source.transpose().cast<double>());
    const std::int64_t n = sides.rows();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    syrkAccumulate(m_pool, n, sides.cols(), sides.data(), n, gram.data(), n);
    Eigen::VectorXd values(n);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', li(n), gram.data(), li(n), values.data()) != 0) {
        throw Error("the eigen-decomposition of a Gram matrix did not converge",
                    "left singular vectors",
                    "check the weight and the calibration Gram for huge or non-finite values");
    }
    Eigen::MatrixXd leading = gram.rightCols(count).rowwise().reverse();
    if (!wide) {
        leading = (sides.transpose() * leading).eval();
    }
    Matrix u{w.rows, count, allocate(w.rows * count)};
    Eigen::Map<Eigen::MatrixXf> target(u.data.get(), w.rows, count);
    for (std::int64_t j = 0; j < count; ++j) {
        // A sign that does not depend on the LAPACK at hand: the largest entry is positive.
        Eigen::Index largest = 0;
        leading.col(j).cwiseAbs().maxCoeff(&largest);
        const double length = leading.col(j).norm();
        const double scale = length > 0 ? (leading(largest, j) < 0 ? -1 : 1) / length : 0;
        target.col(j) = (leading.col(j) * scale).cast<float>();
    }
    return u;
}

bool CpuBackend::polar(Matrix& a) {
    // A (AᵀA)^(−1/2), in double: the condition number of AᵀA is the square of A's.
    const std::int64_t n = a.cols;
    Eigen::Map<Eigen::MatrixXf> target(a.data.get(), a.rows, n);
    const Eigen::MatrixXd wideT = target.transpose().cast<double>();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    syrkAccumulate(m_pool, n, a.rows, wideT.data(), n, gram.data(), n);
    Eigen::VectorXd values(n);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', li(n), gram.data(), li(n), values.data()) != 0 ||
        !(values(0) > 1e-11 * values(n - 1))) {
        return false;
    }
    const Eigen::MatrixXd scaled = gram * values.array().pow(-0.25).matrix().asDiagonal();
    Eigen::MatrixXf root(n, n);
    root.noalias() = (scaled * scaled.transpose()).cast<float>();
    const Matrix source = upload(target);
    cospadi::gemm(m_pool, Op::None, Op::None, a.rows, n, n, 1, source.data.get(), a.rows,
                  root.data(), n, 0, a.data.get(), a.rows);
    return true;
}

double CpuBackend::solveRight(const Matrix& a, Matrix& b) {
    const std::int64_t n = a.rows;
    const Eigen::Map<const Eigen::MatrixXf> original(a.data.get(), n, n);
    // Unit diagonal first: rows of S differ in energy by orders of magnitude.
    Eigen::VectorXf scale(n);
    for (std::int64_t i = 0; i < n; ++i) {
        const float diagonal = original(i, i);
        scale(i) = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0F;
    }
    Eigen::MatrixXf factor(n, n);
    double ridge = 1e-6;
    for (;; ridge *= 10) {
        factor = scale.asDiagonal() * original * scale.asDiagonal();
        for (std::int64_t i = 0; i < n; ++i) {
            factor(i, i) = 1 + static_cast<float>(ridge);
        }
        if (LAPACKE_spotrf(LAPACK_COL_MAJOR, 'U', li(n), factor.data(), li(n)) == 0) {
            break;
        }
        if (ridge > 1) {
            throw Error("a normal-equations matrix could not be factorised", "dictionary update",
                        "check the weight and the Gram matrix for non-finite values");
        }
    }
    const Eigen::Map<Eigen::MatrixXf> target(b.data.get(), b.rows, n);
    constexpr std::int64_t kRows = 96;  // rows of B are independent systems
    m_pool.run((b.rows + kRows - 1) / kRows, [&](std::int64_t task) {
        const std::int64_t row = task * kRows;
        const std::int64_t rows = std::min(kRows, b.rows - row);
        float* block = b.data.get() + row;
        for (std::int64_t j = 0; j < n; ++j) {
            cblas_sscal(li(rows), scale(j), block + j * b.rows, 1);
        }
        cblas_strsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, li(rows),
                    li(n), 1, factor.data(), li(n), block, li(b.rows));
        cblas_strsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, li(rows),
                    li(n), 1, factor.data(), li(n), block, li(b.rows));
        for (std::int64_t j = 0; j < n; ++j) {
            cblas_sscal(li(rows), scale(j), block + j * b.rows, 1);
        }
    });
    return ridge;
}

double CpuBackend::dot(const Matrix& a, const Matrix& b) {
    std::vector<double> partial(static_cast<std::size_t>(a.cols));
    forColumns(m_pool, a.cols, [&](std::int64_t j) {
        partial[static_cast<std::size_t>(j)] =
            dotInDouble(a.data.get() + j * a.rows, b.data.get() + j * a.rows, a.rows);
    });
    double sum = 0;
    for (const double part : partial) {
        sum += part;
    }
    return sum;
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

void CpuBackend::restrictToSupport(const Matrix& s, Matrix& a) {
    forColumns(m_pool, a.cols, [&](std::int64_t j) {
        const float* support = s.data.get() + j * s.rows;
        float* values = a.data.get() + j * a.rows;
        for (std::int64_t i = 0; i < a.rows; ++i) {
            values[i] = support[i] != 0 ? values[i] : 0.0F;
        }
    });
}

}  // namespace cospadi
