#include "gpu/verb_trial.h"

#include <algorithm>
#include <cmath>

namespace cospadi {

namespace {

using Eigen::MatrixXf;

MatrixXf gaussianOf(std::int64_t rows, std::int64_t cols, std::mt19937& random) {
    std::normal_distribution<float> normal;
    MatrixXf a(rows, cols);
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        a.data()[i] = normal(random);
    }
    return a;
}

// Rows of falling energy, mixed by one reflection: singular values about ∝ i^−decay.
MatrixXf weight(const VerbShape& shape, std::mt19937& random) {
    MatrixXf w = gaussianOf(shape.d1, shape.d2, random);
    for (std::int64_t i = 0; i < shape.d1; ++i) {
        w.row(i) *= static_cast<float>(std::pow(static_cast<double>(i + 1), -shape.decay));
    }
    const Eigen::VectorXf v = gaussianOf(shape.d1, 1, random).normalized();
    w -= 2 * v * (v.transpose() * w);
    return w;
}

}  // namespace

double relativeDifference(const MatrixXf& a, const MatrixXf& b) {
    const double size = b.cast<double>().norm();
    const double off = (a - b).cast<double>().norm();
    return size > 0 ? off / size : off;
}

double relativeDifference(double a, double b) {
    return std::abs(a - b) / std::max(std::abs(b), 1e-30);
}

VerbTrial::VerbTrial(Backend& reference, Backend& tested, const VerbShape& shape, unsigned seed)
    : m_reference(reference),
      m_tested(tested),
      m_shape(shape),
      m_random(seed),
      m_w(weight(shape, m_random)),
      m_d(gaussian(shape.d1, shape.k).colwise().normalized()),
      m_g(m_d.transpose() * m_d),
      m_p(m_d.transpose() * m_w) {}

MatrixXf VerbTrial::gaussian(std::int64_t rows, std::int64_t cols) {
    return gaussianOf(rows, cols, m_random);
}

void VerbTrial::add(const char* verb, double deviation, double tolerance) {
    m_found.push_back({verb, m_shape, deviation, tolerance});
}

double VerbTrial::errorOf(const MatrixXf& d, const MatrixXf& s) const {
    return (m_w - d * s).cast<double>().norm();
}

}  // namespace cospadi
