// CpuBackend: batched orthogonal matching pursuit with a precomputed Gram (Rubinstein et al. 2008),
// in the form that keeps the orthonormalised atoms' correlations: step t needs one (k, t) product
// and no triangular solve; the coefficients follow at the end from one back-substitution.
#include <cblas.h>

#include <cmath>
#include <vector>

#include "core/base/simd.h"
#include "core/linalg/column_tasks.h"
#include "core/linalg/cpu_backend.h"

namespace cospadi {

namespace {

constexpr float kDependent = 1e-6F;  // squared length an atom must add to the span

// Row of the largest |correlation| among the free atoms; free[i] is 1 or 0.
COSPADI_SIMD_CLONES std::int64_t strongest(const float* correlation, const float* available,
                                           std::int64_t k) {
    float best = 0;
#pragma omp simd reduction(max : best)
    for (std::int64_t i = 0; i < k; ++i) {
        const float magnitude = std::fabs(correlation[i]) * available[i];
        best = magnitude > best ? magnitude : best;
    }
    if (!(best > 0)) {
        return -1;
    }
    for (std::int64_t i = 0; i < k; ++i) {
        if (std::fabs(correlation[i]) * available[i] == best) {
            return i;
        }
    }
    return -1;
}

class Pursuit {
  public:
    Pursuit(const float* gram, std::int64_t k, std::int64_t s)
        : m_gram(gram),
          m_k(k),
          m_s(s),
          m_basis(static_cast<std::size_t>(k * s)),
          m_correlation(static_cast<std::size_t>(k)),
          m_available(static_cast<std::size_t>(k)),
          m_weights(static_cast<std::size_t>(s)),
          m_atoms(static_cast<std::size_t>(s)) {}

    // column (k) receives the coefficients of the atoms chosen for correlations p (k).
    void encode(const float* p, float* column) {
        std::copy_n(p, m_k, m_correlation.begin());
        std::fill(m_available.begin(), m_available.end(), 1.0F);
        std::int64_t chosen = 0;
        while (chosen < m_s) {
            const std::int64_t atom = strongest(m_correlation.data(), m_available.data(), m_k);
            if (atom < 0) {
                break;
            }
            m_available[static_cast<std::size_t>(atom)] = 0;
            chosen += extend(atom, chosen) ? 1 : 0;
        }
        std::fill_n(column, m_k, 0.0F);
        backSubstitute(chosen, column);
    }

  private:
    // Orthonormalises `atom` against the basis; false where it lies in its span.
    bool extend(std::int64_t atom, std::int64_t t) {
        float* next = m_basis.data() + t * m_k;
        std::copy_n(m_gram + atom * m_k, m_k, next);
        if (t > 0) {
            cblas_sgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(m_k),
                        static_cast<blasint>(t), -1, m_basis.data(), static_cast<blasint>(m_k),
                        m_basis.data() + atom, static_cast<blasint>(m_k), 1, next, 1);
        }
        if (!(next[atom] > kDependent)) {
            return false;
        }
        cblas_sscal(static_cast<blasint>(m_k), 1 / std::sqrt(next[atom]), next, 1);
        const float weight = m_correlation[static_cast<std::size_t>(atom)] / next[atom];
        cblas_saxpy(static_cast<blasint>(m_k), -weight, next, 1, m_correlation.data(), 1);
        m_weights[static_cast<std::size_t>(t)] = weight;
        m_atoms[static_cast<std::size_t>(t)] = atom;
        return true;
    }

    // Solves R γ = weights, R(j, t) = ⟨basis_j, atom_t⟩ upper triangular.
    void backSubstitute(std::int64_t chosen, float* column) {
        std::vector<double> rest(m_weights.begin(), m_weights.begin() + chosen);
        for (std::int64_t t = chosen - 1; t >= 0; --t) {
            const std::int64_t atom = m_atoms[static_cast<std::size_t>(t)];
            const float* row = m_basis.data() + atom;
            const double value = rest[static_cast<std::size_t>(t)] / row[t * m_k];
            column[atom] = static_cast<float>(value);
            for (std::int64_t j = 0; j < t; ++j) {
                rest[static_cast<std::size_t>(j)] -= value * row[j * m_k];
            }
        }
    }

    const float* m_gram;
    std::int64_t m_k;
    std::int64_t m_s;
    std::vector<float> m_basis;  // (k, s): ⟨q_t, atom_i⟩ of the t-th orthonormalised atom q_t
    std::vector<float> m_correlation;
    std::vector<float> m_available;
    std::vector<float> m_weights;
    std::vector<std::int64_t> m_atoms;
};

}  // namespace

void CpuBackend::ompEncode(const Matrix& g, const Matrix& p, std::int64_t s, Matrix& codes) {
    const std::int64_t k = codes.rows;
    forColumnRanges(m_pool, codes.cols, 16, [&](std::int64_t first, std::int64_t last) {
        Pursuit pursuit(g.data.get(), k, s);
        for (std::int64_t j = first; j < last; ++j) {
            pursuit.encode(p.data.get() + j * k, codes.data.get() + j * k);
        }
    });
}

}  // namespace cospadi
