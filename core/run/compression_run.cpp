#include "core/run/compression_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/model/model.h"
#include "core/run/block_removal.h"
#include "core/run/cost_estimate.h"
#include "core/run/earlier_work.h"
#include "core/run/finished_matrices.h"
#include "core/run/layer_compression.h"
#include "core/run/layers_at_once.h"
#include "core/run/pausable_progress.h"
#include "core/run/preparation_phase.h"
#include "core/run/propagated_compression.h"
#include "core/run/record_warnings.h"
#include "core/run/refinement_phase.h"
#include "core/run/run_backends.h"
#include "core/run/run_ending.h"
#include "core/run/run_reporter.h"
#include "core/run/run_result.h"
#include "core/run/run_writer.h"
#include "core/run/solved_before.h"
#include "core/run/unit_problems.h"
#include "core/run/work_clock.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_directory.h"
#include "core/store/source_bytes.h"

namespace cospadi {

namespace {

constexpr std::size_t kMostNamed = 3;  // matrices of which each has a warning of its own

class CompressionRun {
  public:
    CompressionRun(const RunSpecification& specification, const std::filesystem::path& directory,
                   const RunExecution& execution, std::stop_token stop)
        : m_specification(specification),
          m_execution(execution),
          m_stop(std::move(stop)),
          m_writer(directory, specification, execution.device.description, execution.id),
          m_report(m_writer, execution.onEvent, execution.gate),
          m_backends(execution.device, execution.threads, warning()),
          m_compression(execution.gate) {
        if (execution.onOpened) {
            execution.onOpened();
        }
    }

    RunSummary run() {
        return tellingFailure(m_report, [this] {
            if (m_writer.hasResult()) {
                const std::optional<RunSummary> summary = wholeRun(m_writer.directory());
                if (summary) {
                    return summary->modelBytes > 0 || !asksForModel() ? *summary : addModel();
                }
                m_mends = true;  // its record stands until there is what replaces it
                m_hadMatrices = solvedMatrices(m_writer.directory()) > 0;
            }
            return runToTheEnd();
        });
    }

  private:
    // To a finished run, whose result stays as it is.
    RunSummary addModel() {
        m_report.progress({"model", 0, 1, 0, -1});
        writeCompressedModel(m_writer.directory(),
                             loadModelOrRun(m_specification.model, {.deferredAbove = 0}));
        return summaryOfRun(m_writer.directory());
    }

    RunSummary runToTheEnd() {
        m_report.progress({"model", 0, 1, 0, -1});
        Model model = loadModelOrRun(m_specification.model, {.deferredAbove = 0});
        const bool dense = isDense(m_specification);
        if (!dense) {
            m_layers = selectLayers(model.layers(), m_specification.layers);
            if (wantsModelOf(model)) {
                requireWritableModel(model);
            }
        }
        const bool refines = isRefined(m_specification);
        m_solved.emplace(refines ? solvedFolder(m_writer.directory()) : m_writer.matrices().path());
        if (refines) {
            takeSolvedBefore();
        }
        collectFinished();
        m_report.runStarted(m_layers.size(), m_finished.size(), m_execution.device.description,
                            isCalibrated(m_specification));
        if (m_solvedBefore) {
            m_report.solvedBefore(m_solvedBefore->run, m_solvedBefore->seconds);
            m_earlier.solvedBefore[m_solvedBefore->run] = m_solvedBefore->seconds;
        }
        if (m_mends) {
            warnOfMending(refines);
        }
        if (!m_missing.empty()) {
            warnOfOtherRevisions(m_finished.records(m_layers), m_layers.size(), warning());
        }
        if (!m_execution.device.reason.empty()) {
            m_report.warning("", "computing on the CPU: " + m_execution.device.reason);
        }
        if (!prepare(model) || !compressMissing(model)) {
            return cancelled();
        }
        if (m_mends) {
            m_writer.removeResult();  // of other matrices from here on
        }
        const double compressionSeconds = m_compression.seconds();
        std::vector<MatrixRecord> done = m_finished.records(m_layers);
        double refinementSeconds = 0;
        if (refines) {
            m_prepared.text.grams.reset();
            m_prepared.text.outputGrams.reset();
            RefinementPhase phase(m_specification, model, *m_solved, done, m_writer, m_report,
                                  {m_execution.threads, m_execution.gate}, m_stop);
            const auto refined = phase.run();
            if (!refined) {
                return cancelled();
            }
            done = *refined;
            refinementSeconds = phase.seconds();
        }
        warnOfErrors(m_specification, done, m_writer.directory().parent_path(), warning());
        const nlohmann::json result =
            resultRecord(done, {compressionSeconds + m_earlier.solving(),
                                m_prepared.seconds + m_earlier.allocationSeconds, refinementSeconds,
                                m_prepared.text.seconds});
        // One that is there may share files with what was damaged, also before an earlier start.
        const bool stale = isCompressedFolder(m_writer.directory() / "model");
        if (!dense && (wantsModelOf(model) || stale)) {
            writeCompressedModel(m_writer.directory(), model);
        }
        m_writer.writeResult(result);
        if (refines) {
            RefinementPhase::removeState(m_writer.directory());
            std::filesystem::remove_all(m_solved->path());
        }
        RunSummary summary = summaryOfRun(m_writer.directory());
        if (const std::string larger =
                largerThanSource(summary.bytes, summary.sourceType, summary.sourceBytes);
            !larger.empty()) {
            m_report.warning("", larger);
        }
        m_report.runFinished("finished", "");
        return summary;
    }

    // A model folder of m_layers: of all layers, or of some where that is asked for.
    bool wantsModelOf(const Model& model) const {
        return m_execution.writeModel &&
               (m_execution.partialModel || m_layers.size() == model.layers().size());
    }

    bool asksForModel() const {
        return m_execution.writeModel && m_execution.partialModel && !isDense(m_specification);
    }

    void takeSolvedBefore() {
        const std::filesystem::path& own = m_writer.directory();
        if (!std::filesystem::is_empty(m_solved->path())) {
            return;
        }
        const std::filesystem::path from = m_execution.solved.empty()
                                               ? solvedBefore(m_specification, own.parent_path())
                                               : m_execution.solved;
        if (!from.empty()) {
            m_solvedBefore = takeSolved(from, *m_solved, m_writer);
        }
    }

    void warnOfMending(bool refines) {
        if (!m_hadMatrices) {
            m_report.warning("",
                             "the run has a result but no matrices, as imported records do; they "
                             "are compressed again, and then replace its result");
            return;
        }
        if (refines) {
            m_report.warning("",
                             "files of its matrices are missing or damaged; all are made again, as "
                             "their factors were refined together");
            return;
        }
        if (m_missing.size() > kMostNamed) {
            m_report.warning("", fmt::format("files of {} matrices are missing or damaged; they "
                                             "are made again",
                                             m_missing.size()));
            return;
        }
        for (const LayerInfo& layer : m_missing) {
            m_report.warning(layer.name, "its file is missing or damaged; it is made again");
        }
    }

    void collectFinished() {
        m_earlier = readEarlierWork(m_writer.directory() / "events.jsonl");
        for (const LayerInfo& layer : m_layers) {
            if (const auto record = m_solved->finished(layer.name)) {
                m_finished.take(*record);
            } else {
                m_missing.push_back(layer);
            }
        }
    }

    // False when cancelled.
    bool prepare(Model& model) {
        m_prepared.units = m_specification;
        if (m_missing.empty()) {
            return true;
        }
        auto prepared = prepareRun({m_specification, m_writer.directory(), model, m_layers,
                                    m_backends, m_report, m_execution.threads, m_execution.gate},
                                   m_stop);
        if (prepared) {
            m_prepared = *std::move(prepared);
        }
        return prepared.has_value();
    }

    bool leavesBlocksOut() const { return methodOf(m_specification).asBlockMethod() != nullptr; }

    // False when cancelled.
    bool leaveBlocksOut(const Model& model, const std::vector<LayerUnit>& units) {
        const WorkClock clock(m_execution.gate);
        ThreadPool pool(m_execution.threads);
        const auto products = m_backends.products(pool);
        BlockRemoval removal(m_specification, model, m_writer.directory());
        if (!removal.prepare(m_missing, pool, products.get(),
                             pausableProgress(m_report, m_execution.gate, m_stop), m_stop)) {
            return false;
        }
        m_report.blocksLeftOut(removal.row());
        m_prepared.text.seconds = clock.seconds();
        m_compression = WorkClock(m_execution.gate);
        return compress(units, [&](const LayerUnit& unit, Backend&) { return removal.of(unit); });
    }

    bool propagates() const { return m_specification.propagation != PropagationKind::Off; }

    // False when cancelled.
    bool compressMissing(Model& model) {
        m_compression = WorkClock(m_execution.gate);
        const std::vector<LayerUnit> units = missingUnits();
        for (const LayerUnit& unit : units) {
            const MatrixOptions options = optionsOf(m_specification, m_prepared.allocation, unit);
            m_finished.expect(unit, solverWork(options, unit));
        }
        if (leavesBlocksOut()) {
            return units.empty() || leaveBlocksOut(model, units);
        }
        // Else each thread's device has its own factors.
        const bool onHost = !m_execution.device.open;
        if (!propagates()) {
            UnitProblems problems(model, m_prepared.text.gramsOrNull(), units, m_specification,
                                  onHost);
            return compress(units, [&](const LayerUnit& unit, Backend& backend) {
                return problems.of(unit, backend);
            });
        }
        PropagationSteps steps;
        steps.finished = [this](const LayerInfo& layer) { return m_finished.contains(layer.name); };
        steps.compress = [this](const std::vector<LayerInfo>& layers,
                                const LayerProblemSource& source) {
            return compress(unitsOf(withoutGroups(m_specification), layers), oneByOne(source));
        };
        steps.stored = [this](const LayerInfo& layer) {
            const StoredMatrix stored = m_solved->read(layer.name);
            return stored.weight->makeLayer(stored.record.bytes);
        };
        ThreadPool pool(m_execution.threads);
        const auto products = m_backends.products(pool);
        return compressAlongForwardPass(model, pool, m_layers,
                                        calibrationOptionsOf(m_specification),
                                        m_specification.propagation == PropagationKind::Target,
                                        onHost, steps, m_stop, products.get());
    }

    // False when cancelled.
    bool compress(const std::vector<LayerUnit>& units, const UnitProblemSource& source) {
        const auto reached = [this](const LayerUnit& unit, double share) {
            const std::scoped_lock lock(m_telling);
            const Progress progress =
                m_finished.reached(unit, share, m_compression.seconds(), m_layers.size());
            if (share > 0) {
                m_report.progress(progress);
            }
        };
        const LayerCompression compression(m_specification, m_prepared.allocation, *m_solved,
                                           m_report, reached, m_execution.gate, m_stop);
        const UnitProblemSource complete = m_prepared.complete(source);
        runLayersAtOnce(units.size(), m_backends, [&](std::size_t i, WorkerBackends& worker) {
            return m_backends.run(worker, units[i].id(), [&](Backend& backend) {
                const std::vector<MatrixRecord> records =
                    compression.compress(backend, worker.threads, units[i], complete);
                if (!records.empty()) {
                    const std::scoped_lock lock(m_telling);
                    m_report.progress(m_finished.add(units[i], records, m_compression.seconds(),
                                                     m_layers.size()));
                }
                return !records.empty();
            });
        });
        return !m_stop.stop_requested();
    }

    // Those of which a layer is missing; what such a unit's other layers have is made again.
    std::vector<LayerUnit> missingUnits() const {
        std::vector<LayerUnit> units = unitsOf(m_prepared.units, m_layers);
        std::erase_if(units, [&](const LayerUnit& unit) {
            return std::all_of(unit.layers.begin(), unit.layers.end(), [&](const LayerInfo& layer) {
                return m_finished.contains(layer.name);
            });
        });
        return units;
    }

    WarningCallback warning() {
        return [this](const std::string& matrix, const std::string& message) {
            m_report.warning(matrix, message);
        };
    }

    RunSummary cancelled() { return tellCancelled(m_report, m_writer, m_finished.size()); }

    RunSpecification m_specification;
    const RunExecution& m_execution;
    std::stop_token m_stop;
    RunWriter m_writer;
    std::optional<MatrixFolder> m_solved;  // what no refinement has moved; else as the writer's
    std::optional<SolvedBefore> m_solvedBefore;
    RunReporter m_report;
    RunBackends m_backends;
    std::vector<LayerInfo> m_layers;
    std::vector<LayerInfo> m_missing;
    FinishedMatrices m_finished;
    std::mutex m_telling;  // of what they come to, so that no message overtakes a later one
    RunPreparation m_prepared;
    EarlierWork m_earlier;
    WorkClock m_compression;
    bool m_mends = false;        // a run that was finished and is damaged …
    bool m_hadMatrices = false;  // … or came without matrices
};

}  // namespace

RunSummary executeRun(const RunSpecification& specification, const std::filesystem::path& directory,
                      const RunExecution& execution, const std::stop_token& stop) {
    const RunSpecification full = resolved(specification);
    if (full.derived) {
        throw Error(fmt::format("it cannot be solved, as it was derived from the run {}",
                                full.derived->from),
                    "derived",
                    fmt::format("use cospadi {}",
                                full.derived->isRequantized() ? "requantize" : "runs slice"));
    }
    if (directory.empty() || runIdIn(directory).empty()) {
        requireRunnable(full);
    }
    return CompressionRun(full, directory, execution, stop).run();
}

}  // namespace cospadi
