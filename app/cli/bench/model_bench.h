// The linear layers of whole models with made-up weights, compressed one shape at a time: what
// `cospadi bench gpu` and gpu-check measure a device with.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/dictionary/iteration_summary.h"
#include "core/methods/compress_matrix.h"

namespace cospadi::cli {

struct LayerShape {
    const char* name;
    std::int64_t d1, d2;
    int count;  // in the whole model
};

struct ModelSet {
    const char* name;
    std::vector<LayerShape> layers;
    // What a run of it may take on a desk of two cores.
    double hostBytes = 0;
    double hostSeconds = 0;  // 0: no target
};

const std::vector<ModelSet>& modelSets();           // Llama-3.2-1B, Llama-3-8B, Qwen3-8B
const ModelSet& modelSet(const std::string& name);  // throws Error listing the names

struct LayerResult {
    LayerShape shape;  // as measured: smaller by `part`
    std::int64_t k = 0, s = 0;
    double relativeError = 0;  // whitened
    double seconds = 0;        // a matrix, of as many at once; whitening included
    // Of one of those, while the others were at work: the factor of the Gram matrix, and the
    // solver's coding and dictionary updates.
    double whiteningSeconds = 0;
    PhaseSeconds phases;
    double peakBytes = 0;  // of the device; 0 on the CPU
};

struct ModelResult {
    std::vector<LayerResult> layers;
    int atOnce = 1;
    double seconds = 0;        // Σ count · seconds: the whole model
    double relativeError = 0;  // mean over the model's matrices
    double peakBytes = 0;
};

// open makes a backend (a fresh one for every shape, so that peaks are its own); part divides all
// sizes; atOnce matrices of a shape are solved at the same time, each on a backend and a thread of
// its own, as runs do it. watched is told before each shape. Empty where cancelled.
std::optional<ModelResult> benchModel(
    const ModelSet& set, const MatrixOptions& options, std::int64_t part, int atOnce,
    const std::function<std::unique_ptr<Backend>()>& open,
    const std::function<void(const LayerShape&, const IterationSummary&)>& watched,
    const std::stop_token& stop);

// A table of the layers, and {"layers": […], "seconds", "relative_error", "peak_bytes"}.
std::string text(const ModelResult& result);
nlohmann::json toJson(const ModelResult& result);

}  // namespace cospadi::cli
