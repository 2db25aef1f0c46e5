#include "gpu/verb_factorizations.h"

#include <algorithm>
#include <utility>

#include "gpu/verb_trial.h"

namespace cospadi {

namespace {

using Eigen::MatrixXd;
using Eigen::MatrixXf;

constexpr double kShortSums = 2e-6;  // of 256 products in float32, then in double
constexpr double kShift = 1e-4;      // of the mean diagonal: Gram matrices of few columns

void factorizations(VerbTrial& trial) {
    // Vectors of near-equal singular values may turn: what they hold of W must not.
    const std::int64_t count = std::min({trial.shape().d1, trial.shape().d2, trial.shape().k});
    const auto held = [&](Backend& b) {
        const MatrixXf u = b.download(b.leftSingularVectors(b.upload(trial.w()), count));
        return (u.transpose() * trial.w()).cast<double>().norm();
    };
    trial.add("leftSingularVectors",
              relativeDifference(held(trial.tested()), held(trial.reference())),
              VerbTrial::kRounding);
    const auto kept = [&](Backend& b) {
        Matrix gram = b.zeros(trial.shape().d1, trial.shape().d1);
        b.syrk(Op::None, b.upload(trial.w()), gram);
        const MatrixXf u = b.download(b.leadingEigenvectors(gram, count));
        return (u.transpose() * trial.w()).cast<double>().norm();
    };
    trial.add("leadingEigenvectors",
              relativeDifference(kept(trial.tested()), kept(trial.reference())),
              VerbTrial::kRounding);

    const std::int64_t n = std::min(trial.shape().d1, trial.shape().k);
    const MatrixXf a = trial.d().leftCols(n);
    const auto procrustes = [&](Backend& b) {
        Matrix q = b.upload(a);
        const bool found = b.polar(q);
        return std::pair(found, b.download(q));
    };
    const auto expected = procrustes(trial.reference());
    const auto found = procrustes(trial.tested());
    if (expected.first != found.first) {
        trial.add("polar", 1, 0);
    } else if (found.first) {
        // The orthonormal Q nearest to A has the largest ⟨Q, A⟩, the sum of A's singular values.
        const auto inner = [&](const MatrixXf& q) {
            return q.cast<double>().cwiseProduct(a.cast<double>()).sum();
        };
        trial.add("polar", relativeDifference(inner(found.second), inner(expected.second)), 1e-4);
        const MatrixXd q = found.second.cast<double>();
        trial.add("polar", (q.transpose() * q - MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(),
                  1e-3);
    }

    // ‖X A − B‖ against the host's, A = F Fᵀ with rows of very different energy.
    MatrixXf f = trial.gaussian(n, 3 * n + 1);
    f.row(0) *= 1e-3F;
    const MatrixXf normal = f * f.transpose();
    const auto solved = [&](Backend& b) {
        Matrix x = b.upload(a);
        b.solveRight(b.upload(normal), 1e-6, b.zeros(a.rows(), n), x);
        return relativeDifference(b.download(x) * normal, a);
    };
    trial.add("solveRight", solved(trial.tested()), 2 * solved(trial.reference()) + 1e-4);
}

void grams(VerbTrial& trial) {
    const auto summed = [&](Backend& b) {
        const auto sum = b.gramSum(trial.shape().d1);
        sum->add(b.upload(trial.w()));
        sum->add(b.upload(trial.d()));
        return sum->take();
    };
    const MatrixXd expected = summed(trial.reference());
    const MatrixXd found = summed(trial.tested());
    trial.add("gramSum", (found - expected).norm() / expected.norm(), kShortSums);

    MatrixXd gram = expected;
    gram.diagonal().array() += kShift * gram.diagonal().mean();
    const auto reference = trial.reference().gramFactor(gram, 0);
    const auto tested = trial.tested().gramFactor(gram, 0);
    if (!reference || !tested) {
        trial.add("gramFactor", 1, 0);
        return;
    }
    trial.add("gramFactor", (tested->product() - gram).norm() / gram.norm(), VerbTrial::kInDouble);
    trial.add("gramFactor L W",
              relativeDifference(tested->times(trial.w()), reference->times(trial.w())),
              VerbTrial::kExact);
    trial.add("gramFactor L⁻¹ D",
              relativeDifference(tested->solve(trial.d()), reference->solve(trial.d())),
              VerbTrial::kExact);
}

}  // namespace

void tryFactorizations(VerbTrial& trial) {
    factorizations(trial);
    grams(trial);
}

}  // namespace cospadi
