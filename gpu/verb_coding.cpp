#include "gpu/verb_coding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/verb_trial.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;

constexpr double kCgTolerance = 1e-5;  // as the solver's last refit: past it CG walks on noise

void coding(VerbTrial& trial) {
    const std::int64_t s = trial.shape().s;
    const auto coded = [&](Backend& b, int steps) {
        Matrix codes = b.zeros(trial.shape().k, trial.shape().d2);
        const Matrix p = b.upload(trial.p());
        b.thresholdStep(p, 0.5F, s, codes);
        b.thresholdStep(p, 0.5F, s, codes);
        if (steps > 0) {
            b.maskedCg(b.upload(trial.g()), p, steps, steps > 1 ? kCgTolerance : 0, codes);
        }
        return b.download(codes);
    };
    const MatrixXf expected = coded(trial.reference(), 0);
    const MatrixXf found = coded(trial.tested(), 0);
    const Eigen::Index most = (found.array() != 0).cast<int>().colwise().sum().maxCoeff();
    trial.add("thresholdStep", most <= s ? relativeDifference(found, expected) : 1,
              VerbTrial::kRounding);
    for (const int steps : {1, 9}) {
        trial.add(
            "maskedCg",
            std::abs(trial.errorOf(trial.d(), coded(trial.tested(), steps)) -
                     trial.errorOf(trial.d(), coded(trial.reference(), steps))) /
                trial.w().cast<double>().norm(),  // with s ≥ d1 nothing is left over but rounding
            VerbTrial::kQuality);
    }
}

void coupledCoding(VerbTrial& trial) {
    // The Gram of some inputs, of very different energy.
    MatrixXf inputs = trial.gaussian(trial.shape().d2, trial.shape().d2 + 3);
    inputs.row(0) *= 30;
    const MatrixXf metric = inputs * inputs.transpose();
    const MatrixXf p = trial.p() * metric;
    const double squaredNorm = (trial.w() * inputs).cast<double>().squaredNorm();
    const auto left = [&](Backend& b, int steps) {
        const CoupledSystem system{b.upload(trial.g()), b.upload(metric),
                                   b.upload(metric.diagonal().cwiseInverse().eval()), nullptr};
        Matrix codes = b.zeros(trial.shape().k, trial.shape().d2);
        b.thresholdStep(b.upload(trial.p()), 1, trial.shape().s, codes);
        const MatrixXf start = b.download(codes);
        CoupledCodes at{codes, b.upload(start * metric),
                        b.upload(p - trial.g() * (start * metric))};
        const double error =
            ((trial.w() - trial.d() * start) * inputs).cast<double>().squaredNorm();
        b.coupledCg(system, steps, kCgTolerance, error, at);
        return ((trial.w() - trial.d() * b.download(codes)) * inputs).cast<double>().norm();
    };
    for (const int steps : {1, 9}) {
        trial.add("coupledCg",
                  std::abs(left(trial.tested(), steps) - left(trial.reference(), steps)) /
                      std::sqrt(squaredNorm),
                  VerbTrial::kQuality);
    }
}

void pursuit(VerbTrial& trial) {
    const std::int64_t s = std::min(trial.shape().s, trial.shape().d1);
    const auto encoded = [&](Backend& b) {
        Matrix codes = b.zeros(trial.shape().k, trial.shape().d2);
        b.ompEncode(b.upload(trial.g()), b.upload(trial.p()), s, codes);
        return b.download(codes);
    };
    const double size = trial.w().cast<double>().norm();
    const MatrixXf codes = encoded(trial.reference());
    trial.add("ompEncode",
              std::abs(trial.errorOf(trial.d(), encoded(trial.tested())) -
                       trial.errorOf(trial.d(), codes)) /
                  size,
              VerbTrial::kQuality);
    const MatrixXf residual = trial.w() - trial.d() * codes;
    const auto swept = [&](Backend& b) {
        Matrix d = b.upload(trial.d());
        Matrix c = b.upload(codes);
        Matrix e = b.upload(residual);
        b.ksvdSweep(2, e, d, c);
        const double left = trial.errorOf(b.download(d), b.download(c));
        const double told = b.download(e).cast<double>().norm();
        return std::pair(left, told);
    };
    const auto expected = swept(trial.reference());
    const auto found = swept(trial.tested());
    trial.add("ksvdSweep", std::abs(found.first - expected.first) / size, VerbTrial::kQuality);
    trial.add("ksvdSweep", std::abs(found.first - found.second) / size, 1e-4);
}

}  // namespace

void tryCoding(VerbTrial& trial, bool pursuits) {
    coding(trial);
    coupledCoding(trial);
    if (pursuits) {
        pursuit(trial);
    }
}

}  // namespace cospadi
