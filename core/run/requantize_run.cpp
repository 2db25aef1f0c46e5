#include "core/run/requantize_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/stopwatch.h"
#include "core/forms/forms.h"
#include "core/model/model.h"
#include "core/run/derived_errors.h"
#include "core/run/layers_at_once.h"
#include "core/run/run_backends.h"
#include "core/run/run_ending.h"
#include "core/run/run_reporter.h"
#include "core/run/source_units.h"

namespace cospadi {

namespace {

constexpr const char* kCoefficientBits = "coefficient_bits";

// Of a stored matrix, from what its form tells of it; 0 where that has none.
int coefficientBitsOf(const MatrixRecord& record) {
    const Form* form = findForm(record.form);
    // Absent before 0.2, where a file says it alone.
    return form == nullptr || form->coefficientBits == nullptr
               ? 0
               : record.facts.value(form->coefficientBits, 16);
}

class RequantizedRun {
  public:
    RequantizedRun(const FinishedRun& source, const Requantization& how,
                   DerivedRunDirectory& directory, EventCallback onEvent,
                   const std::stop_token& stop)
        : m_source(source),
          m_how(how),
          m_directory(directory),
          m_writer(directory.writer()),
          m_report(m_writer, std::move(onEvent)),
          m_backends(m_cpu, how.threads,
                     [this](const std::string& matrix, const std::string& message) {
                         m_report.warning(matrix, message);
                     }),
          m_stop(stop) {}

    RunSummary run() {
        return tellingFailure(m_report, [this] { return runToTheEnd(); });
    }

  private:
    RunSummary runToTheEnd() {
        const Stopwatch clock;
        const std::vector<SourceUnit> units = missingUnits();
        m_report.runStarted(m_source.records.size(), m_records.size(), "cpu",
                            isCalibrated(m_source.specification));
        if (!units.empty() && !requantize(units)) {
            return cancelled();
        }
        std::vector<MatrixRecord> records;
        for (const MatrixRecord& record : m_source.records) {
            records.push_back(m_records.at(record.name));
        }
        RunSummary summary =
            m_directory.finish(m_source, records, m_source.seconds + clock.seconds());
        m_report.runFinished("finished", "");
        return summary;
    }

    // In forward order of their first layers; those of which a layer is missing.
    std::vector<SourceUnit> missingUnits() {
        for (const MatrixRecord& record : m_source.records) {
            if (const auto earlier = m_writer.matrices().finished(record.name)) {
                m_records[record.name] = *earlier;
            }
        }
        std::vector<SourceUnit> units = sourceUnits(m_source.records);
        std::erase_if(units, [&](const SourceUnit& unit) {
            return std::all_of(unit.begin(), unit.end(), [&](const MatrixRecord* record) {
                return m_records.contains(record->name);
            });
        });
        return units;
    }

    // False when cancelled.
    bool requantize(const std::vector<SourceUnit>& units) {
        m_report.progress({"model", 0, 1, 0, -1});
        const Model model = Model::load(m_source.specification.model);
        std::vector<std::string> layers;
        for (const SourceUnit& unit : units) {
            for (const MatrixRecord* record : unit) {
                layers.push_back(record->name);
            }
        }
        DerivedErrors errors(m_source.specification, model, layers,
                             {m_how.calibrate, m_how.threads}, m_report, m_stop);
        if (m_stop.stop_requested()) {
            return false;
        }
        const Stopwatch clock;
        runLayersAtOnce(units.size(), m_backends, [&](std::size_t i, WorkerBackends& worker) {
            return m_backends.run(worker, units[i].front()->name, [&](Backend& backend) {
                if (m_stop.stop_requested()) {
                    return false;
                }
                store(units[i], model, errors, backend, worker.threads);
                tellProgress(clock.seconds());
                return true;
            });
        });
        return !m_stop.stop_requested();
    }

    void store(const SourceUnit& stored, const Model& model, DerivedErrors& errors,
               Backend& backend, int cores) {
        const Stopwatch clock;
        LayerUnit unit;
        std::vector<StoredWeightPtr> weights;
        std::vector<MatrixRecord> records;
        for (const MatrixRecord* of : stored) {
            const StoredMatrix before = readMatrixFile(unitFile(m_source.matrices(), of->name));
            unit.layers.push_back(model.layerInfo(of->name));
            weights.push_back(before.weight->requantized(m_how.bits, m_how.rounding));
            records.push_back(*of);
            errors.measure(records.back(), *weights.back(), unit.layers.back(), backend);
        }
        const double seconds = clock.seconds() / static_cast<double>(stored.size());
        for (MatrixRecord& record : records) {
            record.seconds += seconds;
            record.coreSeconds += seconds * cores;
            record.sharedBytes = 0;  // it is shared out anew
        }
        m_writer.matrices().write(unit, weights, records);
        const std::scoped_lock lock(m_mutex);
        for (const MatrixRecord& record : records) {
            m_report.matrixFinished(record);
            m_records[record.name] = record;
        }
    }

    void tellProgress(double seconds) {
        const std::scoped_lock lock(m_mutex);
        Progress progress;
        progress.stage = "compress";
        progress.done = static_cast<std::int64_t>(m_records.size());
        progress.total = static_cast<std::int64_t>(m_source.records.size());
        progress.seconds = seconds;
        progress.etaSeconds = progress.done == 0
                                  ? -1
                                  : seconds * static_cast<double>(progress.total - progress.done) /
                                        static_cast<double>(progress.done);
        m_report.progress(progress);
    }

    RunSummary cancelled() { return tellCancelled(m_report, m_writer, m_records.size()); }

    const FinishedRun& m_source;
    const Requantization& m_how;
    DerivedRunDirectory& m_directory;
    RunWriter& m_writer;
    RunReporter m_report;
    const ComputeDevice m_cpu;
    RunBackends m_backends;
    std::stop_token m_stop;
    std::mutex m_mutex;
    std::map<std::string, MatrixRecord> m_records;  // that are done
};

}  // namespace

void requireRequantizable(const FinishedRun& source, int bits) {
    requireRequantizedBits(bits, kCoefficientBits);
    const std::optional<Derivation>& derived = source.specification.derived;
    if (derived && derived->isRequantized()) {
        throw Error(fmt::format("the coefficients of run {} have already been {}", source.id,
                                requantizationWords(*derived)),
                    kCoefficientBits,
                    fmt::format("use the run it was derived from, {}", derived->from));
    }
    for (const MatrixRecord& record : source.records) {
        const int stored = coefficientBitsOf(record);
        if (stored == 0) {
            throw Error(
                fmt::format("{} of run {} is stored as {}, which has no coefficients", record.name,
                            source.id, record.form),
                kCoefficientBits,
                "use a run whose layers are a dictionary and codes, or two low-rank factors");
        }
        if (bits >= stored) {
            throw Error(
                fmt::format("{} bits are not fewer than the {} of the coefficients of {}", bits,
                            stored, record.name),
                kCoefficientBits,
                fmt::format("give fewer than {}, or use a run with more bits per coefficient",
                            stored));
        }
    }
    requireSameModel(source);
}

RunSpecification requantizedSpecification(const RunSpecification& source, const std::string& id,
                                          const Requantization& how) {
    RunSpecification specification = source;
    Derivation derivation = specification.derived.value_or(Derivation());
    derivation.from = id;
    derivation.coefficientBits = how.bits;
    derivation.rounding = how.rounding;
    specification.derived = derivation;
    return specification;
}

DerivedRun requantizeRun(const std::filesystem::path& directory, const Requantization& how,
                         const EventCallback& onEvent, const std::stop_token& stop) {
    const FinishedRun source = openFinishedRun(directory);
    requireRequantizable(source, how.bits);
    const RunSpecification specification =
        requantizedSpecification(source.specification, source.id, how);
    validate(specification);
    DerivedRunDirectory made(specification);
    if (made.done()) {
        return {*made.done(), true};
    }
    return {RequantizedRun(source, how, made, onEvent, stop).run(), false};
}

}  // namespace cospadi
