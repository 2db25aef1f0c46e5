// One shape's trial of a backend's verbs: the made-up matrices that both backends get, and how far
// apart they came out. What is tried of which verbs: verb_arithmetic.h, verb_factorizations.h and
// verb_coding.h.
//
//     trial.compare("axpby", VerbTrial::kExact, [&](Backend& b) { …; return b.download(c); });
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/linalg/backend.h"
#include "gpu/verb_comparison.h"

namespace cospadi {

// Relative to b; absolute where that is nothing.
double relativeDifference(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b);
double relativeDifference(double a, double b);

class VerbTrial {
  public:
    // Tolerances of several verbs. float32 rounds at 6e-8; sums of up to 4096 products keep about
    // five digits.
    static constexpr double kRounding = 1e-5;
    static constexpr double kQuality = 2e-3;   // of errors left by verbs that choose
    static constexpr double kExact = 1e-6;     // no sum, one rounding
    static constexpr double kInDouble = 1e-9;  // accumulated in double

    // Both backends outlive it.
    VerbTrial(Backend& reference, Backend& tested, const VerbShape& shape, unsigned seed);

    Backend& reference() { return m_reference; }
    Backend& tested() { return m_tested; }
    const VerbShape& shape() const { return m_shape; }
    const Eigen::MatrixXf& w() const { return m_w; }  // d1 × d2
    const Eigen::MatrixXf& d() const { return m_d; }  // d1 × k, atoms of length 1
    const Eigen::MatrixXf& g() const { return m_g; }  // Dᵀ D
    const Eigen::MatrixXf& p() const { return m_p; }  // Dᵀ W
    // Others than before, at every call.
    Eigen::MatrixXf gaussian(std::int64_t rows, std::int64_t cols);

    void add(const char* verb, double deviation, double tolerance);
    // action(backend) → MatrixXf on both.
    template <typename Action>
    void compare(const char* verb, double tolerance, const Action& action) {
        const Eigen::MatrixXf expected = action(m_reference);
        add(verb, relativeDifference(action(m_tested), expected), tolerance);
    }
    double errorOf(const Eigen::MatrixXf& d, const Eigen::MatrixXf& s) const;  // ‖W − D S‖

    std::vector<VerbDeviation> takeFound() { return std::move(m_found); }

  private:
    Backend& m_reference;
    Backend& m_tested;
    VerbShape m_shape;
    std::mt19937 m_random;
    Eigen::MatrixXf m_w;
    Eigen::MatrixXf m_d;
    Eigen::MatrixXf m_g;
    Eigen::MatrixXf m_p;
    std::vector<VerbDeviation> m_found;
};

}  // namespace cospadi
