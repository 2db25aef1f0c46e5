#include "core/run/compression_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/allocation/allocation.h"
#include "core/base/error.h"
#include "core/base/program_revision.h"
#include "core/base/stopwatch.h"
#include "core/calibration/calibration.h"
#include "core/exports/compressed_model.h"
#include "core/forms/matrix_file.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "core/model/device_products.h"
#include "core/model/model.h"
#include "core/run/earlier_work.h"
#include "core/run/outlying_errors.h"
#include "core/run/propagated_compression.h"
#include "core/run/run_reporter.h"
#include "core/run/run_writer.h"
#include "core/run/smaller_runs.h"
#include "core/run/work_clock.h"
#include "core/store/json_field.h"
#include "core/store/run_directory.h"
#include "core/store/run_file.h"
#include "core/store/source_bytes.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

constexpr std::int64_t kProbeSequences = 4;  // of text, to measure what errors cost
constexpr std::int64_t kProbeLength = 256;
constexpr double kRoundingWarning = 2;     // times the error before it
constexpr double kRoundingMatters = 0.02;  // relative error from which on a model feels it

// What a matrix costs, up to a factor: products of (d1, k) and (k, d2) with k ∝ d1 d2 / (d1 + d2).
double work(const LayerInfo& layer) {
    const auto d1 = static_cast<double>(layer.d1);
    const auto d2 = static_cast<double>(layer.d2);
    return d1 * d2 * (d1 * d2 / (d1 + d2));
}

MatrixRecord recordOf(const LayerInfo& layer, const CompressedMatrix& compressed) {
    MatrixRecord record;
    record.name = layer.name;
    record.kind = layer.kind;
    record.block = static_cast<int>(layer.block);
    record.d1 = layer.d1;
    record.d2 = layer.d2;
    record.denseBytes = 2 * layer.d1 * layer.d2;
    record.sourceType = layer.storedDtype;
    record.sourceBytes = layer.storedBytes;
    record.relativeError = compressed.relativeError;
    record.replacedAtoms = compressed.replacedAtoms;
    record.iterations = compressed.iterations;
    return record;
}

class CompressionRun {
  public:
    CompressionRun(const RunSpecification& specification, const std::filesystem::path& directory,
                   const RunExecution& execution, std::stop_token stop)
        : m_specification(specification),
          m_execution(execution),
          m_stop(std::move(stop)),
          m_writer(directory, specification, execution.device.description),
          m_report(m_writer, execution.onEvent, execution.gate),
          m_compression(execution.gate) {
        if (execution.onOpened) {
            execution.onOpened();
        }
    }

    RunSummary run() {
        try {
            if (m_writer.hasResult()) {
                const std::optional<RunSummary> summary = wholeRun(m_writer.directory());
                if (summary && (summary->modelBytes > 0 || !asksForModel())) {
                    return *summary;
                }
                if (!summary) {  // until it is mended, the run is not finished
                    m_mends = true;
                    m_writer.removeResult();
                }
            }
            return runToTheEnd();
        } catch (const std::exception& error) {
            // The event may itself fail to be written: the first error is what counts.
            try {
                m_report.runFinished("failed", error.what());
            } catch (const std::exception&) {
            }
            throw;
        }
    }

  private:
    RunSummary runToTheEnd() {
        m_report.progress({"model", 0, 1, 0, -1});
        Model model = loadModelOrRun(m_specification.model);
        const bool dense = isDense(m_specification);
        if (!dense) {
            m_layers = selectLayers(model.layers(), m_specification.layers);
        }
        collectFinished();
        m_report.runStarted(m_layers.size(), m_records.size(), m_execution.device.description);
        for (const LayerInfo& layer : m_missing) {
            if (m_mends) {
                m_report.warning(layer.name, "its file is missing or damaged; it is made again");
            }
        }
        warnOfOtherRevisions();
        if (!m_execution.device.reason.empty()) {
            m_report.warning("", "computes on the CPU: " + m_execution.device.reason);
        }
        if (!calibrateIfNeeded(model)) {
            return cancelled();
        }
        if (!allocateIfNeeded(model)) {
            return cancelled();
        }
        if (!compressMissing(model)) {
            return cancelled();
        }
        tellOfOutlyingErrors();
        const nlohmann::json result = resultRecord();
        const bool partial = m_layers.size() < model.layers().size();
        const bool wanted = m_execution.writeModel && (!partial || m_execution.partialModel);
        // One that is there shares its files with what was damaged.
        const bool stale = m_mends && isCompressedFolder(m_writer.directory() / "model");
        if (!dense && (wanted || stale)) {
            writeCompressedModel(m_writer.directory(), model);
        }
        m_writer.writeResult(result);
        const RunSummary summary = summaryOfRun(m_writer.directory());
        if (const std::string larger =
                largerThanSource(summary.bytes, summary.sourceType, summary.sourceBytes);
            !larger.empty()) {
            m_report.warning("", larger);
        }
        m_report.runFinished("finished", "");
        return summary;
    }

    bool asksForModel() const {
        return m_execution.writeModel && m_execution.partialModel && !isDense(m_specification);
    }

    void collectFinished() {
        m_earlier = readEarlierWork(m_writer.directory() / "events.jsonl");
        for (const LayerInfo& layer : m_layers) {
            if (const auto record = m_writer.finishedMatrix(layer.name)) {
                m_records[layer.name] = *record;
            } else {
                m_missing.push_back(layer);
            }
        }
    }

    // Another version of the program may compute other bits.
    void warnOfOtherRevisions() {
        std::map<std::string, std::int64_t> others;
        for (const auto& [name, record] : m_records) {
            if (!record.revision.empty() && record.revision != programRevision()) {
                ++others[record.revision];
            }
        }
        for (const auto& [revision, count] : others) {
            if (!m_missing.empty()) {
                m_report.warning(
                    "", fmt::format("{} of {} matrices were made by revision {} of the program, "
                                    "the rest by {}: start anew where they must agree bit by bit",
                                    count, m_layers.size(), revision, programRevision()));
            }
        }
    }

    bool calibrateIfNeeded(const Model& model) {
        const bool used = !propagates() || m_specification.allocation == "knapsack";
        if (!isCalibrated(m_specification) || m_missing.empty() || !used) {
            return true;
        }
        const CalibrationOptions options = calibrationOptionsOf(m_specification);
        ThreadPool pool(m_execution.threads);
        const auto products = productsOnDevice(pool);
        const WorkClock clock(m_execution.gate);
        m_grams = calibrate(
            model, pool, options, [this](const Progress& p) { stageProgress(p); }, m_stop,
            products.get());
        m_calibrationSeconds = clock.seconds();
        return m_grams.has_value();
    }

    // Of calibration, on the run's device; null on the CPU.
    std::unique_ptr<DeviceProducts> productsOnDevice(const ThreadPool& pool) {
        if (m_deviceFailed) {
            return nullptr;
        }
        return productsOn(m_execution.device, pool.threadCount(), [this](const DeviceError& error) {
            m_report.warning("", error.problem() + "; calibration and the rest go on on the CPU");
            m_deviceFailed = true;
        });
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
            CalibrationOptions text = calibrationOptionsOf(m_specification);
            text.sequences = kProbeSequences;
            text.length = kProbeLength;
            text.seed += 1;
            const std::vector<std::int32_t> ids = sampleSequences(model.tokenizer(), text);
            ThreadPool pool(m_execution.threads);
            const WorkClock clock(m_execution.gate);
            const auto allocated = allocateRatios(
                model, pool, m_grams ? &*m_grams : nullptr, m_layers, ids, kProbeLength, options,
                [this](const Progress& p) { stageProgress(p); }, m_stop);
            if (!allocated) {
                return false;
            }
            m_allocationSeconds = clock.seconds();
            nlohmann::json record = nlohmann::json::object();
            for (const auto& [layer, ratio] : allocated->ratios) {
                record[layer] = {{"cr", ratio.cr},
                                 {"predicted_error", ratio.predictedError},
                                 {"predicted_divergence", ratio.predictedDivergence}};
            }
            record["model"] = {{"share", allocated->share},
                               {"predicted_divergence", allocated->predictedDivergence},
                               {"divergence", allocated->divergence},
                               {"uniform_divergence", allocated->uniformDivergence}};
            tellOf(*allocated);
            writeFileAtomically(file, record.dump(1) + "\n");
            m_report.allocationFinished(m_layers.size(), m_allocationSeconds);
        }
        const char* hint = "delete it; the run makes it again";
        const nlohmann::json record = readRunJson(file, hint);
        for (const LayerInfo& layer : m_layers) {
            m_ratios[layer.name] =
                fieldOf<double>(fieldOf(record, layer.name.c_str(), file, hint), "cr", file, hint);
        }
        return true;
    }

    void tellOfOutlyingErrors() {
        std::vector<MatrixRecord> records;
        for (const auto& [name, record] : m_records) {
            records.push_back(record);
        }
        for (const OutlyingError& outlying : outlyingErrors(records)) {
            m_report.warning(
                outlying.matrix,
                fmt::format(
                    "its error, {:.4f}, is {:.0f} times the median of its kind; compress it at "
                    "a smaller ratio (`allocation` knapsack does), or leave it out",
                    outlying.error, outlying.error / outlying.median));
        }
        for (const BeatenMatrix& beaten :
             beatenBySmallerRuns(m_specification, records, m_writer.directory().parent_path())) {
            m_report.warning(
                beaten.matrix,
                fmt::format("its error, {:.4f}, is above the {:.4f} that {} left in fewer bytes; "
                            "compress it at that run's ratio",
                            beaten.error, beaten.otherError, beaten.otherRun));
        }
    }

    void tellOf(const AllocationResult& allocated) {
        if (allocated.share == 1) {
            return;
        }
        m_report.warning(
            "",
            fmt::format("the ratios that were predicted to be best made the model diverge further "
                        "than the uniform one ({:.4f} nats a token); {}",
                        allocated.uniformDivergence,
                        allocated.share > 0
                            ? fmt::format("{:.0f} % of the way to them is used ({:.4f})",
                                          100 * allocated.share, allocated.divergence)
                            : "the uniform one is used"));
    }

    bool propagates() const { return m_specification.propagation != "off"; }

    // False when cancelled.
    bool compressMissing(Model& model) {
        m_compression = WorkClock(m_execution.gate);
        for (const LayerInfo& layer : m_missing) {
            m_totalWork += work(layer);
        }
        if (!propagates()) {
            return compress(m_missing, [&](const LayerInfo& layer, Backend& backend) {
                LayerProblem problem{model.weight(layer.name), std::nullopt, std::nullopt};
                if (m_grams) {
                    problem.whitening.emplace(m_grams->gram(layer.gramKey), layer.name, backend);
                }
                return problem;
            });
        }
        PropagationSteps steps;
        steps.finished = [this](const LayerInfo& layer) { return m_records.contains(layer.name); };
        steps.compress = [this](const std::vector<LayerInfo>& layers,
                                const LayerProblemSource& source) {
            return compress(layers, source);
        };
        steps.stored = [this](const LayerInfo& layer) {
            const StoredMatrix stored = m_writer.readMatrix(layer.name);
            return stored.weight->makeLayer(stored.record.bytes);
        };
        ThreadPool pool(m_execution.threads);
        const auto products = productsOnDevice(pool);
        return compressAlongForwardPass(
            model, pool, m_layers, calibrationOptionsOf(m_specification),
            m_specification.propagation == "target", steps, m_stop, products.get());
    }

    // Several layers at once: as many as there are cores, or as the device takes. False when
    // cancelled.
    bool compress(const std::vector<LayerInfo>& layers, const LayerProblemSource& source) {
        const int cores =
            m_execution.threads > 0 ? m_execution.threads : ThreadPool::availableCores();
        const int atOnce = m_execution.device.open ? m_execution.device.matricesAtOnce : cores;
        const int jobs = std::max(1, std::min<int>(atOnce, static_cast<int>(layers.size())));
        std::atomic<std::size_t> next{0};
        std::exception_ptr failure;
        std::mutex failureMutex;
        std::atomic<bool> failed{false};
        {
            std::vector<std::jthread> workers;
            for (int job = 0; job < jobs; ++job) {
                workers.emplace_back([&, job] {
                    Worker worker;
                    worker.threads = std::max(1, cores / jobs + (job < cores % jobs ? 1 : 0));
                    for (std::size_t i = next++; i < layers.size() && !failed; i = next++) {
                        try {
                            if (!compressWhereItCan(worker, layers[i], source)) {
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
        return !m_stop.stop_requested();
    }

    // A thread's backends, opened when first needed.
    struct Worker {
        int threads = 1;
        std::unique_ptr<Backend> onDevice;
        std::unique_ptr<Backend> onCpu;
    };

    // Once the device has failed and the CPU may take over, it does for all matrices that are left.
    // False when cancelled.
    bool compressWhereItCan(Worker& worker, const LayerInfo& layer,
                            const LayerProblemSource& source) {
        const ComputeDevice& device = m_execution.device;
        if (device.open && !m_deviceFailed) {
            try {
                if (!worker.onDevice) {
                    worker.onDevice = device.open(worker.threads);
                }
                return compressOne(*worker.onDevice, worker.threads, layer, source);
            } catch (const DeviceError& error) {
                if (!device.cpuMayTakeOver) {
                    throw;
                }
                m_report.warning(layer.name,
                                 error.problem() + "; this matrix and the rest go on on the CPU");
                m_deviceFailed = true;
            }
        }
        if (!worker.onCpu) {
            worker.onCpu = std::make_unique<CpuBackend>(worker.threads);
        }
        return compressOne(*worker.onCpu, worker.threads, layer, source);
    }

    // cores: that the backend has. False when cancelled.
    bool compressOne(Backend& backend, int cores, const LayerInfo& layer,
                     const LayerProblemSource& source) {
        passGate();
        if (m_stop.stop_requested()) {
            return false;
        }
        // Not a WorkClock: after "pause" this matrix still finishes its iteration.
        const Stopwatch clock;
        double waited = 0;
        MatrixOptions options = matrixOptionsOf(m_specification);
        if (const auto ratio = m_ratios.find(layer.name); ratio != m_ratios.end()) {
            options.cr = ratio->second;
        }
        const LayerProblem problem = problemOf(backend, layer, source);
        const Whitening* whitening = problem.whitening ? &*problem.whitening : nullptr;
        if (whitening != nullptr && whitening->shift() > 0) {
            m_report.warning(layer.name,
                             fmt::format("Gram not positive definite: {:.3g} added to its diagonal",
                                         whitening->shift()));
        } else if (whitening != nullptr &&
                   whitening->pivotRatio() < Whitening::kSmallestPivotRatio) {
            m_report.warning(
                layer.name, fmt::format("inputs are nearly dependent (pivots of the Gram differ by "
                                        "{:.1g}); more calibration text would tell them apart",
                                        whitening->pivotRatio()));
        }
        CompressedMatrix compressed;
        try {
            m_report.matrixStarted(layer, options);
            compressed = compressMatrix(
                backend, problem.target ? *problem.target : problem.weight, whitening, options,
                [&](const IterationSummary& summary) {
                    m_report.iteration(layer.name, summary);
                    waited += passGate();
                },
                m_stop);
        } catch (const DeviceError& error) {
            throw inLayer(error, layer);
        } catch (const Error& error) {
            throw Error(error.problem(), layer.name + ", " + error.where(), error.hint());
        }
        if (compressed.termination == Termination::Cancelled) {
            return false;
        }
        if (compressed.solvedError > 0 && options.ridge == 0 &&
            compressed.relativeError > kRoundingWarning * compressed.solvedError &&
            compressed.relativeError > kRoundingMatters) {
            m_report.warning(
                layer.name, fmt::format("rounding to its storage form raised its error from {:.4f} "
                                        "to {:.4f}; more coefficient bits, or a smaller ρ, keep it",
                                        compressed.solvedError, compressed.relativeError));
        }
        MatrixRecord record = recordOf(layer, compressed);
        if (whitening != nullptr) {
            record.gramShift = whitening->shift();
            record.pivotRatio = whitening->pivotRatio();
        }
        if (problem.target) {
            record.targetError = compressed.relativeError;
            record.relativeError =
                storedError(backend, problem.weight, whitening, *compressed.weight);
        }
        record.seconds = clock.seconds() - waited;
        record.coreSeconds = record.seconds * cores;
        m_writer.writeMatrix(*compressed.weight, record);
        if (!m_writer.readMatrix(layer.name).weight->equals(*compressed.weight)) {
            throw Error("its file does not give back the weight that was measured", layer.name,
                        "check the disk; if it is sound, report this as a defect");
        }
        m_report.matrixFinished(record);
        m_report.progress(finished(layer, record));
        return true;
    }

    static LayerProblem problemOf(Backend& backend, const LayerInfo& layer,
                                  const LayerProblemSource& source) {
        try {
            return source(layer, backend);
        } catch (const DeviceError& error) {
            throw inLayer(error, layer);
        }
    }

    static DeviceError inLayer(const DeviceError& error, const LayerInfo& layer) {
        return {error.problem(), layer.name + ", " + error.where(), error.hint()};
    }

    // Seconds spent waiting.
    double passGate() const {
        if (m_execution.gate == nullptr || !m_execution.gate->paused()) {
            return 0;
        }
        const Stopwatch clock;
        m_execution.gate->wait(m_stop);
        return clock.seconds();
    }

    // Of what comes before the matrices; it can be paused wherever it tells how far it is.
    void stageProgress(const Progress& progress) {
        m_report.progress(progress);
        passGate();
    }

    Progress finished(const LayerInfo& layer, const MatrixRecord& record) {
        const std::scoped_lock lock(m_mutex);
        m_records[record.name] = record;
        m_doneWork += work(layer);
        Progress progress;
        progress.stage = "compress";
        progress.done = static_cast<std::int64_t>(m_records.size());
        progress.total = static_cast<std::int64_t>(m_layers.size());
        progress.seconds = m_compression.seconds();
        progress.etaSeconds = progress.seconds * (m_totalWork - m_doneWork) / m_doneWork;
        return progress;
    }

    nlohmann::json resultRecord() const {
        nlohmann::json matrices = nlohmann::json::array();
        std::int64_t bytes = 0;
        std::int64_t denseBytes = 0;
        SourceBytes source;
        double errors = 0;
        double coreSeconds = 0;
        for (const LayerInfo& layer : m_layers) {
            const MatrixRecord& record = m_records.at(layer.name);
            matrices.push_back(toJson(record));
            bytes += record.bytes;
            denseBytes += record.denseBytes;
            source.add(record.sourceType, record.sourceBytes);
            errors += record.relativeError;
            coreSeconds += record.coreSeconds;
        }
        const auto count = static_cast<double>(std::max<std::size_t>(1, m_layers.size()));
        const double allocation = m_allocationSeconds + m_earlier.allocationSeconds;
        nlohmann::json result{
            {"status", "finished"},
            {"seconds", allocation + m_compression.seconds() + m_earlier.compressionSeconds},
            {"core_seconds", coreSeconds},
            {"allocation_seconds", allocation},
            {"calibration_seconds", m_calibrationSeconds},
            {"bytes", bytes},
            {"dense_bytes", denseBytes},
            {"relative_error", errors / count},
            {"matrices", matrices}};
        if (source.known()) {
            result["source_type"] = source.types();
            result["source_bytes"] = source.bytes();
        }
        return result;
    }

    RunSummary cancelled() {
        m_report.runFinished("cancelled", "");
        RunSummary summary;
        summary.id = m_writer.id();
        summary.directory = m_writer.directory();
        summary.termination = Termination::Cancelled;
        summary.matrices = static_cast<std::int64_t>(m_records.size());
        return summary;
    }

    RunSpecification m_specification;
    const RunExecution& m_execution;
    std::stop_token m_stop;
    RunWriter m_writer;
    RunReporter m_report;
    std::vector<LayerInfo> m_layers;
    std::vector<LayerInfo> m_missing;
    std::map<std::string, MatrixRecord> m_records;
    std::optional<GramSet> m_grams;
    std::map<std::string, double> m_ratios;  // by layer; empty: the specification's for all
    EarlierWork m_earlier;
    double m_calibrationSeconds = 0;
    double m_allocationSeconds = 0;  // of this start
    double m_totalWork = 0;
    double m_doneWork = 0;
    WorkClock m_compression;
    bool m_mends = false;  // a run that was finished and is damaged
    std::atomic<bool> m_deviceFailed{false};
    std::mutex m_mutex;  // of m_records and m_doneWork while matrices are in flight
};

}  // namespace

RunSummary executeRun(const RunSpecification& specification, const std::filesystem::path& directory,
                      const RunExecution& execution, const std::stop_token& stop) {
    const RunSpecification full = resolved(specification);
    if (directory.empty() || runIdIn(directory).empty()) {
        requireRunnable(full);
    }
    return CompressionRun(full, directory, execution, stop).run();
}

}  // namespace cospadi
