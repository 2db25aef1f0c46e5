// Perplexity of whatever a word names, recorded with the run where it names one, else with the
// dense run of the model (dense_run.h).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/evaluation/perplexity.h"
#include "core/linalg/compute_device.h"

namespace cospadi {

struct EvaluationRequest {
    std::string model;  // path, run or "default"
    std::filesystem::path text;
    PerplexityOptions options;
    int threads = 0;
    ComputeDevice device;  // of the linear layers
    // Told once where the device fails and may be done without.
    std::function<void(const DeviceError&)> cpuTakesOver;
};

struct EvaluationOutcome {
    PerplexityResult result;
    std::string device;  // that computed it; where it failed, so and that the CPU went on
    std::filesystem::path
        recordedAs;          // evaluations/…json of the run; empty for a compressed folder
    std::string unrecorded;  // why a run could not take it; empty: it did, or is none
};

// nullopt when cancelled. Throws Error for a text or model that cannot be read; that a result
// cannot be recorded is no error.
std::optional<EvaluationOutcome> evaluateAndRecord(const EvaluationRequest& request,
                                                   const ProgressCallback& progress = {},
                                                   const std::stop_token& stop = {});

// The answer that an earlier evaluation with the same settings recorded with the run, NaN where
// that was not finite; nullopt where there is none, or where request.model is no run.
std::optional<double> recordedPerplexity(const EvaluationRequest& request);

const char* name(ScoredTokens score);                        // "all", "second-half"
ScoredTokens scoredTokensFromName(const std::string& name);  // throws Error

}  // namespace cospadi
