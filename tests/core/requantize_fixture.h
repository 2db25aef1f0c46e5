// What tests of shorter coefficients begin with: a finished run with 16 bits a coefficient, and
// runs derived from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/run/derived_run.h"
#include "core/run/requantize_run.h"
#include "tests/core/small_model_fixture.h"
#include "tests/core/small_runs.h"

namespace cospadi::requantize_fixture {

namespace fs = std::filesystem;

constexpr std::int64_t kSequences = 8;
constexpr std::int64_t kLength = 64;
constexpr const char* kLayers = "blk\\.0\\.(attn_q|ffn_up|ffn_gate)";

class RequantizeFixture : public SmallModelFixture {
  protected:
    fs::path m_wide;  // ksvd, 16 bits a coefficient

    void makeWide() {
        makeModel();
        m_wide = made(wide(), "wide");
    }

    RunSpecification specification(const char* method) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.layers = kLayers;
        s.calibration = small_runs::onText(kSequences, kLength);
        return s;
    }

    RunSpecification wide() const {
        RunSpecification s = specification("cospadi");
        s.solver = Solver::Ksvd;
        s.iterations = 4;
        s.coefficientBits = 16;
        s.heldOut = 0.125;
        return s;
    }

    fs::path made(const RunSpecification& s, const std::string& name) const {
        RunExecution execution;
        execution.threads = 2;
        return executeRun(s, place("runs") / name, execution).directory;
    }

    static DerivedRun requantized(const fs::path& run, int bits,
                                  CoefficientRounding rounding = CoefficientRounding::Truncate,
                                  const EventCallback& onEvent = {}) {
        Requantization how;
        how.bits = bits;
        how.rounding = rounding;
        how.threads = 2;
        return requantizeRun(run, how, onEvent);
    }
};

}  // namespace cospadi::requantize_fixture
