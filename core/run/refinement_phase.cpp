#include "core/run/refinement_phase.h"

#include <fmt/format.h>

#include <map>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/exports/compressed_model.h"
#include "core/run/derived_errors.h"
#include "core/run/earlier_runs.h"
#include "core/run/pausable_progress.h"
#include "core/run/refinement_text.h"
#include "core/run/run_backends.h"
#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "refinement.safetensors";
constexpr const char* kRecordFile = "refinement.json";
constexpr const char* kMakeAgain = "run the command that made the run again";

}  // namespace

RefinementPhase::RefinementPhase(const RunSpecification& specification, const Model& model,
                                 const MatrixFolder& solved,
                                 const std::vector<MatrixRecord>& records, RunWriter& writer,
                                 RunReporter& report, const RefinementExecution& execution,
                                 std::stop_token stop)
    : m_specification(specification),
      m_model(model),
      m_solved(solved),
      m_records(records),
      m_writer(writer),
      m_report(report),
      m_execution(execution),
      m_stop(std::move(stop)),
      m_units(sourceUnits(records)),
      m_pool(execution.threads) {}

std::vector<TrainableUnit> RefinementPhase::solvedUnits() const {
    std::vector<TrainableUnit> units;
    for (const SourceUnit& unit : m_units) {
        std::vector<std::string> layers;
        std::vector<StoredWeightPtr> weights;
        for (const MatrixRecord* record : unit) {
            layers.push_back(record->name);
            weights.push_back(m_solved.read(record->name).weight);
        }
        units.emplace_back(std::move(layers), std::move(weights));
    }
    return units;
}

std::optional<std::vector<MatrixRecord>> RefinementPhase::run() {
    std::vector<TrainableUnit> moved;
    {
        Model model = loadModelOrRun(m_specification.model);  // whose layers are replaced
        Refinement refinement(model, m_pool, solvedUnits(),
                              refinementText(m_specification, model.tokenizer()),
                              refinementOptionsOf(m_specification));
        if (!move(refinement)) {
            return std::nullopt;
        }
        moved = refinement.takeUnits();
    }
    return store(moved);
}

// False when cancelled.
bool RefinementPhase::move(Refinement& refinement) {
    const fs::path text = refinementFile(m_specification);
    const std::string textSha256 = sha256OfFile(text);
    const std::string key = sha256OfString(
        fmt::format("{}\n{}\n{}", m_model.sha256(), textSha256, runKey(m_specification)));
    const fs::path state = m_writer.directory() / kStateFile;
    const std::int64_t heldOut = heldOutSequences(kRefinementHeldOut, m_specification.refine);
    m_told = {{"text", text.string()},
              {"text_sha256", textSha256},
              {"sequences", m_specification.refine},
              {"held_out_sequences", heldOut},
              {"length", refinementLength(m_specification)},
              {"divergence", nlohmann::json::array()},
              {"seconds", 0.0}};
    if (refinement.restore(state, key)) {
        // Written before the state: it has its steps, and may have more.
        m_told = readRunJson(m_writer.directory() / kRecordFile, kMakeAgain);
        auto& steps = m_told["divergence"];
        steps.erase(steps.begin() + refinement.stepsDone(), steps.end());
    }
    const double earlier = m_told["seconds"];
    const WorkClock clock(m_execution.gate);
    if (!refinement.askTeacher(pausableProgress(m_report, m_execution.gate, m_stop), m_stop)) {
        return false;
    }
    if (refinement.stepsDone() == 0) {
        m_told["held_out_before"] = refinement.heldOutDivergence();
    }
    const auto save = [&] {
        m_told["seconds"] = earlier + clock.seconds();
        writeRecord();
        refinement.save(state, key);
    };
    const std::int64_t first = refinement.stepsDone();
    WorkClock sinceSaved(m_execution.gate);
    const WorkClock ofSteps(m_execution.gate);
    const bool isWhole = refinement.run(
        [&](const RefinementStep& step) {
            m_told["divergence"].push_back(step.divergence);
            m_report.refinementStep(step);
            if (sinceSaved.seconds() > m_execution.saveSeconds) {
                save();
                sinceSaved = WorkClock(m_execution.gate);
            }
            const double each = ofSteps.seconds() / static_cast<double>(step.step - first);
            m_report.progress({"refine", step.step, step.steps, ofSteps.seconds(),
                               each * static_cast<double>(step.steps - step.step)});
            passGate(m_execution.gate, m_stop);
        },
        m_stop);
    save();
    if (!isWhole) {
        return false;
    }
    m_told["held_out_after"] = refinement.heldOutDivergence();
    m_seconds = earlier + clock.seconds();
    m_told["seconds"] = m_seconds;
    requireGain();
    return true;
}

void RefinementPhase::requireGain() const {
    const double before = m_told["held_out_before"];
    const double after = m_told["held_out_after"];
    if (after < before) {
        return;
    }
    removeState(m_writer.directory());
    throw Error(fmt::format("refinement did not bring the predictions on held-out text closer to "
                            "the dense model's: {:.4f} nats per token before, {:.4f} after",
                            before, after),
                "refine_rate",
                "use a smaller rate, or more sequences; the refined factors were discarded");
}

std::optional<std::vector<MatrixRecord>> RefinementPhase::store(
    const std::vector<TrainableUnit>& moved) {
    std::vector<std::string> layers;
    for (const MatrixRecord& record : m_records) {
        layers.push_back(record.name);
    }
    DerivedErrors errors(m_specification, m_model, layers, {true, m_execution.threads}, m_report,
                         m_stop);
    if (m_stop.stop_requested()) {
        return std::nullopt;
    }
    const ComputeDevice cpu;
    RunBackends backends(cpu, m_execution.threads, {});
    WorkerBackends worker;
    worker.threads = backends.cores();
    std::map<std::string, MatrixRecord> made;
    for (std::size_t u = 0; u < m_units.size(); ++u) {
        const std::vector<StoredWeightPtr> weights = moved[u].stored();
        LayerUnit unit;
        std::vector<MatrixRecord> records;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            MatrixRecord record = *m_units[u][i];
            unit.layers.push_back(m_model.layerInfo(record.name));
            describe(record, *weights[i]);
            record.sharedBytes = 0;  // it is shared out anew
            backends.run(worker, record.name, [&](Backend& backend) {
                errors.measure(record, *weights[i], unit.layers.back(), backend);
                return true;
            });
            records.push_back(record);
        }
        m_writer.matrices().write(unit, weights, records);
        for (const MatrixRecord& record : records) {
            m_report.matrixFinished(record);
            made[record.name] = record;
        }
    }
    writeRecord();
    std::vector<MatrixRecord> records;
    for (const std::string& layer : layers) {
        records.push_back(made.at(layer));
    }
    return records;
}

void RefinementPhase::writeRecord() const {
    writeFileAtomically(m_writer.directory() / kRecordFile, m_told.dump(1) + "\n");
}

void RefinementPhase::removeState(const fs::path& run) { fs::remove(run / kStateFile); }

RefinementGain refinementGainIn(const fs::path& run) {
    const fs::path file = run / kRecordFile;
    const nlohmann::json record = readRunJson(file, kMakeAgain);
    return {fieldOf<double>(record, "held_out_before", file, kMakeAgain),
            fieldOf<double>(record, "held_out_after", file, kMakeAgain)};
}

}  // namespace cospadi
