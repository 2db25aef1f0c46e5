// CpuBackend: singular vectors, polar factor, normal equations.
#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/ceil_divide.h"
#include "core/base/error.h"
#include "core/linalg/cpu_backend.h"
#include "core/linalg/newton_schulz.h"
#include "core/linalg/orthonormal_completion.h"
#include "core/linalg/symmetric_eigen.h"

namespace cospadi {

namespace {

// Of the largest: what Newton–Schulz still lifts. Less is rounding of A's entries.
constexpr double kSmallestSingularValue = 2e-7;
constexpr double kOrthonormal = 1e-4;  // ‖XᵀX − I‖_F / √n of a polar factor

lapack_int li(std::int64_t value) { return static_cast<lapack_int>(value); }

[[noreturn]] void throwNotConverged(const char* field) {
    throw Error("the eigen-decomposition of a Gram matrix did not converge", field,
                "check the weight and the calibration Gram for huge or non-finite values");
}

// Unit length, and a sign that does not depend on the LAPACK at hand: the largest entry is
// positive.
template <typename Columns>
void orientColumns(const Columns& columns, Matrix& u) {
    Eigen::Map<Eigen::MatrixXf> target(u.data.get(), u.rows, u.cols);
    for (std::int64_t j = 0; j < u.cols; ++j) {
        Eigen::Index largest = 0;
        columns.col(j).cwiseAbs().maxCoeff(&largest);
        const double length = columns.col(j).norm();
        const double scale = length > 0 ? (columns(largest, j) < 0 ? -1 : 1) / length : 0;
        target.col(j) = (columns.col(j).template cast<double>() * scale).template cast<float>();
    }
}

}  // namespace

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
        throwNotConverged("left singular vectors");
    }
    Eigen::MatrixXd leading = gram.rightCols(count).rowwise().reverse();
    if (!wide) {
        leading = (sides.transpose() * leading).eval();
        if (hasLostRank(values(n - count), values(n - 1))) {
            completeOrthonormally(leading);
        }
    }
    Matrix u = unset(w.rows, count);
    orientColumns(leading, u);
    return u;
}

Matrix CpuBackend::leadingEigenvectors(const Matrix& a, std::int64_t count) {
    const std::int64_t n = a.rows;
    Eigen::MatrixXf vectors = Eigen::Map<const Eigen::MatrixXf>(a.data.get(), n, n);
    Eigen::VectorXf values(n);
    if (!symmetricEigen(n, vectors.data(), values.data())) {
        throwNotConverged("leading eigenvectors");
    }
    Matrix u = unset(n, count);
    orientColumns(vectors.rightCols(count).rowwise().reverse(), u);
    return u;
}

bool CpuBackend::polar(Matrix& a) {
    // Some twenty products of A against one decomposition of its Gram matrix.
    const bool productsAreCheaper = a.rows < 2 * a.cols;
    return productsAreCheaper ? polarByNewtonSchulz(a) || polarByEigenvectors(a)
                              : polarByEigenvectors(a) || polarByNewtonSchulz(a);
}

// ‖A‖² ≤ ‖AᵀA‖_F. False, with A unchanged, where it does not end orthonormal.
bool CpuBackend::polarByNewtonSchulz(Matrix& a) {
    const std::int64_t n = a.cols;
    Matrix x = unset(a.rows, n);
    Matrix next = unset(a.rows, n);
    Matrix g = unset(n, n);
    copy(a, x);
    Eigen::Map<Eigen::MatrixXf> gram(g.data.get(), n, n);
    syrk(Op::Transpose, x, g);
    const double bound = std::sqrt(gram.norm());
    for (const NewtonSchulzStep& step : newtonSchulzSteps(bound, kSmallestSingularValue)) {
        gram *= step.squares;
        gram.diagonal().array() += step.identity;
        gemm(Op::None, Op::None, 1, x, g, 0, next);
        std::swap(x, next);
        syrk(Op::Transpose, x, g);
    }
    gram.diagonal().array() -= 1;
    if (!(static_cast<double>(gram.norm()) <= kOrthonormal * std::sqrt(static_cast<double>(n)))) {
        return false;
    }
    copy(x, a);
    return true;
}

// A (AᵀA)^(−1/2), in double: the condition number of AᵀA is the square of A's.
bool CpuBackend::polarByEigenvectors(Matrix& a) {
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

void CpuBackend::solveRight(const Matrix& a, double ridge, const Matrix& otherwise, Matrix& b) {
    const std::int64_t n = a.rows;
    const Eigen::Map<const Eigen::MatrixXf> original(a.data.get(), n, n);
    // Unit diagonal first: rows of S differ in energy by orders of magnitude.
    Eigen::VectorXf scale(n);
    for (std::int64_t i = 0; i < n; ++i) {
        const float diagonal = original(i, i);
        scale(i) = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0F;
    }
    Eigen::MatrixXf factor = scale.asDiagonal() * original * scale.asDiagonal();
    factor.diagonal().setConstant(1 + static_cast<float>(ridge));
    m_solveHeld = LAPACKE_spotrf(LAPACK_COL_MAJOR, 'U', li(n), factor.data(), li(n)) == 0;
    if (!m_solveHeld) {
        copy(otherwise, b);
        return;
    }
    const Eigen::Map<Eigen::MatrixXf> target(b.data.get(), b.rows, n);
    constexpr std::int64_t kRows = 96;  // rows of B are independent systems
    m_pool.run(ceilDivide(b.rows, kRows), [&](std::int64_t task) {
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
}

}  // namespace cospadi
