#include "core/run/refine_run.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/stopwatch.h"
#include "core/forms/forms.h"
#include "core/forms/matrix_file.h"
#include "core/model/model.h"
#include "core/refine/refinement.h"
#include "core/run/derived_errors.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_backends.h"
#include "core/run/run_ending.h"
#include "core/run/run_reporter.h"
#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "refinement.safetensors";
constexpr const char* kRecordFile = "refinement.json";
constexpr const char* kMakeAgain = "start the command that made the run again";

// Runs without calibration have none of their own.
std::int64_t lengthFor(const RunSpecification& source, const RefinementOptions& how) {
    return isCalibrated(source) ? source.calibration.length : how.length;
}

class RefinedRun {
  public:
    RefinedRun(const FinishedRun& source, const RefinementOptions& how,
               const RefineExecution& execution, DerivedRunDirectory& directory,
               EventCallback onEvent, const std::stop_token& stop)
        : m_source(source),
          m_how(how),
          m_execution(execution),
          m_directory(directory),
          m_writer(directory.writer()),
          m_report(m_writer, std::move(onEvent)),
          m_pool(execution.threads),
          m_stop(stop),
          m_units(source.units()) {}

    RunSummary run() {
        return tellingFailure(m_report, [this] { return runToTheEnd(); });
    }

  private:
    RunSummary runToTheEnd() {
        m_report.runStarted(m_source.records.size(), 0, "cpu");
        m_report.progress({"model", 0, 1, 0, -1});
        Model model = Model::load(m_source.specification.model, {&m_pool, {}});
        std::vector<TrainableUnit> units;
        for (const SourceUnit& unit : m_units) {
            std::vector<std::string> layers;
            std::vector<StoredWeightPtr> weights;
            for (const MatrixRecord* record : unit) {
                layers.push_back(record->name);
                weights.push_back(
                    readMatrixFile(unitFile(m_source.matrices(), record->name)).weight);
            }
            units.emplace_back(std::move(layers), std::move(weights));
        }
        CalibrationOptions calibration = calibrationOptionsOf(
            isCalibrated(m_source.specification) ? m_source.specification : RunSpecification());
        calibration.sequences = m_how.sequences;
        calibration.length = m_how.length;
        calibration.heldOut = m_how.heldOut();
        Refinement refinement(model, m_pool, std::move(units),
                              {sampleSequences(model.tokenizer(), calibration), calibration.length,
                               calibration.heldOut},
                              m_how);
        const bool isFinished = refine(refinement, model, calibration);
        if (!isFinished) {
            return cancelled();
        }
        const RunSummary summary = store(refinement);
        m_report.runFinished("finished", "");
        return summary;
    }

    // False when cancelled.
    bool refine(Refinement& refinement, const Model& model, const CalibrationOptions& calibration) {
        const std::string textSha256 = sha256OfFile(calibration.text);
        const std::string key = sha256OfString(fmt::format(
            "{}\n{}\n{}", model.sha256(), textSha256,
            toJson(refinedSpecification(m_source.specification, m_source.id, m_how)).dump()));
        const fs::path state = m_writer.directory() / kStateFile;
        nlohmann::json& record = m_record;
        record = {{"text", calibration.text.string()},
                  {"text_sha256", textSha256},
                  {"sequences", m_how.sequences},
                  {"held_out_sequences", m_how.heldOut()},
                  {"length", calibration.length},
                  {"divergence", nlohmann::json::array()},
                  {"seconds", 0.0}};
        if (refinement.restore(state, key)) {
            // Written before the state: it has its steps, and may have more.
            record = readRunJson(m_writer.directory() / kRecordFile, kMakeAgain);
            auto& steps = record["divergence"];
            steps.erase(steps.begin() + refinement.stepsDone(), steps.end());
        }
        const double earlier = record["seconds"];
        const Stopwatch clock;
        if (!refinement.askTeacher([this](const Progress& p) { m_report.progress(p); }, m_stop)) {
            return false;
        }
        if (refinement.stepsDone() == 0) {
            record["held_out_before"] = refinement.heldOutDivergence();
        }
        const auto save = [&] {
            record["seconds"] = earlier + clock.seconds();
            writeRecord();
            refinement.save(state, key);
        };
        const std::int64_t first = refinement.stepsDone();
        Stopwatch sinceSaved;
        const Stopwatch ofSteps;
        const bool isWhole = refinement.run(
            [&](const RefinementStep& step) {
                record["divergence"].push_back(step.divergence);
                m_report.refinementStep(step);
                const double each = ofSteps.seconds() / static_cast<double>(step.step - first);
                m_report.progress({"refine", step.step, step.steps, ofSteps.seconds(),
                                   each * static_cast<double>(step.steps - step.step)});
                if (sinceSaved.seconds() > m_execution.saveSeconds) {
                    save();
                    sinceSaved = {};
                }
            },
            m_stop);
        save();
        if (!isWhole) {
            return false;
        }
        record["held_out_after"] = refinement.heldOutDivergence();
        record["seconds"] = earlier + clock.seconds();
        requireGain();
        return true;
    }

    void requireGain() const {
        const double before = m_record["held_out_before"];
        const double after = m_record["held_out_after"];
        if (after < before) {
            return;
        }
        fs::remove(m_writer.directory() / kStateFile);
        throw Error(
            fmt::format("the predictions on text that was not fitted did not come nearer to the "
                        "dense model's: {:.4f} nats a token before, {:.4f} after",
                        before, after),
            "learning_rate", "use a smaller one, or more sequences; nothing was kept");
    }

    RunSummary store(const Refinement& refinement) {
        // Its own weights: those of the model that was refined are replaced.
        const Model model = Model::load(m_source.specification.model, {&m_pool, {}});
        std::vector<std::string> layers;
        for (const MatrixRecord& record : m_source.records) {
            layers.push_back(record.name);
        }
        DerivedErrors errors(m_source.specification, model, layers,
                             {m_execution.calibrate, m_execution.threads}, m_report, m_stop);
        if (m_stop.stop_requested()) {
            return cancelled();
        }
        const ComputeDevice cpu;
        RunBackends backends(cpu, m_execution.threads, {});
        WorkerBackends worker;
        worker.threads = backends.cores();
        const double seconds =
            m_record["seconds"].get<double>() / static_cast<double>(layers.size());
        std::map<std::string, MatrixRecord> made;
        for (std::size_t u = 0; u < m_units.size(); ++u) {
            const std::vector<StoredWeightPtr> weights = refinement.units()[u].stored();
            LayerUnit unit;
            std::vector<MatrixRecord> records;
            for (std::size_t i = 0; i < weights.size(); ++i) {
                MatrixRecord record = *m_units[u][i];
                unit.layers.push_back(model.layerInfo(record.name));
                describe(record, *weights[i]);
                record.seconds += seconds;
                record.coreSeconds += seconds * m_pool.threadCount();
                record.sharedBytes = 0;  // it is shared out anew
                backends.run(worker, record.name, [&](Backend& backend) {
                    errors.measure(record, *weights[i], unit.layers.back(), backend);
                    return true;
                });
                records.push_back(record);
            }
            m_writer.writeMatrices(unit, weights, records);
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
        const RunSummary summary = m_directory.finish(
            m_source, records, m_source.seconds + m_record["seconds"].get<double>());
        fs::remove(m_writer.directory() / kStateFile);
        return summary;
    }

    void writeRecord() const {
        writeFileAtomically(m_writer.directory() / kRecordFile, m_record.dump(1) + "\n");
    }

    RunSummary cancelled() { return tellCancelled(m_report, m_writer, 0); }

    const FinishedRun& m_source;
    const RefinementOptions& m_how;
    const RefineExecution& m_execution;
    DerivedRunDirectory& m_directory;
    RunWriter& m_writer;
    RunReporter m_report;
    ThreadPool m_pool;
    std::stop_token m_stop;
    std::vector<SourceUnit> m_units;
    nlohmann::json m_record;
};

}  // namespace

RunSpecification refinedSpecification(const RunSpecification& source, const std::string& id,
                                      const RefinementOptions& how) {
    RunSpecification specification = source;
    Derivation derivation = specification.derived.value_or(Derivation());
    derivation.from = id;
    derivation.refinement = how;
    derivation.refinement->length = lengthFor(source, how);
    specification.derived = derivation;
    return specification;
}

void requireRefinable(const FinishedRun& source, const RefinementOptions& how) {
    how.validate();
    if (const std::optional<Derivation>& derived = source.specification.derived) {
        if (derived->refinement) {
            throw Error(fmt::format("run {} was refined before", source.id), "RUN",
                        fmt::format("refine the run that it was made of, {}, with more passes",
                                    derived->from));
        }
        if (derived->isRequantized()) {
            throw Error(fmt::format("the coefficients of run {} were {} before", source.id,
                                    requantizationWords(*derived)),
                        "RUN",
                        fmt::format("refine the run that it was made of, {}, and shorten then",
                                    derived->from));
        }
    }
    for (const MatrixRecord& record : source.records) {
        const Form* form = findForm(record.form);
        if (form == nullptr || form->coefficientBits == nullptr) {
            throw Error(fmt::format("{} of run {} is stored as {}, whose numbers cannot be moved",
                                    record.name, source.id, record.form),
                        "RUN",
                        "use a run whose layers are a dictionary and codes, or two factors of low "
                        "rank");
        }
    }
    requireSameModel(source);
}

DerivedRun refineRun(const fs::path& directory, const RefinementOptions& how,
                     const RefineExecution& execution, const EventCallback& onEvent,
                     const std::stop_token& stop) {
    const FinishedRun source = openFinishedRun(directory);
    requireRefinable(source, how);
    const RunSpecification specification =
        refinedSpecification(source.specification, source.id, how);
    validate(specification);
    DerivedRunDirectory made(specification);
    if (made.done()) {
        return {*made.done(), true};
    }
    return {RefinedRun(source, *specification.derived->refinement, execution, made, onEvent, stop)
                .run(),
            false};
}

RefinementGain refinementGainIn(const fs::path& directory) {
    const nlohmann::json record = readRunJson(directory / kRecordFile, kMakeAgain);
    const fs::path file = directory / kRecordFile;
    return {fieldOf<double>(record, "held_out_before", file, kMakeAgain),
            fieldOf<double>(record, "held_out_after", file, kMakeAgain)};
}

}  // namespace cospadi
