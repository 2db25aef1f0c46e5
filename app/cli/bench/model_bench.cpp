#include "app/cli/bench/model_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/bench/synthetic_layer.h"
#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/linalg/whitening.h"
#include "gpu/device/compute_devices.h"

namespace cospadi::cli {

const std::vector<ModelSet>& modelSets() {
    static const std::vector<ModelSet> sets = {
        {"llama-3.2-1b",
         {{"attn_q, attn_output", 2048, 2048, 32},
          {"attn_k, attn_v", 2048, 512, 32},
          {"ffn_gate, ffn_up", 2048, 8192, 32},
          {"ffn_down", 8192, 2048, 16}},
         3e9,
         45 * 60},
        {"llama-3-8b",
         {{"attn_q, attn_output", 4096, 4096, 64},
          {"attn_k, attn_v", 4096, 1024, 64},
          {"ffn_gate, ffn_up", 4096, 14336, 64},
          {"ffn_down", 14336, 4096, 32}},
         12e9},
        {"qwen3-8b",
         {{"attn_q, attn_output", 4096, 4096, 72},
          {"attn_k, attn_v", 4096, 1024, 72},
          {"ffn_gate, ffn_up", 4096, 12288, 72},
          {"ffn_down", 12288, 4096, 36}},
         12e9},
    };
    return sets;
}

const ModelSet& modelSet(const std::string& name) {
    std::string names;
    for (const ModelSet& set : modelSets()) {
        if (set.name == name) {
            return set;
        }
        names += (names.empty() ? "" : ", ") + std::string(set.name);
    }
    throw Error(fmt::format("'{}' is not a set of layers", name), "--set", "use one of " + names);
}

namespace {

// One of those that are solved at once.
struct Solve {
    std::unique_ptr<Backend> backend;
    CompressedMatrix compressed;
    double whiteningSeconds = 0;
    std::exception_ptr failure;

    void run(const Eigen::MatrixXf& w, const Eigen::MatrixXd& gram, const LayerShape& shape,
             const MatrixOptions& options, const IterationCallback& callback,
             const std::stop_token& stop) {
        try {
            const Stopwatch clock;
            const Whitening whitening(gram, shape.name, *backend);
            whiteningSeconds = clock.seconds();
            compressed = compressMatrix(*backend, w, &whitening, options, callback, stop);
        } catch (...) {
            failure = std::current_exception();
        }
    }
};

}  // namespace

std::optional<ModelResult> benchModel(
    const ModelSet& set, const MatrixOptions& options, std::int64_t part, int atOnce,
    const std::function<std::unique_ptr<Backend>()>& open,
    const std::function<void(const LayerShape&, const IterationSummary&)>& watched,
    const std::stop_token& stop) {
    ModelResult result;
    result.atOnce = atOnce;
    int matrices = 0;
    for (LayerShape shape : set.layers) {
        shape.d1 /= part;
        shape.d2 /= part;
        const Eigen::MatrixXf w = powerLawWeight(shape.d1, shape.d2, kWeightExponent, 11);
        const Eigen::MatrixXd gram = powerLawGram(shape.d1, kGramExponent, 12);
        std::vector<Solve> solves(static_cast<std::size_t>(atOnce));
        for (Solve& solve : solves) {
            solve.backend = open();
            // Libraries are loaded and kernels found here: a run does that once.
            solve.backend->gramFactor(Eigen::MatrixXd::Identity(8, 8), 0);
        }
        const Stopwatch clock;
        {
            std::vector<std::jthread> others;
            for (std::size_t i = 1; i < solves.size(); ++i) {
                others.emplace_back([&, i] { solves[i].run(w, gram, shape, options, {}, stop); });
            }
            solves.front().run(
                w, gram, shape, options,
                [&](const IterationSummary& summary) { watched(shape, summary); }, stop);
        }
        const double seconds = clock.seconds() / atOnce;
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        LayerResult layer;
        for (const Solve& solve : solves) {
            if (solve.failure) {
                std::rethrow_exception(solve.failure);
            }
            layer.peakBytes += static_cast<double>(devicePeakBytes(*solve.backend));
        }
        const CompressedMatrix& compressed = solves.front().compressed;
        const SparseDictionaryFactors& factors = *sparseFactors(compressed.weight);
        layer.shape = shape;
        layer.k = factors.dictionary.cols();
        layer.s = factors.s;
        layer.relativeError = compressed.relativeError;
        layer.seconds = seconds;
        layer.whiteningSeconds = solves.front().whiteningSeconds;
        layer.phases = compressed.phases.value_or(PhaseSeconds{});
        result.seconds += layer.seconds * shape.count;
        result.relativeError += layer.relativeError * shape.count;
        result.peakBytes = std::max(result.peakBytes, layer.peakBytes);
        matrices += shape.count;
        result.layers.push_back(layer);
    }
    result.relativeError /= matrices;
    return result;
}

std::string text(const ModelResult& result) {
    std::string table =
        fmt::format("{:<22} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9} {:>10} {:>12}\n",
                    "layer", "d1", "d2", "k", "s", "count", "error", "seconds", "whitening",
                    "coding", "dictionary", "device MB");
    for (const LayerResult& layer : result.layers) {
        table += fmt::format(
            "{:<22} {:>6} {:>6} {:>6} {:>6} {:>6} {:>8.4f} {:>9.2f} {:>9.2f} {:>9.2f} {:>10.2f} "
            "{:>12.0f}\n",
            layer.shape.name, layer.shape.d1, layer.shape.d2, layer.k, layer.s, layer.shape.count,
            layer.relativeError, layer.seconds, layer.whiteningSeconds, layer.phases.coding,
            layer.phases.dictionary, layer.peakBytes / 1e6);
    }
    const std::string atOnce = result.atOnce == 1
                                   ? "a matrix at a time"
                                   : fmt::format("{} matrices at once", result.atOnce);
    return table + fmt::format("whole model, {}: {:.1f} s, mean error {:.4f}\n", atOnce,
                               result.seconds, result.relativeError);
}

nlohmann::json toJson(const ModelResult& result) {
    nlohmann::json layers = nlohmann::json::array();
    for (const LayerResult& layer : result.layers) {
        layers.push_back({{"name", layer.shape.name},
                          {"d1", layer.shape.d1},
                          {"d2", layer.shape.d2},
                          {"count", layer.shape.count},
                          {"k", layer.k},
                          {"s", layer.s},
                          {"relative_error", layer.relativeError},
                          {"seconds", layer.seconds},
                          {"whitening_seconds", layer.whiteningSeconds},
                          {"coding_seconds", layer.phases.coding},
                          {"dictionary_seconds", layer.phases.dictionary},
                          {"peak_bytes", layer.peakBytes}});
    }
    return {{"layers", layers},
            {"at_once", result.atOnce},
            {"seconds", result.seconds},
            {"relative_error", result.relativeError},
            {"peak_bytes", result.peakBytes}};
}

}  // namespace cospadi::cli
