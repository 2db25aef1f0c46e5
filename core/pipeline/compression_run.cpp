#include "core/pipeline/compression_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/calibration/calibration.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/model/model.h"
#include "core/pipeline/allocation.h"
#include "core/pipeline/compressed_model.h"
#include "core/pipeline/json_file.h"
#include "core/pipeline/matrix_file.h"
#include "core/pipeline/run_writer.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

constexpr int kUsagePoints = 64;
constexpr std::int64_t kProbeSequences = 2;  // of text, to measure what errors cost
constexpr std::int64_t kProbeLength = 256;

// What a matrix costs, up to a factor: products of (d1, k) and (k, d2) with k ∝ d1 d2 / (d1 + d2).
double work(const LayerInfo& layer) {
    const auto d1 = static_cast<double>(layer.d1);
    const auto d2 = static_cast<double>(layer.d2);
    return d1 * d2 * (d1 * d2 / (d1 + d2));
}

class CompressionRun {
  public:
    CompressionRun(const RunSpecification& specification, const std::filesystem::path& directory,
                   const RunExecution& execution, std::stop_token stop)
        : m_specification(specification),
          m_execution(execution),
          m_stop(std::move(stop)),
          m_writer(directory, specification) {}

    RunSummary run() {
        if (m_writer.hasResult()) {
            return summaryOf(m_writer.result(), Termination::Converged);
        }
        try {
            return runToTheEnd();
        } catch (const std::exception& error) {
            // The event may itself fail to be written: the first error is what counts.
            try {
                finish("failed", error.what());
            } catch (const std::exception&) {
            }
            throw;
        }
    }

  private:
    RunSummary runToTheEnd() {
        tell(Progress{"model", 0, 1, 0, -1});
        Model model = loadModelOrRun(m_specification.model);
        const bool dense = m_specification.method == name(Method::Dense);
        if (!dense) {
            m_layers = selectLayers(model.layers(), m_specification.layers);
        }
        collectFinished();
        tell({{"event", "run_started"},
              {"matrices", m_layers.size()},
              {"finished", m_records.size()},
              {"directory", m_writer.directory().string()}});
        if (!calibrateIfNeeded(model)) {
            return cancelled();
        }
        if (!allocateIfNeeded(model)) {
            return cancelled();
        }
        compressMissing(model);
        if (m_stop.stop_requested()) {
            return cancelled();
        }
        const nlohmann::json result = resultRecord(m_compression.seconds());
        if (m_execution.writeModel && !dense) {
            writeCompressedModel(m_writer.directory(), model);
        }
        m_writer.writeResult(result);
        finish("finished", "");
        return summaryOf(result, Termination::Converged);
    }

    void collectFinished() {
        for (const LayerInfo& layer : m_layers) {
            if (const auto record = m_writer.finishedMatrix(layer.name)) {
                m_records[layer.name] = *record;
                m_earlierSeconds += record->seconds;
            } else {
                m_missing.push_back(layer);
            }
        }
    }

    bool calibrateIfNeeded(const Model& model) {
        if (!needsCalibration(methodFromName(m_specification.method)) || m_missing.empty()) {
            return true;
        }
        CalibrationOptions options;
        options.text = m_specification.calibration.text;
        options.sequences = m_specification.calibration.sequences;
        options.length = m_specification.calibration.length;
        options.seed = m_specification.calibration.seed;
        ThreadPool pool(m_execution.threads);
        m_grams = calibrate(
            model, pool, options, [this](const Progress& p) { tell(p); }, m_stop);
        return m_grams.has_value();
    }

    // The ratios are a part of the run: what is already on disk was compressed with them.
    bool allocateIfNeeded(Model& model) {
        if (m_specification.allocation != "knapsack" || m_missing.empty()) {
            return true;
        }
        const std::filesystem::path file = m_writer.directory() / "allocation.json";
        if (!std::filesystem::exists(file)) {
            AllocationOptions options;
            options.matrix = matrixOptionsOf(m_specification);
            CalibrationOptions text;
            text.text = m_specification.calibration.text;
            text.sequences = kProbeSequences;
            text.length = kProbeLength;
            text.seed = m_specification.calibration.seed + 1;
            const std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), text);
            ThreadPool pool(m_execution.threads);
            const auto ratios = allocateRatios(
                model, pool, m_grams ? &*m_grams : nullptr, m_layers, ids, kProbeLength, options,
                [this](const Progress& p) { tell(p); }, m_stop);
            if (!ratios) {
                return false;
            }
            nlohmann::json record = nlohmann::json::object();
            for (const auto& [layer, ratio] : *ratios) {
                record[layer] = {{"cr", ratio.cr},
                                 {"sensitivity", ratio.sensitivity},
                                 {"predicted_error", ratio.predictedError}};
            }
            writeFileAtomically(file, record.dump(1) + "\n");
        }
        const nlohmann::json record = readJsonFile(file, "delete it; the run makes it again");
        for (const LayerInfo& layer : m_layers) {
            m_ratios[layer.name] = record.at(layer.name).at("cr").get<double>();
        }
        return true;
    }

    void compressMissing(const Model& model) {
        const int cores =
            m_execution.threads > 0 ? m_execution.threads : ThreadPool::availableCores();
        const int jobs = std::max(1, std::min<int>(cores, static_cast<int>(m_missing.size())));
        m_compression = Stopwatch();
        m_totalWork = 0;
        for (const LayerInfo& layer : m_missing) {
            m_totalWork += work(layer);
        }
        std::atomic<std::size_t> next{0};
        std::exception_ptr failure;
        std::mutex failureMutex;
        std::atomic<bool> failed{false};
        {
            std::vector<std::jthread> workers;
            for (int job = 0; job < jobs; ++job) {
                workers.emplace_back([&, job] {
                    CpuBackend backend(cores / jobs + (job < cores % jobs ? 1 : 0));
                    for (std::size_t i = next++; i < m_missing.size() && !failed; i = next++) {
                        try {
                            if (!compressOne(backend, model, m_missing[i])) {
                                return;
                            }
                        } catch (...) {
                            const std::scoped_lock lock(failureMutex);
                            failed = true;
                            failure = failure ? failure : std::current_exception();
                        }
                    }
                });
            }
        }
        if (failure) {
            std::rethrow_exception(failure);
        }
    }

    // False when cancelled.
    bool compressOne(CpuBackend& backend, const Model& model, const LayerInfo& layer) {
        if (m_execution.gate != nullptr) {
            m_execution.gate->wait(m_stop);
        }
        if (m_stop.stop_requested()) {
            return false;
        }
        const Stopwatch clock;
        MatrixOptions options = matrixOptionsOf(m_specification);
        if (const auto ratio = m_ratios.find(layer.name); ratio != m_ratios.end()) {
            options.cr = ratio->second;
        }
        std::optional<Whitening> whitening;
        if (m_grams) {
            whitening.emplace(m_grams->gram(layer.gramKey), layer.name);
        }
        tellStarted(layer, options);
        if (whitening && whitening->shift() > 0) {
            tell(
                {{"event", "warning"},
                 {"matrix", layer.name},
                 {"message", fmt::format("Gram not positive definite: {:.3g} added to its diagonal",
                                         whitening->shift())}});
        }
        CompressedMatrix compressed;
        try {
            compressed = compressMatrix(
                backend, model.weight(layer.name), whitening ? &*whitening : nullptr, options,
                [&](const IterationSummary& s) { tellIteration(layer.name, s); }, m_stop);
        } catch (const Error& error) {
            throw Error(error.problem(), layer.name + ", " + error.where(), error.hint());
        }
        if (compressed.termination == Termination::Cancelled) {
            return false;
        }
        MatrixRecord record;
        record.name = layer.name;
        record.kind = layer.kind;
        record.block = static_cast<int>(layer.block);
        record.d1 = layer.d1;
        record.d2 = layer.d2;
        record.k = compressed.k;
        record.s = compressed.s;
        record.side = compressed.side;
        record.rank = compressed.rank;
        record.denseBytes = 2 * layer.d1 * layer.d2;
        record.relativeError = compressed.relativeError;
        record.gramShift = whitening ? whitening->shift() : 0;
        record.replacedAtoms = compressed.replacedAtoms;
        record.iterations = compressed.iterations;
        record.seconds = clock.seconds();
        m_writer.writeMatrix(compressed.factors, record);
        tellFinished(layer, record);
        return true;
    }

    nlohmann::json resultRecord(double seconds) const {
        nlohmann::json matrices = nlohmann::json::array();
        std::int64_t bytes = 0;
        std::int64_t denseBytes = 0;
        double errors = 0;
        for (const LayerInfo& layer : m_layers) {
            const MatrixRecord& record = m_records.at(layer.name);
            matrices.push_back(toJson(record));
            bytes += record.bytes;
            denseBytes += record.denseBytes;
            errors += record.relativeError;
        }
        const auto count = static_cast<double>(std::max<std::size_t>(1, m_layers.size()));
        const int cores =
            m_execution.threads > 0 ? m_execution.threads : ThreadPool::availableCores();
        return {{"status", "finished"},
                {"seconds", seconds + m_earlierSeconds / cores},
                {"calibration_seconds", m_grams ? m_grams->seconds : 0.0},
                {"bytes", bytes},
                {"dense_bytes", denseBytes},
                {"relative_error", errors / count},
                {"matrices", matrices}};
    }

    RunSummary summaryOf(const nlohmann::json& result, Termination termination) const {
        RunSummary summary;
        summary.id = m_writer.id();
        summary.directory = m_writer.directory();
        summary.termination = termination;
        summary.matrices = static_cast<std::int64_t>(result.at("matrices").size());
        summary.bytes = result.at("bytes").get<std::int64_t>();
        summary.denseBytes = result.at("dense_bytes").get<std::int64_t>();
        summary.relativeError = result.at("relative_error").get<double>();
        summary.seconds = result.at("seconds").get<double>();
        return summary;
    }

    RunSummary cancelled() {
        finish("cancelled", "");
        RunSummary summary;
        summary.id = m_writer.id();
        summary.directory = m_writer.directory();
        summary.termination = Termination::Cancelled;
        summary.matrices = static_cast<std::int64_t>(m_records.size());
        return summary;
    }

    // ---- events

    void finish(const std::string& status, const std::string& message) {
        tell({{"event", "run_finished"},
              {"status", status},
              {"message", message},
              {"seconds", m_clock.seconds()}});
    }

    void tell(nlohmann::json event) {
        const std::scoped_lock lock(m_eventMutex);
        event["t"] = std::round(m_clock.seconds() * 1e4) / 1e4;
        if (event["event"] != "progress") {
            m_writer.appendEvent(event);
        }
        if (m_execution.onEvent) {
            event["run"] = m_writer.id();
            m_execution.onEvent(event);
        }
    }

    void tell(const Progress& p) { tell(progressEvent(p)); }

    void tellStarted(const LayerInfo& layer, const MatrixOptions& options) {
        nlohmann::json event{{"event", "matrix_started"},
                             {"matrix", layer.name},
                             {"d1", layer.d1},
                             {"d2", layer.d2}};
        if (isSparse(options.method)) {
            const SparseBudget budget = sparseBudgetOf(options, layer.d1, layer.d2);
            event["k"] = budget.k;
            event["s"] = budget.s;
        } else {
            event["rank"] = lowRankBudget(layer.d1, layer.d2, options.cr).rank;
        }
        tell(std::move(event));
    }

    void tellIteration(const std::string& matrix, const IterationSummary& s) {
        tell({{"event", "iteration"},
              {"matrix", matrix},
              {"phase", s.phase},
              {"iteration", s.iteration},
              {"relative_error", s.relativeError},
              {"dead_atoms", s.deadAtoms},
              {"support_changes", s.supportChanges},
              {"usage_entropy", usageEntropy(s.atomUsage)},
              {"usage", usageQuantiles(s.atomUsage, kUsagePoints)},
              {"seconds", s.seconds}});
        if (m_execution.gate != nullptr && m_execution.gate->paused()) {
            m_execution.gate->wait(m_stop);
        }
    }

    void tellFinished(const LayerInfo& layer, const MatrixRecord& record) {
        tell({{"event", "matrix_finished"},
              {"matrix", record.name},
              {"relative_error", record.relativeError},
              {"bytes", record.bytes},
              {"dense_bytes", record.denseBytes},
              {"seconds", record.seconds}});
        Progress progress;
        {
            const std::scoped_lock lock(m_eventMutex);
            m_records[record.name] = record;
            m_doneWork += work(layer);
            progress.stage = "compress";
            progress.done = static_cast<std::int64_t>(m_records.size());
            progress.total = static_cast<std::int64_t>(m_layers.size());
            progress.seconds = m_compression.seconds();
            progress.etaSeconds = progress.seconds * (m_totalWork - m_doneWork) / m_doneWork;
        }
        tell(progress);
    }

    RunSpecification m_specification;
    const RunExecution& m_execution;
    std::stop_token m_stop;
    RunWriter m_writer;
    std::vector<LayerInfo> m_layers;
    std::vector<LayerInfo> m_missing;
    std::map<std::string, MatrixRecord> m_records;
    std::optional<GramSet> m_grams;
    std::map<std::string, double> m_ratios;  // by layer; empty: the specification's for all
    double m_earlierSeconds = 0;
    double m_totalWork = 0;
    double m_doneWork = 0;
    Stopwatch m_clock;
    Stopwatch m_compression;
    std::mutex m_eventMutex;
};

}  // namespace

RunSummary executeRun(const RunSpecification& specification, const std::filesystem::path& directory,
                      const RunExecution& execution, const std::stop_token& stop) {
    const RunSpecification full = resolved(specification);
    const std::filesystem::path place =
        directory.empty() ? runsDirectory() / newRunId(full) : directory;
    return CompressionRun(full, place, execution, stop).run();
}

}  // namespace cospadi
