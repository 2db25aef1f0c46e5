// CudaBackend: singular vectors, polar factor, normal equations.
#include <cmath>
#include <vector>

#include "core/linalg/newton_schulz.h"
#include "core/linalg/orthonormal_completion.h"
#include "gpu/cuda_backend.h"
#include "gpu/kernels/elementwise.h"
#include "gpu/kernels/reductions.h"

namespace cospadi {

namespace {

// Newton–Schulz is asked to bring up singular values from here: less is rounding of A's entries.
constexpr double kSmallestSingularValue = 2e-7;
constexpr double kSmallestEigenvalue = 1e-11;  // of AᵀA, relative: below, A has lost rank
constexpr double kOrthonormal = 1e-4;  // ‖XᵀX − I‖_F / √n of what counts as converged

[[noreturn]] void throwNotConverged(const char* field) {
    throw Error("the eigen-decomposition of a Gram matrix did not converge", field,
                "check the weight and the calibration Gram for huge or non-finite values");
}

}  // namespace

Matrix CudaBackend::leftSingularVectors(const Matrix& w, std::int64_t count) {
    const bool wide = w.rows <= w.cols;
    const std::int64_t n = wide ? w.rows : w.cols;
    const DeviceBuffer<double> source(*m_memory, w.size());
    const DeviceBuffer<double> gram(*m_memory, n * n);
    const DeviceBuffer<double> values(*m_memory, n);
    kernels::widen(w.size(), w.data.get(), source.get(), m_memory->stream());
    m_blas->syrkDouble(wide ? Op::None : Op::Transpose, n, wide ? w.cols : w.rows, source.get(),
                       w.rows, 0, gram.get());
    if (!m_factorizations->symmetricEigen(n, gram.get(), values.get())) {
        throwNotConverged("left singular vectors");
    }
    const DeviceBuffer<double> leading(*m_memory, n * count);
    kernels::reverseColumns(n, n, count, gram.get(), leading.get(), m_memory->stream());
    Matrix u = unset(w.rows, count);
    if (wide) {
        kernels::orientColumns(w.rows, count, leading.get(), u.data.get(), m_memory->stream());
        return u;
    }
    DeviceBuffer<double> product(*m_memory, w.rows * count);
    m_blas->gemmDouble(Op::None, Op::None, w.rows, count, n, source.get(), w.rows, leading.get(), n,
                       product.get(), w.rows);
    std::vector<double> squares(static_cast<std::size_t>(n));
    values.download(n, squares.data(), "singular values");
    if (hasLostRank(squares[static_cast<std::size_t>(n - count)], squares.back())) {
        Eigen::MatrixXd host(w.rows, count);
        product.download(host.size(), host.data(), "left singular vectors");
        completeOrthonormally(host);
        product.upload(host.size(), host.data(), "left singular vectors");
    }
    kernels::orientColumns(w.rows, count, product.get(), u.data.get(), m_memory->stream());
    return u;
}

Matrix CudaBackend::leadingEigenvectors(const Matrix& a, std::int64_t count) {
    const std::int64_t n = a.rows;
    Matrix vectors = unset(n, n);
    copy(a, vectors);
    const DeviceBuffer<float> values(*m_memory, n);
    if (!m_factorizations->symmetricEigen(n, vectors.data.get(), values.get())) {
        throwNotConverged("leading eigenvectors");
    }
    const DeviceBuffer<float> leading(*m_memory, n * count);
    kernels::reverseColumns(n, n, count, vectors.data.get(), leading.get(), m_memory->stream());
    Matrix u = unset(n, count);
    kernels::orientColumns(n, count, leading.get(), u.data.get(), m_memory->stream());
    return u;
}

bool CudaBackend::polar(Matrix& a) { return polarByNewtonSchulz(a) || polarByEigenvectors(a); }

// ‖A‖² ≤ ‖AᵀA‖_F. False, with A unchanged, where it does not end orthonormal.
bool CudaBackend::polarByNewtonSchulz(Matrix& a) {
    const std::int64_t n = a.cols;
    Matrix x = unset(a.rows, n);
    copy(a, x);
    Matrix next = unset(a.rows, n);
    Matrix g = unset(n, n);
    const auto squares = [&] {
        m_blas->syrk(Op::Transpose, n, a.rows, x.data.get(), a.rows, g.data.get(),
                     Precision::Float32);
        kernels::mirrorUpper(n, g.data.get(), m_memory->stream());
    };
    squares();
    const double bound = std::pow(dot(g, g), 0.25);
    for (const NewtonSchulzStep& step : newtonSchulzSteps(bound, kSmallestSingularValue)) {
        kernels::affineIdentity(n, step.identity, step.squares, g.data.get(), m_memory->stream());
        m_blas->gemm(Op::None, Op::None, a.rows, n, n, 1, x.data.get(), a.rows, g.data.get(), n, 0,
                     next.data.get(), a.rows, Precision::Float32);
        std::swap(x, next);
        squares();
    }
    kernels::distanceFromIdentity(n, g.data.get(), m_scalars->get() + 1, m_scalars->get(),
                                  m_memory->stream());
    const double distance = std::sqrt(scalar("the polar factor"));
    if (!(distance <= kOrthonormal * std::sqrt(static_cast<double>(n)))) {
        return false;
    }
    copy(x, a);
    return true;
}

// A (AᵀA)^(−½) in double: the condition number of AᵀA is the square of A's.
bool CudaBackend::polarByEigenvectors(Matrix& a) {
    const std::int64_t n = a.cols;
    const DeviceBuffer<double> gram(*m_memory, n * n);
    const DeviceBuffer<double> values(*m_memory, n);
    {
        const DeviceBuffer<double> wide(*m_memory, a.size());
        kernels::widen(a.size(), a.data.get(), wide.get(), m_memory->stream());
        m_blas->syrkDouble(Op::Transpose, n, a.rows, wide.get(), a.rows, 0, gram.get());
    }
    std::vector<double> spectrum(static_cast<std::size_t>(n));
    if (!m_factorizations->symmetricEigen(n, gram.get(), values.get())) {
        return false;
    }
    values.download(n, spectrum.data(), "the polar factor");
    if (!(spectrum.front() > kSmallestEigenvalue * spectrum.back())) {
        return false;
    }
    kernels::scaleColumnsByPower(n, n, values.get(), -0.25, gram.get(), m_memory->stream());
    const DeviceBuffer<double> root(*m_memory, n * n);
    m_blas->gemmDouble(Op::None, Op::Transpose, n, n, n, gram.get(), n, gram.get(), n, root.get(),
                       n);
    const Matrix rounded = unset(n, n);
    kernels::narrow(n * n, root.get(), rounded.data.get(), m_memory->stream());
    const Matrix source = unset(a.rows, n);
    checkCuda(cudaMemcpyAsync(source.data.get(), a.data.get(),
                              static_cast<std::size_t>(a.size()) * sizeof(float),
                              cudaMemcpyDeviceToDevice, m_memory->stream()),
              "the polar factor");
    m_blas->gemm(Op::None, Op::None, a.rows, n, n, 1, source.data.get(), a.rows, rounded.data.get(),
                 n, 0, a.data.get(), a.rows, Precision::Float32);
    return true;
}

void CudaBackend::solveRight(const Matrix& a, double ridge, const Matrix& otherwise, Matrix& b) {
    const std::int64_t n = a.rows;
    const DeviceBuffer<float> scale(*m_memory, n);
    const DeviceBuffer<float> factor(*m_memory, n * n);
    // Unit diagonal first: rows of S differ in energy by orders of magnitude.
    kernels::equilibration(n, a.data.get(), scale.get(), m_memory->stream());
    kernels::equilibrate(n, a.data.get(), scale.get(), static_cast<float>(ridge), factor.get(),
                         m_memory->stream());
    m_factorizations->cholesky(n, factor.get(), m_solveFailed->get());
    kernels::findBrokenPivots(n, factor.get(), m_solveFailed->get(), m_memory->stream());
    kernels::scaleColumns(b.rows, n, scale.get(), b.data.get(), m_memory->stream());
    m_blas->solveTriangularRight(Op::None, b.rows, n, factor.get(), b.data.get());
    m_blas->solveTriangularRight(Op::Transpose, b.rows, n, factor.get(), b.data.get());
    kernels::scaleColumns(b.rows, n, scale.get(), b.data.get(), m_memory->stream());
    kernels::replaceIf(b.size(), m_solveFailed->get(), otherwise.data.get(), b.data.get(),
                       m_memory->stream());
}

bool CudaBackend::solveHeld() {
    int failed = 0;
    m_solveFailed->download(1, &failed, "the dictionary update");
    return failed == 0;
}

}  // namespace cospadi
