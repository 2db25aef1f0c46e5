#include "gpu/verb_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cospadi {

namespace {

using Eigen::MatrixXd;
using Eigen::MatrixXf;

// float32 rounds at 6e-8; sums of up to 4096 products keep about five digits.
constexpr double kRounding = 1e-5;
constexpr double kQuality = 2e-3;      // of errors left by verbs that choose
constexpr double kCgTolerance = 1e-5;  // as the solver's last refit: past it CG walks on noise
constexpr double kExact = 1e-6;        // no sum, one rounding
constexpr double kInDouble = 1e-9;     // accumulated in double
constexpr double kShortSums = 2e-6;    // of 256 products in float32, then in double
constexpr double kShift = 1e-4;        // of the mean diagonal: Gram matrices of few columns

MatrixXf gaussian(std::int64_t rows, std::int64_t cols, std::mt19937& random) {
    std::normal_distribution<float> normal;
    MatrixXf a(rows, cols);
    for (Eigen::Index i = 0; i < a.size(); ++i) {
        a.data()[i] = normal(random);
    }
    return a;
}

// Rows of falling energy, mixed by one reflection: singular values about ∝ i^−decay.
MatrixXf weight(const VerbShape& shape, std::mt19937& random) {
    MatrixXf w = gaussian(shape.d1, shape.d2, random);
    for (std::int64_t i = 0; i < shape.d1; ++i) {
        w.row(i) *= static_cast<float>(std::pow(static_cast<double>(i + 1), -shape.decay));
    }
    const Eigen::VectorXf v = gaussian(shape.d1, 1, random).normalized();
    w -= 2 * v * (v.transpose() * w);
    return w;
}

double difference(const MatrixXf& a, const MatrixXf& b) {
    const double size = b.cast<double>().norm();
    const double off = (a - b).cast<double>().norm();
    return size > 0 ? off / size : off;
}

double difference(double a, double b) { return std::abs(a - b) / std::max(std::abs(b), 1e-30); }

class Comparison {
  public:
    Comparison(Backend& reference, Backend& tested, const VerbShape& shape, unsigned seed)
        : m_reference(reference),
          m_tested(tested),
          m_shape(shape),
          m_random(seed),
          m_w(weight(shape, m_random)),
          m_d(gaussian(shape.d1, shape.k, m_random).colwise().normalized()),
          m_g(m_d.transpose() * m_d),
          m_p(m_d.transpose() * m_w) {}

    std::vector<VerbDeviation> run(bool pursuits) {
        products();
        elementwise();
        reductions();
        factorizations();
        grams();
        coding();
        coupledCoding();
        if (pursuits) {
            pursuit();
        }
        return std::move(m_found);
    }

  private:
    void add(const char* verb, double deviation, double tolerance) {
        m_found.push_back({verb, m_shape, deviation, tolerance});
    }

    // action(backend) → MatrixXf on both.
    template <typename Action>
    void compare(const char* verb, double tolerance, const Action& action) {
        const MatrixXf expected = action(m_reference);
        add(verb, difference(action(m_tested), expected), tolerance);
    }

    double errorOf(const MatrixXf& d, const MatrixXf& s) const {
        return (m_w - d * s).cast<double>().norm();
    }

    void products() {
        for (const Op opA : {Op::None, Op::Transpose}) {
            for (const Op opB : {Op::None, Op::Transpose}) {
                compare("gemm", kRounding, [&](Backend& b) {
                    const Matrix left = b.upload(opA == Op::None ? m_d : MatrixXf(m_d.transpose()));
                    const Matrix right =
                        b.upload(opB == Op::None ? m_p : MatrixXf(m_p.transpose()));
                    Matrix c = b.upload(m_w);
                    b.gemm(opA, opB, 0.5F, left, right, -2, c);
                    return b.download(c);
                });
            }
        }
        compare("syrk", kRounding, [&](Backend& b) {
            Matrix c = b.zeros(m_shape.k, m_shape.k);
            b.syrk(Op::Transpose, b.upload(m_d), c);
            return b.download(c);
        });
        compare("syrk", kRounding, [&](Backend& b) {
            Matrix c = b.zeros(m_shape.d1, m_shape.d1);
            b.syrk(Op::None, b.upload(m_w), c);
            return b.download(c);
        });
    }

    void elementwise() {
        compare("axpby", kExact, [&](Backend& b) {
            Matrix c = b.upload(m_w);
            b.axpby(0.3F, b.upload(m_w), -1.7F, c);
            return b.download(c);
        });
        const MatrixXf factors = m_w.row(0).transpose();
        compare("scaleColumns", kExact, [&](Backend& b) {
            Matrix c = b.upload(m_w);
            b.scaleColumns(b.upload(factors), c);
            return b.download(c);
        });
        MatrixXf scaled = 3 * m_d;
        scaled.col(0).setZero();
        for (const bool codes : {false, true}) {
            compare("normalizeAtoms", kRounding, [&](Backend& b) {
                Matrix d = b.upload(scaled);
                Matrix s = b.upload(m_p);
                b.normalizeAtoms(d, {s});
                return b.download(codes ? s : d);
            });
        }
    }

    void reductions() {
        const auto both = [&](const auto& action) {
            return std::pair(action(m_tested), action(m_reference));
        };
        const auto dots = both([&](Backend& b) { return b.dot(b.upload(m_w), b.upload(m_w)); });
        add("dot", difference(dots.first, dots.second), kInDouble);
        const auto norms = both([&](Backend& b) { return b.squaredColumnNorms(b.upload(m_w)); });
        double worst = norms.first.size() == norms.second.size() ? 0 : 1;
        for (std::size_t i = 0; i < norms.second.size() && worst < 1; ++i) {
            worst = std::max(worst, difference(norms.first[i], norms.second[i]));
        }
        add("squaredColumnNorms", worst, kInDouble);
        const MatrixXf support = m_p.cwiseMax(0.0F);
        const auto counts = both([&](Backend& b) { return b.rowCounts(b.upload(support)); });
        add("rowCounts", counts.first == counts.second ? 0 : 1, 0);
        const auto diagonals = both([&](Backend& b) { return b.diagonal(b.upload(m_w)); });
        add("diagonal", diagonals.first == diagonals.second ? 0 : 1, 0);
    }

    void factorizations() {
        // Vectors of near-equal singular values may turn: what they hold of W must not.
        const std::int64_t count = std::min({m_shape.d1, m_shape.d2, m_shape.k});
        const auto held = [&](Backend& b) {
            const MatrixXf u = b.download(b.leftSingularVectors(b.upload(m_w), count));
            return (u.transpose() * m_w).cast<double>().norm();
        };
        add("leftSingularVectors", difference(held(m_tested), held(m_reference)), kRounding);
        const auto kept = [&](Backend& b) {
            Matrix gram = b.zeros(m_shape.d1, m_shape.d1);
            b.syrk(Op::None, b.upload(m_w), gram);
            const MatrixXf u = b.download(b.leadingEigenvectors(gram, count));
            return (u.transpose() * m_w).cast<double>().norm();
        };
        add("leadingEigenvectors", difference(kept(m_tested), kept(m_reference)), kRounding);

        const std::int64_t n = std::min(m_shape.d1, m_shape.k);
        const MatrixXf a = m_d.leftCols(n);
        const auto procrustes = [&](Backend& b) {
            Matrix q = b.upload(a);
            const bool found = b.polar(q);
            return std::pair(found, b.download(q));
        };
        const auto expected = procrustes(m_reference);
        const auto found = procrustes(m_tested);
        if (expected.first != found.first) {
            add("polar", 1, 0);
        } else if (found.first) {
            // The orthonormal Q nearest to A has the largest ⟨Q, A⟩, the sum of A's singular
            // values.
            const auto inner = [&](const MatrixXf& q) {
                return q.cast<double>().cwiseProduct(a.cast<double>()).sum();
            };
            add("polar", difference(inner(found.second), inner(expected.second)), 1e-4);
            const MatrixXd q = found.second.cast<double>();
            add("polar", (q.transpose() * q - MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(),
                1e-3);
        }

        // ‖X A − B‖ against the host's, A = F Fᵀ with rows of very different energy.
        MatrixXf f = gaussian(n, 3 * n + 1, m_random);
        f.row(0) *= 1e-3F;
        const MatrixXf normal = f * f.transpose();
        const auto solved = [&](Backend& b) {
            Matrix x = b.upload(a);
            b.solveRight(b.upload(normal), 1e-6, b.zeros(a.rows(), n), x);
            return difference(b.download(x) * normal, a);
        };
        add("solveRight", solved(m_tested), 2 * solved(m_reference) + 1e-4);
    }

    void grams() {
        const auto summed = [&](Backend& b) {
            const auto sum = b.gramSum(m_shape.d1);
            sum->add(b.upload(m_w));
            sum->add(b.upload(m_d));
            return sum->take();
        };
        const MatrixXd expected = summed(m_reference);
        const MatrixXd found = summed(m_tested);
        add("gramSum", (found - expected).norm() / expected.norm(), kShortSums);

        MatrixXd gram = expected;
        gram.diagonal().array() += kShift * gram.diagonal().mean();
        const auto reference = m_reference.gramFactor(gram, 0);
        const auto tested = m_tested.gramFactor(gram, 0);
        if (!reference || !tested) {
            add("gramFactor", 1, 0);
            return;
        }
        add("gramFactor", (tested->product() - gram).norm() / gram.norm(), kInDouble);
        add("gramFactor L W", difference(tested->times(m_w), reference->times(m_w)), kExact);
        add("gramFactor L⁻¹ D", difference(tested->solve(m_d), reference->solve(m_d)), kExact);
    }

    void coding() {
        const std::int64_t s = m_shape.s;
        const auto coded = [&](Backend& b, int steps) {
            Matrix codes = b.zeros(m_shape.k, m_shape.d2);
            const Matrix p = b.upload(m_p);
            b.thresholdStep(p, 0.5F, s, codes);
            b.thresholdStep(p, 0.5F, s, codes);
            if (steps > 0) {
                b.maskedCg(b.upload(m_g), p, steps, steps > 1 ? kCgTolerance : 0, codes);
            }
            return b.download(codes);
        };
        const MatrixXf expected = coded(m_reference, 0);
        const MatrixXf found = coded(m_tested, 0);
        const Eigen::Index most = (found.array() != 0).cast<int>().colwise().sum().maxCoeff();
        add("thresholdStep", most <= s ? difference(found, expected) : 1, kRounding);
        for (const int steps : {1, 9}) {
            add("maskedCg",
                std::abs(errorOf(m_d, coded(m_tested, steps)) -
                         errorOf(m_d, coded(m_reference, steps))) /
                    m_w.cast<double>().norm(),  // with s ≥ d1 nothing is left over but rounding
                kQuality);
        }
    }

    void coupledCoding() {
        // The Gram of some inputs, of very different energy.
        MatrixXf inputs = gaussian(m_shape.d2, m_shape.d2 + 3, m_random);
        inputs.row(0) *= 30;
        const MatrixXf metric = inputs * inputs.transpose();
        const MatrixXf p = m_p * metric;
        const double squaredNorm = (m_w * inputs).cast<double>().squaredNorm();
        const auto left = [&](Backend& b, int steps) {
            CoupledSystem system{b.upload(m_g), b.upload(p), b.upload(metric),
                                 b.upload(metric.diagonal().cwiseInverse().eval()), squaredNorm};
            Matrix codes = b.zeros(m_shape.k, m_shape.d2);
            b.thresholdStep(b.upload(m_p), 1, m_shape.s, codes);
            Matrix codesMetric = b.upload(b.download(codes) * metric);
            b.coupledCg(system, steps, kCgTolerance, codes, codesMetric);
            return ((m_w - m_d * b.download(codes)) * inputs).cast<double>().norm();
        };
        for (const int steps : {1, 9}) {
            add("coupledCg",
                std::abs(left(m_tested, steps) - left(m_reference, steps)) / std::sqrt(squaredNorm),
                kQuality);
        }
    }

    void pursuit() {
        const std::int64_t s = std::min(m_shape.s, m_shape.d1);
        const auto encoded = [&](Backend& b) {
            Matrix codes = b.zeros(m_shape.k, m_shape.d2);
            b.ompEncode(b.upload(m_g), b.upload(m_p), s, codes);
            return b.download(codes);
        };
        const double size = m_w.cast<double>().norm();
        const MatrixXf codes = encoded(m_reference);
        add("ompEncode", std::abs(errorOf(m_d, encoded(m_tested)) - errorOf(m_d, codes)) / size,
            kQuality);
        const MatrixXf residual = m_w - m_d * codes;
        const auto swept = [&](Backend& b) {
            Matrix d = b.upload(m_d);
            Matrix c = b.upload(codes);
            Matrix e = b.upload(residual);
            b.ksvdSweep(2, e, d, c);
            const double left = errorOf(b.download(d), b.download(c));
            const double told = b.download(e).cast<double>().norm();
            return std::pair(left, told);
        };
        const auto expected = swept(m_reference);
        const auto found = swept(m_tested);
        add("ksvdSweep", std::abs(found.first - expected.first) / size, kQuality);
        add("ksvdSweep", std::abs(found.first - found.second) / size, 1e-4);
    }

    Backend& m_reference;
    Backend& m_tested;
    VerbShape m_shape;
    std::mt19937 m_random;
    MatrixXf m_w;
    MatrixXf m_d;
    MatrixXf m_g;
    MatrixXf m_p;
    std::vector<VerbDeviation> m_found;
};

}  // namespace

std::string describe(const VerbShape& shape) {
    return fmt::format("{}×{}, k {}, s {}, decay {:g}", shape.d1, shape.d2, shape.k, shape.s,
                       shape.decay);
}

std::vector<VerbShape> comparisonShapes(int random, std::int64_t largest, unsigned seed) {
    std::vector<VerbShape> shapes = {{1, 1, 1, 1, 0},     {1, 40, 3, 2, 0},    {40, 1, 20, 5, 0},
                                     {33, 65, 40, 7, 0},  {20, 50, 30, 30, 0}, {64, 64, 64, 1, 3},
                                     {50, 300, 31, 16, 3}};
    std::mt19937 generator(seed);
    const auto upTo = [&](std::int64_t most) {
        // As many small as large: the logarithm is uniform.
        const double share = static_cast<double>(generator()) / 4294967296.0;
        return std::max<std::int64_t>(1, std::llround(std::pow(static_cast<double>(most), share)));
    };
    for (int i = 0; i < random; ++i) {
        VerbShape shape;
        shape.d1 = upTo(largest);
        shape.d2 = upTo(largest);
        shape.k = upTo(largest);
        shape.s = upTo(shape.k);
        shape.decay = i % 3;
        shapes.push_back(shape);
    }
    return shapes;
}

std::vector<VerbDeviation> compareVerbs(Backend& reference, Backend& tested, const VerbShape& shape,
                                        bool pursuits, unsigned seed) {
    return Comparison(reference, tested, shape, seed).run(pursuits);
}

}  // namespace cospadi
