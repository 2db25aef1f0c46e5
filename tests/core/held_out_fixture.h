// What tests of held-out text begin with: the small model, a draw of which a share is held out, and
// errors on the inputs of those tokens, in double.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/methods/method.h"
#include "core/model/forward.h"
#include "core/store/run_specification.h"
#include "tests/core/oracle_data.h"
#include "tests/core/small_model_fixture.h"
#include "tests/core/small_runs.h"

namespace cospadi::held_out_fixture {

using Eigen::MatrixXd;
using Eigen::MatrixXf;

constexpr std::int64_t kSequences = 13;  // one batch, if nothing were held out
constexpr std::int64_t kHeldOut = 2;     // 0.125 of them
constexpr std::int64_t kLength = 64;

using Inputs = std::map<std::string, MatrixXd>;  // X (d1, tokens) by Gram

inline Inputs inputsOf(const Model& model, std::span<const std::int32_t> ids) {
    Inputs inputs;
    ForwardHooks hooks;
    hooks.linearInput = [&](const std::string& key, const Eigen::Ref<const MatrixXf>& x) {
        inputs[key] = x.cast<double>();
    };
    ThreadPool pool(2);
    ForwardPass(model, pool).hiddenStates({ids.begin(), ids.end()}, kLength, hooks);
    return inputs;
}

inline double errorOn(const MatrixXd& x, const MatrixXf& w, const MatrixXd& found) {
    const MatrixXd wanted = w.cast<double>();
    return (x.transpose() * (wanted - found)).norm() / (x.transpose() * wanted).norm();
}

class HeldOutFixture : public SmallModelFixture {
  protected:
    RunSpecification specification(const char* method, double heldOut = 0.125) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.heldOut = heldOut;
        s.calibration = small_runs::onText(kSequences, kLength);
        return s;
    }

    CalibrationOptions calibration(std::int64_t sequences, std::int64_t heldOut) const {
        CalibrationOptions options;
        options.text = oracle::file("GPL-3.txt");
        options.sequences = sequences;
        options.length = kLength;
        options.heldOut = heldOut;
        return options;
    }

    // The last sequences of the draw.
    std::vector<std::int32_t> heldOutIds(const Model& model) const {
        const auto ids = sampleSequences(model.tokenizer(), calibration(kSequences, 0));
        return {ids.end() - kHeldOut * kLength, ids.end()};
    }
};

}  // namespace cospadi::held_out_fixture
