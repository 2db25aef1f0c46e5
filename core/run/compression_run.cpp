#include "core/run/compression_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/methods/output_metric.h"
#include "core/model/model.h"
#include "core/run/allocation_phase.h"
#include "core/run/block_removal.h"
#include "core/run/calibration_phase.h"
#include "core/run/cost_phase.h"
#include "core/run/earlier_work.h"
#include "core/run/finished_matrices.h"
#include "core/run/grouping_phase.h"
#include "core/run/layer_compression.h"
#include "core/run/layers_at_once.h"
#include "core/run/propagated_compression.h"
#include "core/run/record_warnings.h"
#include "core/run/refinement_phase.h"
#include "core/run/run_backends.h"
#include "core/run/run_ending.h"
#include "core/run/run_reporter.h"
#include "core/run/run_result.h"
#include "core/run/run_writer.h"
#include "core/run/solved_before.h"
#include "core/run/stored_allocation.h"
#include "core/run/unit_problems.h"
#include "core/run/work_clock.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_directory.h"
#include "core/store/source_bytes.h"

namespace cospadi {

namespace {

class CompressionRun {
  public:
    CompressionRun(const RunSpecification& specification, const std::filesystem::path& directory,
                   const RunExecution& execution, std::stop_token stop)
        : m_specification(specification),
          m_units(specification),
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
                if (summary && (summary->modelBytes > 0 || !asksForModel())) {
                    return *summary;
                }
                if (!summary) {  // until it is mended, the run is not finished
                    m_mends = true;
                    m_writer.removeResult();
                }
            }
            return runToTheEnd();
        });
    }

  private:
    RunSummary runToTheEnd() {
        m_report.progress({"model", 0, 1, 0, -1});
        Model model = loadModelOrRun(m_specification.model);
        const bool dense = isDense(m_specification);
        if (!dense) {
            m_layers = selectLayers(model.layers(), m_specification.layers);
        }
        const bool refines = isRefined(m_specification) && !m_writer.hasResult();
        m_solved.emplace(refines ? solvedFolder(m_writer.directory()) : m_writer.matrices().path());
        if (refines) {
            takeSolvedBefore();
        }
        collectFinished();
        m_report.runStarted(m_layers.size(), m_finished.size(), m_execution.device.description);
        if (m_solvedBefore) {
            m_report.solvedBefore(m_solvedBefore->run, m_solvedBefore->seconds);
            m_earlier.compressionSeconds += m_solvedBefore->seconds;
        }
        if (m_mends) {
            warnOfMending(refines);
        }
        if (!m_missing.empty()) {
            warnOfOtherRevisions(m_finished.records(m_layers), m_layers.size(), warning());
        }
        if (!m_execution.device.reason.empty()) {
            m_report.warning("", "computes on the CPU: " + m_execution.device.reason);
        }
        if (!measureTextIfNeeded(model) || !allocateIfNeeded(model) || !groupIfNeeded(model) ||
            !probeIfNeeded(model)) {
            return cancelled();
        }
        if (!compressMissing(model)) {
            return cancelled();
        }
        std::vector<MatrixRecord> done = m_finished.records(m_layers);
        double refinementSeconds = 0;
        if (refines) {
            m_text.grams.reset();
            m_text.outputGrams.reset();
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
            resultRecord(done, {m_compression.seconds() + m_earlier.compressionSeconds,
                                m_allocationSeconds + m_earlier.allocationSeconds,
                                refinementSeconds, m_text.seconds});
        const bool partial = m_layers.size() < model.layers().size();
        const bool wanted = m_execution.writeModel && (!partial || m_execution.partialModel);
        // One that is there shares its files with what was damaged.
        const bool stale = m_mends && isCompressedFolder(m_writer.directory() / "model");
        if (!dense && (wanted || stale)) {
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

    bool asksForModel() const {
        return m_execution.writeModel && m_execution.partialModel && !isDense(m_specification);
    }

    void takeSolvedBefore() {
        const std::filesystem::path& own = m_writer.directory();
        if (solvedMatrices(own) > 0) {
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
        if (refines) {
            m_report.warning("",
                             "files of its matrices are missing or damaged; as their factors "
                             "were refined together, all are made again");
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

    bool measureTextIfNeeded(const Model& model) {
        if (m_missing.empty()) {
            return true;
        }
        auto measured = measureText(
            m_specification, model, m_backends, m_execution.threads, m_execution.gate,
            [this](const Progress& p) { stageProgress(p); }, m_stop);
        if (!measured) {
            return false;
        }
        m_text = *std::move(measured);
        return true;
    }

    bool allocateIfNeeded(Model& model) {
        if (!isAllocated(m_specification) || m_missing.empty()) {
            return true;
        }
        const std::filesystem::path file = m_writer.directory() / "allocation.json";
        if (!std::filesystem::exists(file)) {
            const WorkClock clock(m_execution.gate);
            const std::optional<std::string> caution = chooseAllocation(
                {m_specification, model, m_layers, m_text.gramsOrNull(), m_text.outputGramsOrNull(),
                 m_execution.threads},
                file, [this](const Progress& p) { stageProgress(p); }, m_stop);
            if (!caution) {
                return false;
            }
            m_allocationSeconds = clock.seconds();
            if (!caution->empty()) {
                m_report.warning("", *caution);
            }
            m_report.allocationFinished(m_layers.size(), m_allocationSeconds);
        }
        m_allocation = readAllocation(file, m_layers, m_specification.autoRho);
        return true;
    }

    bool groupIfNeeded(const Model& model) {
        if (!choosesGroups(m_specification) || m_missing.empty()) {
            return true;
        }
        const WorkClock clock(m_execution.gate);
        const auto groups = groupsOfRun(
            {model, m_layers, m_text.gramsOrNull(), m_specification.cr, m_execution.threads},
            m_writer.directory() / "groups.json", [this](const Progress& p) { stageProgress(p); },
            m_stop);
        if (!groups) {
            return false;
        }
        m_allocationSeconds += clock.seconds();
        m_units = withGroups(m_specification, *groups);
        return true;
    }

    bool probeIfNeeded(Model& model) {
        if (!methodOf(m_specification).weighsPartsByCost(m_specification) || m_missing.empty()) {
            return true;
        }
        const WorkClock clock(m_execution.gate);
        auto costs = costsOfRun(
            {m_specification, model, m_layers, *m_text.grams, m_execution.threads},
            m_writer.directory() / "costs.json", [this](const Progress& p) { stageProgress(p); },
            m_stop);
        if (!costs) {
            return false;
        }
        m_costs = *std::move(costs);
        m_allocationSeconds += clock.seconds();
        return true;
    }

    bool leavesBlocksOut() const { return methodOf(m_specification).asBlockMethod() != nullptr; }

    // False when cancelled.
    bool leaveBlocksOut(const Model& model, const std::vector<LayerUnit>& units) {
        const WorkClock clock(m_execution.gate);
        ThreadPool pool(m_execution.threads);
        const auto products = m_backends.products(pool);
        BlockRemoval removal(m_specification, model, m_writer.directory());
        if (!removal.prepare(
                m_missing, pool, products.get(), [this](const Progress& p) { stageProgress(p); },
                m_stop)) {
            return false;
        }
        m_report.blocksLeftOut(removal.row());
        m_text.seconds = clock.seconds();
        m_compression = WorkClock(m_execution.gate);
        return compress(units, [&](const LayerUnit& unit, Backend&) { return removal.of(unit); });
    }

    bool propagates() const { return m_specification.propagation != PropagationKind::Off; }

    // False when cancelled.
    bool compressMissing(Model& model) {
        m_compression = WorkClock(m_execution.gate);
        const std::vector<LayerUnit> units = missingUnits();
        m_finished.expect(units);
        if (leavesBlocksOut()) {
            return units.empty() || leaveBlocksOut(model, units);
        }
        if (!propagates()) {
            // Else each thread's device has its own.
            const bool onHost = !m_execution.device.open;
            UnitProblems problems(model, m_text.gramsOrNull(), units, m_specification, onHost);
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
        return compressAlongForwardPass(
            model, pool, m_layers, calibrationOptionsOf(m_specification),
            m_specification.propagation == PropagationKind::Target, steps, m_stop, products.get());
    }

    // False when cancelled.
    bool compress(const std::vector<LayerUnit>& units, const UnitProblemSource& source) {
        const LayerCompression compression(m_specification, m_allocation, *m_solved, m_report,
                                           m_execution.gate, m_stop);
        const UnitProblemSource complete = withCosts(withOutputs(source));
        runLayersAtOnce(units.size(), m_backends, [&](std::size_t i, WorkerBackends& worker) {
            return m_backends.run(worker, units[i].id(), [&](Backend& backend) {
                const std::vector<MatrixRecord> records =
                    compression.compress(backend, worker.threads, units[i], complete);
                if (!records.empty()) {
                    m_report.progress(m_finished.add(units[i], records, m_compression.seconds(),
                                                     m_layers.size()));
                }
                return !records.empty();
            });
        });
        return !m_stop.stop_requested();
    }

    UnitProblemSource withCosts(UnitProblemSource source) const {
        if (m_costs.empty()) {
            return source;
        }
        return [this, source = std::move(source)](const LayerUnit& unit, Backend& backend) {
            UnitProblem problem = source(unit, backend);
            for (std::size_t i = 0; i < unit.layers.size(); ++i) {
                problem.layers[i].cost = m_costs.at(unit.layers[i].name);
            }
            return problem;
        };
    }

    UnitProblemSource withOutputs(const UnitProblemSource& source) const {
        if (!m_text.outputGrams) {
            return source;
        }
        return [this, &source](const LayerUnit& unit, Backend& backend) {
            UnitProblem problem = source(unit, backend);
            const OutputGrams& grams = *m_text.outputGrams;
            if (!unit.isShared()) {
                problem.layers.front().outputs = outputMetric(grams, unit.id(), backend);
                return problem;
            }
            std::vector<const OutputMetric*> layers;
            for (std::size_t i = 0; i < unit.layers.size(); ++i) {
                problem.layers[i].outputs = diagonalOutputMetric(grams, unit.layers[i].name);
                layers.push_back(&*problem.layers[i].outputs);
            }
            if (!unit.overOutputs) {
                problem.commonOutputs = sideBySide(layers, unit.id());
            }
            return problem;
        };
    }

    // Of what comes before the matrices; it can be paused wherever it tells how far it is.
    void stageProgress(const Progress& progress) {
        m_report.progress(progress);
        passGate(m_execution.gate, m_stop);
    }

    // Those of which a layer is missing; what such a unit's other layers have is made again.
    std::vector<LayerUnit> missingUnits() const {
        std::vector<LayerUnit> units = unitsOf(m_units, m_layers);
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
    MatrixOptions m_units;  // which layers share
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
    CalibrationMeasurements m_text;
    std::map<std::string, double> m_costs;               // empty: all errors cost alike
    std::map<std::string, AllocatedLayer> m_allocation;  // empty: the specification's for all
    EarlierWork m_earlier;
    double m_allocationSeconds = 0;  // of this start
    WorkClock m_compression;
    bool m_mends = false;  // a run that was finished and is damaged
};

}  // namespace

RunSummary executeRun(const RunSpecification& specification, const std::filesystem::path& directory,
                      const RunExecution& execution, const std::stop_token& stop) {
    const RunSpecification full = resolved(specification);
    if (full.derived) {
        throw Error(
            fmt::format("nothing is solved for it: it was made of the run {}", full.derived->from),
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
