// What tests of refinement begin with: a finished run of the small model, runs refined from it, and
// the matrices of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "core/forms/matrix_file.h"
#include "core/methods/method.h"
#include "core/run/compression_run.h"
#include "core/run/derived_run.h"
#include "core/run/refine_run.h"
#include "core/store/run_file.h"
#include "tests/core/small_model_fixture.h"
#include "tests/core/small_runs.h"

namespace cospadi::refine_fixture {

namespace fs = std::filesystem;

constexpr std::int64_t kLength = 64;
constexpr std::int64_t kSequences = 64;

inline std::map<std::string, StoredMatrix> matricesOf(const fs::path& run) {
    std::map<std::string, StoredMatrix> matrices;
    const nlohmann::json result = readRunJson(run / "result.json", "");
    for (const nlohmann::json& matrix : result.at("matrices")) {
        const std::string name = matrix.at("name");
        matrices[name] = readMatrixFile(unitFile(run / "matrices", name));
    }
    return matrices;
}

class RefineFixture : public SmallModelFixture {
  protected:
    fs::path m_source;

    void makeSource() {
        makeModel();
        m_source = made(specification("cospadi"), "source");
    }

    RunSpecification specification(const char* method) const {
        RunSpecification s;
        s.model = m_model.string();
        s.method = &methodFromName(method);
        s.cr = 0.4;
        s.calibration = small_runs::onText(8, kLength);
        return s;
    }

    fs::path made(const RunSpecification& s, const std::string& name) const {
        RunExecution execution;
        execution.threads = 2;
        return executeRun(s, place("runs") / name, execution).directory;
    }

    static RefineSettings settings() { return {kSequences, 0.01}; }

    static DerivedRun refined(const fs::path& run, const RefineSettings& how = settings(),
                              int threads = 2, const EventCallback& onEvent = {},
                              const std::stop_token& stop = {}) {
        RunExecution execution;
        execution.threads = threads;
        execution.onEvent = onEvent;
        return refineRun(run, how, execution, stop);
    }
};

}  // namespace cospadi::refine_fixture
