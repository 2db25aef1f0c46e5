#include "gpu/verb_arithmetic.h"

#include <algorithm>
#include <utility>

#include "gpu/verb_trial.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;

void products(VerbTrial& trial) {
    for (const Op opA : {Op::None, Op::Transpose}) {
        for (const Op opB : {Op::None, Op::Transpose}) {
            trial.compare("gemm", VerbTrial::kRounding, [&](Backend& b) {
                const Matrix left =
                    b.upload(opA == Op::None ? trial.d() : MatrixXf(trial.d().transpose()));
                const Matrix right =
                    b.upload(opB == Op::None ? trial.p() : MatrixXf(trial.p().transpose()));
                Matrix c = b.upload(trial.w());
                b.gemm(opA, opB, 0.5F, left, right, -2, c);
                return b.download(c);
            });
        }
    }
    trial.compare("syrk", VerbTrial::kRounding, [&](Backend& b) {
        Matrix c = b.zeros(trial.shape().k, trial.shape().k);
        b.syrk(Op::Transpose, b.upload(trial.d()), c);
        return b.download(c);
    });
    trial.compare("syrk", VerbTrial::kRounding, [&](Backend& b) {
        Matrix c = b.zeros(trial.shape().d1, trial.shape().d1);
        b.syrk(Op::None, b.upload(trial.w()), c);
        return b.download(c);
    });
}

void elementwise(VerbTrial& trial) {
    trial.compare("axpby", VerbTrial::kExact, [&](Backend& b) {
        Matrix c = b.upload(trial.w());
        b.axpby(0.3F, b.upload(trial.w()), -1.7F, c);
        return b.download(c);
    });
    const MatrixXf factors = trial.w().row(0).transpose();
    trial.compare("scaleColumns", VerbTrial::kExact, [&](Backend& b) {
        Matrix c = b.upload(trial.w());
        b.scaleColumns(b.upload(factors), c);
        return b.download(c);
    });
    MatrixXf scaled = 3 * trial.d();
    scaled.col(0).setZero();
    for (const bool codes : {false, true}) {
        trial.compare("normalizeAtoms", VerbTrial::kRounding, [&](Backend& b) {
            Matrix d = b.upload(scaled);
            Matrix s = b.upload(trial.p());
            b.normalizeAtoms(d, {s});
            return b.download(codes ? s : d);
        });
    }
}

void reductions(VerbTrial& trial) {
    const auto both = [&](const auto& action) {
        return std::pair(action(trial.tested()), action(trial.reference()));
    };
    const auto dots =
        both([&](Backend& b) { return b.dot(b.upload(trial.w()), b.upload(trial.w())); });
    trial.add("dot", relativeDifference(dots.first, dots.second), VerbTrial::kInDouble);
    const auto norms = both([&](Backend& b) { return b.squaredColumnNorms(b.upload(trial.w())); });
    double worst = norms.first.size() == norms.second.size() ? 0 : 1;
    for (std::size_t i = 0; i < norms.second.size() && worst < 1; ++i) {
        worst = std::max(worst, relativeDifference(norms.first[i], norms.second[i]));
    }
    trial.add("squaredColumnNorms", worst, VerbTrial::kInDouble);
    const MatrixXf support = trial.p().cwiseMax(0.0F);
    const auto counts = both([&](Backend& b) { return b.rowCounts(b.upload(support)); });
    trial.add("rowCounts", counts.first == counts.second ? 0 : 1, 0);
    const auto diagonals = both([&](Backend& b) { return b.diagonal(b.upload(trial.w())); });
    trial.add("diagonal", diagonals.first == diagonals.second ? 0 : 1, 0);
}

}  // namespace

void tryArithmetic(VerbTrial& trial) {
    products(trial);
    elementwise(trial);
    reductions(trial);
}

}  // namespace cospadi
