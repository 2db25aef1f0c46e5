// CpuBackend: one pass of K-SVD (paper, Algorithm 1, dictionary update).
#include <cblas.h>
#include <lapacke.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/error.h"
#include "core/base/simd.h"
#include "core/linalg/cpu_backend.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr Eigen::Index kSketch = 8;   // directions: the leading one and seven to spare
constexpr std::int64_t kPanel = 128;  // columns of a residual that one task walks through

// sum += R (Rᵀ u) for a panel of R (d1, n), and row = Rᵀ u: one pass over memory, not two.
COSPADI_AVX2_CLONES void powerPass(const float* r, std::int64_t d1, std::int64_t n, const float* u,
                                   float* row, float* sum) {
    std::int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        const float* c0 = r + j * d1;
        const float* c1 = c0 + d1;
        const float* c2 = c1 + d1;
        const float* c3 = c2 + d1;
        float t0 = 0, t1 = 0, t2 = 0, t3 = 0;
#pragma omp simd reduction(+ : t0, t1, t2, t3)
        for (std::int64_t i = 0; i < d1; ++i) {
            t0 += c0[i] * u[i];
            t1 += c1[i] * u[i];
            t2 += c2[i] * u[i];
            t3 += c3[i] * u[i];
        }
        row[j] = t0;
        row[j + 1] = t1;
        row[j + 2] = t2;
        row[j + 3] = t3;
#pragma omp simd
        for (std::int64_t i = 0; i < d1; ++i) {
            sum[i] += t0 * c0[i] + t1 * c1[i] + t2 * c2[i] + t3 * c3[i];
        }
    }
    for (; j < n; ++j) {
        const float* c = r + j * d1;
        float t = 0;
#pragma omp simd reduction(+ : t)
        for (std::int64_t i = 0; i < d1; ++i) {
            t += c[i] * u[i];
        }
        row[j] = t;
#pragma omp simd
        for (std::int64_t i = 0; i < d1; ++i) {
            sum[i] += t * c[i];
        }
    }
}

// to = from + a x
COSPADI_AVX2_CLONES void writeScaledSum(const float* from, float a, const float* x, std::int64_t n,
                                        float* to) {
    for (std::int64_t i = 0; i < n; ++i) {
        to[i] = from[i] + a * x[i];
    }
}

// One atom's problem: its residual R on the columns that use it, gathered side by side.
class AtomUpdate {
  public:
    AtomUpdate(ThreadPool& pool, Matrix& e, Matrix& d, Matrix& codes)
        : m_pool(pool),
          m_e(e),
          m_d(d),
          m_codes(codes),
          m_residual(static_cast<std::size_t>(e.size())),
          m_row(static_cast<std::size_t>(e.cols)),
          m_partial(static_cast<std::size_t>(e.rows * (ceilDivide(e.cols, kPanel)))) {}

    void updateBySketch(std::int64_t atom, std::mt19937_64& random) {
        gather(atom);
        if (!m_columns.empty()) {
            place(atom, sketchedLeftVector(random));
        }
    }

    void update(std::int64_t atom, int powerIterations) {
        gather(atom);
        if (m_columns.empty()) {
            return;
        }
        Eigen::VectorXf u =
            Eigen::Map<const Eigen::VectorXf>(m_d.data.get() + atom * m_d.rows, m_d.rows);
        if (powerIterations == 0) {
            u = leadingLeftVector();
        }
        for (int i = 0; i < powerIterations; ++i) {
            const Eigen::VectorXf next = residualTimesItsTranspose(u);
            const float length = next.norm();
            if (!(length > 0)) {
                break;  // the residual is zero: any atom is as good
            }
            u = next / length;
        }
        place(atom, u);
    }

  private:
    void place(std::int64_t atom, const Eigen::VectorXf& u) {
        residualTimesItsTranspose(u);  // leaves Rᵀ u in m_row: the atom's new coefficients
        scatter(atom, u);
    }

    std::int64_t used() const { return static_cast<std::int64_t>(m_columns.size()); }

    void gather(std::int64_t atom) {
        m_columns.clear();
        for (std::int64_t j = 0; j < m_codes.cols; ++j) {
            if (m_codes.data.get()[j * m_codes.rows + atom] != 0) {
                m_columns.push_back(j);
            }
        }
        const float* d = m_d.data.get() + atom * m_d.rows;
        forColumnRanges(m_pool, used(), kPanel, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t c = first; c < last; ++c) {
                const std::int64_t j = m_columns[static_cast<std::size_t>(c)];
                writeScaledSum(m_e.data.get() + j * m_e.rows,
                               m_codes.data.get()[j * m_codes.rows + atom], d, m_e.rows,
                               m_residual.data() + c * m_e.rows);
            }
        });
    }

    Eigen::VectorXf residualTimesItsTranspose(const Eigen::VectorXf& u) {
        const std::int64_t d1 = m_e.rows;
        const std::int64_t panels = ceilDivide(used(), kPanel);
        forColumnRanges(m_pool, used(), kPanel, [&](std::int64_t first, std::int64_t last) {
            float* sum = m_partial.data() + first / kPanel * d1;
            std::fill_n(sum, d1, 0.0F);
            powerPass(m_residual.data() + first * d1, d1, last - first, u.data(),
                      m_row.data() + first, sum);
        });
        return Eigen::Map<const Eigen::MatrixXf>(m_partial.data(), d1, panels).rowwise().sum();
    }

    Eigen::VectorXf leadingLeftVector() const {
        const auto n = static_cast<lapack_int>(m_e.rows);
        const Eigen::MatrixXd r =
            Eigen::Map<const Eigen::MatrixXf>(m_residual.data(), m_e.rows, used()).cast<double>();
        Eigen::MatrixXd gram = r * r.transpose();
        lapack_int found = 0;
        Eigen::VectorXd values(n);
        Eigen::VectorXd vector(n);
        std::vector<lapack_int> support(2);
        if (LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, gram.data(), n, 0, 0, n, n, 0,
                           &found, values.data(), vector.data(), n, support.data()) != 0 ||
            found != 1) {
            throw Error("the leading singular vector of a residual did not converge", "K-SVD",
                        "use power iterations instead of the exact update");
        }
        return vector.cast<float>();
    }

    // The leading left singular vector within the range of R (Rᵀ (R Ω)), Ω of random signs.
    Eigen::VectorXf sketchedLeftVector(std::mt19937_64& random) const {
        const Eigen::Map<const Eigen::MatrixXf> r(m_residual.data(), m_e.rows, used());
        const Eigen::Index directions = std::min({kSketch, r.rows(), r.cols()});
        Eigen::MatrixXf signs(r.cols(), directions);
        for (Eigen::Index i = 0; i < signs.size(); ++i) {
            signs.data()[i] = (random() & 1U) != 0 ? 1.0F : -1.0F;
        }
        const auto orthonormal = [directions](const Eigen::MatrixXf& y) -> Eigen::MatrixXf {
            return y.householderQr().householderQ() *
                   Eigen::MatrixXf::Identity(y.rows(), directions);
        };
        const Eigen::MatrixXf first = orthonormal(r * signs);
        const Eigen::MatrixXf basis = orthonormal(r * (r.transpose() * first));
        const Eigen::MatrixXf within = basis.transpose() * r;
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> eigen(within * within.transpose());
        return (basis * eigen.eigenvectors().col(directions - 1)).normalized();
    }

    void scatter(std::int64_t atom, const Eigen::VectorXf& u) {
        std::copy_n(u.data(), m_d.rows, m_d.data.get() + atom * m_d.rows);
        forColumnRanges(m_pool, used(), kPanel, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t c = first; c < last; ++c) {
                const std::int64_t j = m_columns[static_cast<std::size_t>(c)];
                const float value = m_row[static_cast<std::size_t>(c)];
                m_codes.data.get()[j * m_codes.rows + atom] = value;
                writeScaledSum(m_residual.data() + c * m_e.rows, -value, u.data(), m_e.rows,
                               m_e.data.get() + j * m_e.rows);
            }
        });
    }

    ThreadPool& m_pool;
    Matrix& m_e;
    Matrix& m_d;
    Matrix& m_codes;
    std::vector<std::int64_t> m_columns;
    std::vector<float> m_residual;
    std::vector<float> m_row;
    std::vector<float> m_partial;
};

}  // namespace

void CpuBackend::ksvdSweep(int powerIterations, Matrix& e, Matrix& d, Matrix& codes) {
    AtomUpdate update(m_pool, e, d, codes);
    for (std::int64_t atom = 0; atom < d.cols; ++atom) {
        update.update(atom, powerIterations);
    }
}

void CpuBackend::ksvdSketchSweep(std::uint64_t seed, Matrix& e, Matrix& d, Matrix& codes) {
    AtomUpdate update(m_pool, e, d, codes);
    std::mt19937_64 random(seed);
    for (std::int64_t atom = 0; atom < d.cols; ++atom) {
        update.updateBySketch(atom, random);
    }
}

}  // namespace cospadi
