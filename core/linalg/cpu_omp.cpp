// CpuBackend: batched orthogonal matching pursuit with a precomputed Gram (Rubinstein et al. 2008),
// in the form that keeps the orthonormalised atoms' correlations: a step needs one (k, t) product
// and no triangular solve; the coefficients follow at the end from one back-substitution.
//
// These products are what the pursuit costs, and one at a time they are bound by the cache. But the
// strongest atoms of now are, but for a few, those that the next steps choose: eight of them are
// projected together, and a projected atom that waits is brought up to date with
// the few basis vectors that came meanwhile. Each step still takes the strongest of all atoms.
#include <cblas.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/simd.h"
#include "core/linalg/cpu_backend.h"
#include "core/products/column_tasks.h"

namespace cospadi {

namespace {

constexpr std::int64_t kPanelColumns = 8;  // atoms that are projected together
constexpr float kDependent = 1e-6F;        // squared length an atom must add to the span

constexpr std::int64_t kStretch = 64;

// Row of the largest |correlation| among the free atoms, the lowest of equals; available[i] is 1 or
// 0. A stretch's largest is found without branches, its row only where it is the largest of all.
COSPADI_AVX2_CLONES std::int64_t strongest(const float* correlation, const float* available,
                                           std::int64_t k) {
    float best = 0;
    std::int64_t begin = -1;
    for (std::int64_t first = 0; first < k; first += kStretch) {
        const std::int64_t last = std::min(k, first + kStretch);
        float largest = 0;
#pragma omp simd reduction(max : largest)
        for (std::int64_t i = first; i < last; ++i) {
            const float magnitude = std::fabs(correlation[i]) * available[i];
            largest = magnitude > largest ? magnitude : largest;
        }
        if (largest > best) {
            best = largest;
            begin = first;
        }
    }
    if (begin < 0) {
        return -1;
    }
    while (std::fabs(correlation[begin]) * available[begin] != best) {
        ++begin;
    }
    return begin;
}

class Pursuit {
  public:
    Pursuit(const float* gram, std::int64_t k, std::int64_t s)
        : m_gram(gram),
          m_k(k),
          m_s(s),
          m_basis(static_cast<std::size_t>(k * s)),
          m_waiting(static_cast<std::size_t>(k * kWaiting)),
          m_slotOf(static_cast<std::size_t>(k)),
          m_correlation(static_cast<std::size_t>(k)),
          m_available(static_cast<std::size_t>(k)),
          m_candidates(static_cast<std::size_t>(k)),
          m_factors(static_cast<std::size_t>(s * kPanelColumns)),
          m_weights(static_cast<std::size_t>(s)),
          m_atoms(static_cast<std::size_t>(s)) {}

    // column (k) receives the coefficients of the atoms chosen for correlations p (k).
    void encode(const float* p, float* column) {
        std::copy_n(p, m_k, m_correlation.begin());
        std::fill(m_available.begin(), m_available.end(), 1.0F);
        std::fill(m_slotOf.begin(), m_slotOf.end(), kNowhere);
        m_slots.fill({});
        m_nextSlot = 0;
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
    static constexpr std::int64_t kWaiting = 8 * kPanelColumns;
    static constexpr std::int64_t kNowhere = -1;

    struct Slot {
        std::int64_t atom = kNowhere;
        std::int64_t level = 0;  // basis vectors that it is orthogonal to
    };

    // Projects `atom` and the strongest others that do not wait yet against the first t vectors.
    void project(std::int64_t atom, std::int64_t t) {
        m_candidates = m_available;
        for (const Slot& slot : m_slots) {
            if (slot.atom != kNowhere) {
                m_candidates[static_cast<std::size_t>(slot.atom)] = 0;
            }
        }
        float* const panel = m_waiting.data() + m_nextSlot * m_k;
        for (std::int64_t b = 0; b < kPanelColumns; ++b) {
            Slot& slot = m_slots[static_cast<std::size_t>(m_nextSlot + b)];
            if (slot.atom != kNowhere) {
                m_slotOf[static_cast<std::size_t>(slot.atom)] = kNowhere;
            }
            const std::int64_t next =
                b == 0 ? atom : strongest(m_correlation.data(), m_candidates.data(), m_k);
            slot = {next, t};
            if (next == kNowhere) {
                std::fill_n(panel + b * m_k, m_k, 0.0F);
                for (std::int64_t p = 0; p < t; ++p) {
                    m_factors[static_cast<std::size_t>(p * kPanelColumns + b)] = 0;
                }
                continue;
            }
            m_slotOf[static_cast<std::size_t>(next)] = m_nextSlot + b;
            m_candidates[static_cast<std::size_t>(next)] = 0;
            std::copy_n(m_gram + next * m_k, m_k, panel + b * m_k);
            for (std::int64_t p = 0; p < t; ++p) {
                m_factors[static_cast<std::size_t>(p * kPanelColumns + b)] =
                    m_basis[static_cast<std::size_t>(p * m_k + next)];
            }
        }
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(m_k),
                    static_cast<blasint>(kPanelColumns), static_cast<blasint>(t), -1,
                    m_basis.data(), static_cast<blasint>(m_k), m_factors.data(),
                    static_cast<blasint>(kPanelColumns), 1, panel, static_cast<blasint>(m_k));
        m_nextSlot = (m_nextSlot + kPanelColumns) % kWaiting;
    }

    // Orthonormalises `atom` against the basis; false where it lies in its span.
    bool extend(std::int64_t atom, std::int64_t t) {
        if (m_slotOf[static_cast<std::size_t>(atom)] == kNowhere) {
            project(atom, t);
        }
        const std::int64_t place = m_slotOf[static_cast<std::size_t>(atom)];
        Slot& slot = m_slots[static_cast<std::size_t>(place)];
        float* next = m_basis.data() + t * m_k;
        std::copy_n(m_waiting.data() + place * m_k, m_k, next);
        if (slot.level < t) {
            const float* newer = m_basis.data() + slot.level * m_k;
            cblas_sgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(m_k),
                        static_cast<blasint>(t - slot.level), -1, newer, static_cast<blasint>(m_k),
                        newer + atom, static_cast<blasint>(m_k), 1, next, 1);
        }
        slot.atom = kNowhere;
        m_slotOf[static_cast<std::size_t>(atom)] = kNowhere;
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
    std::vector<float> m_basis;    // (k, s): ⟨q_t, atom_i⟩ of the t-th orthonormalised atom q_t
    std::vector<float> m_waiting;  // (k, kWaiting): projected atoms, by slot
    std::array<Slot, kWaiting> m_slots;
    std::vector<std::int64_t> m_slotOf;  // (k)
    std::int64_t m_nextSlot = 0;         // the panel that is written over next
    std::vector<float> m_correlation;
    std::vector<float> m_available;   // (k): 1 where an atom may still be chosen
    std::vector<float> m_candidates;  // (k): and does not wait
    std::vector<float> m_factors;     // (s, 8) row-major
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
