#include "core/run/slice_run.h"

#include <fmt/format.h>

#include <map>

#include "core/base/error.h"
#include "core/model/layer_pattern.h"
#include "core/run/run_reporter.h"

namespace cospadi {

namespace {

std::vector<MatrixRecord> chosenOf(const FinishedRun& source, const std::string& layers) {
    const LayerPattern pattern(layers);
    std::vector<MatrixRecord> chosen;
    for (const MatrixRecord& record : source.records) {
        if (pattern.finds(record.name)) {
            chosen.push_back(record);
        }
    }
    const auto name = [](const MatrixRecord& record) { return record.name; };
    if (chosen.empty()) {
        throw Error(
            fmt::format("'{}' matches none of the {} layers of run {}", layers,
                        source.records.size(), source.id),
            "layers",
            source.records.empty()
                ? std::string("choose a run with compressed layers")
                : fmt::format("names look like {} or {}; `cospadi runs show` lists them all",
                              name(source.records.front()), name(source.records.back())));
    }
    if (chosen.size() == source.records.size()) {
        throw Error(fmt::format("'{}' matches all layers of run {}", layers, source.id), "layers",
                    "use the run itself, or exclude some of its layers");
    }
    return chosen;
}

// What layers share is of no use to some of them: bytes would be told to layers that are gone.
void requireWholeUnits(const FinishedRun& source, const std::vector<MatrixRecord>& chosen) {
    std::map<std::string, std::size_t> left;
    for (const MatrixRecord& record : chosen) {
        ++left[record.unit];
    }
    for (const MatrixRecord& record : source.records) {
        const auto taken = left.find(record.unit);
        if (record.unit.empty() || taken == left.end()) {
            continue;
        }
        std::vector<std::string> names;
        for (const MatrixRecord& other : source.records) {
            if (other.unit == record.unit) {
                names.push_back(other.name);
            }
        }
        if (names.size() != taken->second) {
            throw Error(
                fmt::format("includes only {} of the {} layers that share {}: {}", taken->second,
                            names.size(), record.unit, fmt::join(names, ", ")),
                "layers", "include all of them or none");
        }
    }
}

// Searching for it in the model's layers finds those of the slice, also where the run had not all.
std::string layersOfSlice(const std::string& ofRun, const std::string& layers) {
    return ofRun == RunSpecification().layers
               ? layers
               : fmt::format("^(?=.*(?:{}))(?=.*(?:{}))", ofRun, layers);
}

double coreSecondsOf(const std::vector<MatrixRecord>& records) {
    double sum = 0;
    for (const MatrixRecord& record : records) {
        sum += record.coreSeconds > 0 ? record.coreSeconds : record.seconds;
    }
    return sum;
}

}  // namespace

RunSpecification sliceSpecification(const RunSpecification& source, const std::string& id,
                                    const std::string& layers) {
    RunSpecification specification = source;
    specification.layers = layersOfSlice(source.layers, layers);
    Derivation derivation = specification.derived.value_or(Derivation());
    derivation.from = id;
    derivation.sliceOf = source.layers;
    specification.derived = derivation;
    return specification;
}

DerivedRun sliceRun(const std::filesystem::path& directory, const std::string& layers,
                    const EventCallback& onEvent) {
    const FinishedRun source = openFinishedRun(directory);
    if (methodOf(source.specification).asBlockMethod() != nullptr) {
        throw Error(fmt::format("run {} removes whole blocks, so it cannot be sliced", source.id),
                    "layers", "use the run itself");
    }
    const std::vector<MatrixRecord> chosen = chosenOf(source, layers);
    requireWholeUnits(source, chosen);
    const RunSpecification specification =
        sliceSpecification(source.specification, source.id, layers);
    validate(specification);
    DerivedRunDirectory slice(specification);
    if (slice.done()) {
        return {*slice.done(), true};
    }
    RunReporter report(slice.writer(), onEvent);
    report.runStarted(chosen.size(), 0, "cpu", isCalibrated(specification));
    slice.writer().matrices().take(source.matrices(), chosen);
    for (const MatrixRecord& record : chosen) {
        report.matrixFinished(record);
    }
    const double all = coreSecondsOf(source.records);
    const double part = all > 0 ? coreSecondsOf(chosen) / all : 0;
    const RunSummary summary = slice.finish(source, chosen, source.seconds * part);
    report.runFinished("finished", "");
    return {summary, false};
}

}  // namespace cospadi
