#include "core/methods/integer_factors/nearest_plane.h"

#include <Eigen/Cholesky>
#include <vector>

#include "core/base/error.h"
#include "core/forms/integer_columns.h"

namespace cospadi {

namespace {

using Eigen::Index;

constexpr double kLeastRidge = 1e-7;
constexpr double kMostRidge = 1e-2;

}  // namespace

// With P the reversal of all rows: P A P = L Lᵀ gives A = (P Lᵀ P)ᵀ (P Lᵀ P), of which P Lᵀ P is
// lower triangular.
Eigen::MatrixXd lowerFactor(const Eigen::MatrixXd& a) {
    const double floor = 1e-12 * a.diagonal().mean();  // of atoms that nothing excites
    for (double ridge = kLeastRidge; ridge <= kMostRidge; ridge *= 10) {
        Eigen::MatrixXd reversed = a.reverse();
        reversed.diagonal().array() *= 1 + ridge;
        reversed.diagonal().array() += floor;
        const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(reversed);
        if (factor.info() == Eigen::Success) {
            Eigen::MatrixXd c = reversed.transpose().reverse();
            c.triangularView<Eigen::StrictlyUpper>().setZero();
            return c;
        }
    }
    throw Error("the rounded factors have lost all rank", "accounting",
                "use another accounting, or check the calibration text");
}

void roundToNearestPlane(const Eigen::MatrixXd& c, const Eigen::Ref<const Eigen::VectorXd>& p,
                         int bits, std::span<float> halfSteps, Eigen::Ref<Eigen::VectorXf> x) {
    const Index n = c.rows();
    const auto runs = static_cast<std::int64_t>(halfSteps.size());
    Eigen::VectorXd z = c.transpose().triangularView<Eigen::Upper>().solve(p);
    for (Index begin = 0, end = 0; begin < n; begin = end) {
        const std::int64_t run = runOf(begin, n, runs);
        while (end < n && runOf(end, n, runs) == run) {
            ++end;
        }
        const Index size = end - begin;
        const auto own = c.block(begin, begin, size, size);
        const Eigen::VectorXf real =
            own.triangularView<Eigen::Lower>().solve(z.segment(begin, size)).cast<float>();
        const IntegerGrid grid =
            fitIntegerGrid({real.data(), static_cast<std::size_t>(size)}, bits);
        halfSteps[static_cast<std::size_t>(run)] = grid.halfStep;
        for (Index i = begin; i < end; ++i) {
            x(i) = grid.rounded(static_cast<float>(z(i) / c(i, i)));
            z.tail(n - i) -= static_cast<double>(x(i)) * c.col(i).tail(n - i);
        }
    }
}

}  // namespace cospadi
