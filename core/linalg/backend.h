// The narrow waist between the solvers and the machine: a solver is written once over
// these verbs; CpuBackend (core/linalg) and CudaBackend (gpu/) implement them where their matrices
// live. A verb exists because a solver needs it; this is not a tensor library. Three are algorithms
// rather than operations, ompEncode, ksvdSweep and coupledCg: each is many dependent small steps,
// which a device has to take without the host in between. Two more, lassoEncode and
// ksvdSketchSweep, are alternatives to ompEncode and ksvdSweep that hosts alone have: they stand
// here because the same solver calls them in their place, on a backend that it does not know.
//
// Symbols and shapes as in the paper: W (d1, d2) the (whitened) weight, D (d1, k) unit-norm atoms,
// S (k, d2) codes held dense with exact zeros off the support, G = DᵀD (k, k), P = DᵀW (k, d2).
// Everything is float32, column-major, leading dimension = rows; Gram matrices of inputs are
// double. Thread-safety: one solver per backend object. Errors: cospadi::Error when the device
// fails.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/linalg/gram_factor.h"
#include "core/linalg/gram_sum.h"
#include "core/products/blas.h"

namespace cospadi {

// A (rows, cols) block of the backend's memory. Copying the handle shares the block.
struct Matrix {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::shared_ptr<float> data;  // dereferenced by the owning backend only

    std::int64_t size() const { return rows * cols; }
    explicit operator bool() const { return data != nullptr; }
    // Columns first … first + count − 1: they share the block, which lives as long as any does.
    Matrix columns(std::int64_t first, std::int64_t count) const {
        return {rows, count, std::shared_ptr<float>(data, data.get() + first * rows)};
    }
};

// A Gram matrix scaled to mean diagonal 1: as it comes it grows with the number of tokens.
struct UnitGram {
    Matrix gram;  // scale · G (n, n)
    double scale = 1;
};

// A matrix that many products have on their left, made ready for them once.
class LeftOperand {
  public:
    virtual ~LeftOperand() = default;
    // C = alpha A B + beta C, as stepGemm()
    virtual void times(float alpha, const Matrix& b, float beta, Matrix& c) const = 0;
    // With A to no more than eight significant bits where that is quicker: for steps whose
    // direction matters, and whose residual is computed anew.
    virtual void timesRoughly(float alpha, const Matrix& b, float beta, Matrix& c) const = 0;
};

// min ‖(Z − D S) Lᵀ‖_F over the values of S, M = LᵀL (d2, d2): every column of S weighs on the
// others. Handles share the blocks of the solver's matrices.
struct CoupledSystem {
    Matrix h;                // DᵀD (k, k)
    Matrix metric;           // M
    Matrix inverseDiagonal;  // 1 / M(j, j), (d2, 1): the preconditioner, 0 where M(j, j) is
    const LeftOperand* rough = nullptr;  // H; where given, steps multiply by it, roughly
};

// Where conjugate gradients on it are.
struct CoupledCodes {
    Matrix codes;        // S (k, d2)
    Matrix codesMetric;  // S M, or what S M has become more than it was
    Matrix residual;     // Dᵀ Z M − H S M; after steps on the support alone, zero off it
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual std::string description() const = 0;

    // ---- memory
    virtual Matrix zeros(std::int64_t rows, std::int64_t cols) = 0;
    virtual Matrix upload(const Eigen::Ref<const Eigen::MatrixXf>& host) = 0;
    virtual Eigen::MatrixXf download(const Matrix& a) = 0;
    virtual void copy(const Matrix& from, Matrix& to) = 0;
    virtual void copyColumn(const Matrix& from, std::int64_t column, Matrix& to,
                            std::int64_t target) = 0;
    // Rows first … first + count − 1 of `from` to rows target … of `to`, of as many columns.
    virtual void copyRows(const Matrix& from, std::int64_t first, std::int64_t count, Matrix& to,
                          std::int64_t target) = 0;
    virtual Matrix transposed(const Matrix& a) = 0;
    // Returns once all that was asked for is done: before a clock is read. A host does at once.
    virtual void synchronize() const {}
    // Bytes that could still be taken, as far as is known; another program may be faster.
    virtual std::int64_t availableBytes() = 0;

    // ---- Gram matrices of a layer's inputs
    // Of gram (n, n) with `shift` added to its diagonal; null where that is not positive definite.
    virtual std::unique_ptr<GramFactor> gramFactor(const Eigen::MatrixXd& gram, double shift) = 0;
    virtual std::unique_ptr<GramSum> gramSum(std::int64_t n) = 0;  // zero, (n, n)

    // ---- dense algebra
    // C = alpha op(A) op(B) + beta C
    virtual void gemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                      Matrix& c) = 0;
    // The same for steps of iterations (Accuracy::Step), where that is quicker.
    virtual void stepGemm(Op opA, Op opB, float alpha, const Matrix& a, const Matrix& b, float beta,
                          Matrix& c) {
        gemm(opA, opB, alpha, a, b, beta, c);
    }
    // `a` is not to change as long as it is used.
    virtual std::unique_ptr<LeftOperand> leftOperand(const Matrix& a) = 0;
    // B = alpha A + beta B
    virtual void axpby(float alpha, const Matrix& a, float beta, Matrix& b) = 0;
    // C = AᵀA (Op::Transpose) or A Aᵀ (Op::None), both triangles filled
    virtual void syrk(Op op, const Matrix& a, Matrix& c) = 0;
    // U (d1, count): leading left singular vectors of W, from the Gram of its shorter side in
    // double. count ≤ min(d1, d2).
    virtual Matrix leftSingularVectors(const Matrix& w, std::int64_t count) = 0;
    // U (n, count): eigenvectors of the symmetric A (n, n) in float32, largest eigenvalue first.
    // Those of eigenvalues below 1e-6 of the largest are some basis of what is left.
    virtual Matrix leadingEigenvectors(const Matrix& a, std::int64_t count) = 0;
    // A (m, n), m ≥ n → its polar factor, the nearest matrix with orthonormal columns (Procrustes).
    // Directions of singular values below about 1e-6 of the largest are float32's rounding. False
    // where A has lost rank: then A is unchanged and the caller must repair it.
    virtual bool polar(Matrix& a) = 0;
    // B (m, n) ← B A⁻¹ for a symmetric positive semidefinite A (n, n), equilibrated, with a
    // relative ridge. Where Cholesky does not hold even so, B becomes `otherwise` (m, n). Nothing
    // waits for that: solveHeld() tells it of the last solve, when the solver waits anyway.
    virtual void solveRight(const Matrix& a, double ridge, const Matrix& otherwise, Matrix& b) = 0;
    virtual bool solveHeld() = 0;

    // ---- reductions
    virtual double dot(const Matrix& a, const Matrix& b) = 0;  // Σ a b, accumulated in double
    virtual std::vector<double> squaredColumnNorms(const Matrix& a) = 0;
    virtual std::vector<std::int64_t> rowCounts(const Matrix& s) = 0;  // (k): non-zeros of each row
    virtual std::vector<double> diagonal(const Matrix& a) = 0;

    // ---- elementwise
    // A(:, j) *= factors(j); factors (cols, 1)
    virtual void scaleColumns(const Matrix& factors, Matrix& a) = 0;

    // ---- dictionary learning
    // Unit-norm columns of D; the rows of what is listed (S, S M) scaled inversely, so that D S
    // stays. Zero columns stay zero.
    virtual void normalizeAtoms(Matrix& d, std::initializer_list<Matrix> scaled) = 0;
    // S ← the s entries of largest magnitude of each column of S + μ R, zero elsewhere (hard
    // thresholding pursuit; with S = 0, μ = 1, R = P plain thresholding). Ties: the lower row wins.
    // Returns how many mask entries changed.
    virtual std::int64_t thresholdStep(const Matrix& r, float mu, std::int64_t s,
                                       Matrix& codes) = 0;
    // Conjugate gradients on the fixed support of S, every column its own step sizes:
    // minimises ‖W − D S‖ over the values of S. At most `steps`; columns stop at ‖r‖ ≤ tol ‖P‖.
    // Returns ⟨S, P − G S⟩, accumulated in double: with it ‖W − D S‖² needs no further product.
    virtual double maskedCg(const Matrix& g, const Matrix& p, int steps, double tolerance,
                            Matrix& codes) = 0;
    // The same for coupled columns, one step size for all, preconditioned by M's diagonal. Ends
    // where a step takes less than `tolerance` off the squared error, of which there is
    // `squaredError` before. Returns what the steps took off it.
    virtual double coupledCg(const CoupledSystem& system, int steps, double tolerance,
                             double squaredError, CoupledCodes& at) = 0;
    // Orthogonal matching pursuit (eq 6), batched, precomputed Gram: at most s atoms a column.
    virtual void ompEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) = 0;
    // The LASSO in its place (lasso_path.h): at most s atoms a column, coefficients shrunk. On
    // hosts alone: throws Error elsewhere.
    virtual void lassoEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes);
    // One K-SVD pass over all atoms (Algorithm 1): each atom and its row of S become the leading
    // singular pair of its residual. E (d1, d2) holds W − D S before and after. powerIterations = 0
    // means an exact SVD of each residual.
    virtual void ksvdSweep(int powerIterations, Matrix& e, Matrix& d, Matrix& codes) = 0;
    // The same with every pair from a random sketch of its residual (Halko, Martinsson and Tropp
    // 2011, algorithm 4.4 with one power iteration). On hosts alone: throws Error elsewhere.
    virtual void ksvdSketchSweep(std::uint64_t seed, Matrix& e, Matrix& d, Matrix& codes);
};

}  // namespace cospadi
