#include "core/store/run_directory.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/store/artefacts.h"
#include "core/store/matrix_totals.h"
#include "core/store/row_fields.h"
#include "core/store/run_file.h"
#include "core/store/run_id.h"
#include "core/store/run_settings.h"
#include "core/store/source_bytes.h"
#include "core/store/unfinished_run.h"

namespace cospadi {

namespace {

using nlohmann::json;

// Runs `work` on a file's JSON; a field of the wrong type becomes an Error that names the file.
template <class Work>
void withJson(const std::filesystem::path& path, Work&& work) {
    const json object = readRunJson(path);
    try {
        work(object);
    } catch (const Error& error) {
        throw Error(error.problem(), error.where().empty() ? path.string() : error.where(),
                    error.hint());
    } catch (const json::exception& error) {
        throw Error(std::string("a field has the wrong type: ") + error.what(), path.string(),
                    "the file is damaged or was written by another program");
    }
}

void readSpecification(const json& specification, RunRow& run) {
    run.specification = specification.dump();
    takeField(specification, "model", run.model);
    takeField(specification, "model_sha256", run.modelSha256);
    takeField(specification, "method", run.method);
    takeField(specification, "solver", run.solver);
    takeField(specification, "layers", run.layers);
    takeField(specification, "cr", run.cr);
    if (const auto rho = specification.find("rho");
        rho != specification.end() && *rho == kAutoRho) {
        run.rho = RunRow::kEachItsOwnRho;
    } else {
        takeField(specification, "rho", run.rho);
    }
    takeField(specification, "accounting", run.accounting);
    takeField(specification, "iterations", run.iterations);
    takeField(specification, "power_iterations", run.powerIterations);
    // All 64 bits of a seed count; the store has no unsigned numbers.
    std::uint64_t seed = 0;
    takeField(specification, "seed", seed);
    run.seed = static_cast<std::int64_t>(seed);
}

// Of all layers that the run was begun for. What its result or events say comes after.
void readSource(const json& run, RunRow& row) {
    const auto source = run.find("source");
    if (source == run.end() || source->is_null()) {
        return;  // of before 0.2
    }
    if (!source->is_object()) {
        throw Error("the field \"source\" is not an object", "",
                    "the file is damaged or was written by another program");
    }
    std::string type;
    std::int64_t bytes = 0;
    takeField(*source, "source_type", type);
    takeField(*source, "source_bytes", bytes);
    SourceBytes checked;
    checked.add(type, bytes);
    row.sourceType = checked.types();
    row.sourceBytes = checked.bytes();
}

// Whether other settings than `cr` decide over the bytes.
bool lacksRatio(const RunRow& run, const Method& method) {
    if (!method.uses("cr")) {
        return true;
    }
    const auto specification = specificationOf(run);
    return specification && !hasRatio(*specification);
}

// run.json may have numbers that its method does not ask for. Of one without a ratio in its
// specification the ratio is what the bytes come to; the dense model has none.
void settleRatioAndRho(RunRow& run) {
    const Method* method = findMethod(run.method);
    if (method == nullptr) {
        return;  // of another program
    }
    if (method == &denseMethod()) {
        run.cr = unknownNumber;
    } else if (lacksRatio(run, *method)) {
        run.cr = std::round(run.measuredRatio() * 1e4) / 1e4;
    }
    if (!method->uses("rho")) {
        run.rho = unknownNumber;
    }
}

void readResult(const json& result, RunRecord& record) {
    RunRow& run = record.run;
    run.status = "finished";
    takeField(result, "status", run.status);
    takeField(result, "message", run.message);
    takeField(result, "seconds", run.seconds);
    takeField(result, "bytes", run.layerBytes);
    takeField(result, "dense_bytes", run.denseBytes);
    takeField(result, "relative_error", run.relativeError);
    takeField(result, "held_out_error", run.heldOutError);
    takeField(result, "core_seconds", run.coreSeconds);
    takeField(result, "source_type", run.sourceType);
    takeField(result, "source_bytes", run.sourceBytes);
    for (const json& matrix : listField(result, "matrices")) {
        record.matrices.push_back(matrixRowOf(matrix));
    }
    run.matrices = static_cast<std::int64_t>(record.matrices.size());
}

EvaluationRow readEvaluationFile(const std::filesystem::path& path) {
    EvaluationRow row;
    withJson(path, [&](const json& object) {
        row.file = path.filename().string();
        takeField(object, "kind", row.kind);
        takeField(object, "text", row.text);
        takeField(object, "text_sha256", row.textSha256);
        takeField(object, "context", row.context);
        takeField(object, "max_tokens", row.maxTokens);
        takeField(object, "score", row.score);
        takeField(object, "perplexity", row.perplexity);
        takeField(object, "tokens", row.tokens);
        takeField(object, "seconds", row.seconds);
        takeField(object, "created", row.created);
    });
    return row;
}

// The `tasks` of an evaluation of kind lm-eval.
std::vector<TaskResultRow> readTaskResults(const std::filesystem::path& path) {
    std::vector<TaskResultRow> rows;
    withJson(path, [&](const json& object) {
        TaskResultRow row;
        row.file = path.filename().string();
        takeField(object, "created", row.created);
        for (const json& task : listField(object, "tasks")) {
            row.version.clear();
            row.dataSha256.clear();
            row.samples = 0;
            row.shots = -1;
            takeField(task, "task", row.task);
            takeField(task, "version", row.version);
            takeField(task, "shots", row.shots);
            takeField(task, "samples", row.samples);
            takeField(task, "data_sha256", row.dataSha256);
            for (const json& metric : listField(task, "metrics")) {
                row.value = row.standardError = unknownNumber;
                row.filter.clear();
                row.higherIsBetter = true;
                takeField(metric, "metric", row.metric);
                takeField(metric, "filter", row.filter);
                takeField(metric, "value", row.value);
                takeField(metric, "stderr", row.standardError);
                takeField(metric, "higher_is_better", row.higherIsBetter);
                rows.push_back(row);
            }
        }
    });
    return rows;
}

}  // namespace

std::string runIdIn(const std::filesystem::path& directory) {
    try {
        std::string id;
        takeField(readRunJson(directory / "run.json"), "id", id);
        return isRunId(id) ? id : std::string();
    } catch (const std::exception&) {
        return {};
    }
}

RunRecord readRunDirectory(const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    const fs::path runFile = directory / "run.json";
    std::error_code none;
    if (!fs::exists(runFile, none)) {
        throw Error("not a run directory: it has no run.json", directory.string(),
                    "give a directory written by `cospadi compress`");
    }
    RunRecord record;
    record.run.directory = fs::absolute(directory).lexically_normal().string();
    withJson(runFile, [&](const json& object) {
        std::int64_t format = 1;
        takeField(object, "format", format);
        if (format > 1) {
            throw Error("written by a newer cospadi", runFile.string(), "update cospadi");
        }
        takeField(object, "id", record.run.id);
        requireRunId(record.run.id, runFile.string());
        takeField(object, "created", record.run.created);
        const auto specification = object.find("specification");
        if (specification == object.end() || !specification->is_object()) {
            throw Error("has no specification", runFile.string(), "the file is damaged");
        }
        readSpecification(*specification, record.run);
        readSource(object, record.run);
        const json environment = object.value("environment", json::object());
        for (const auto& [name, value] : environment.items()) {
            record.environment[name] = plainText(value);
        }
    });
    if (fs::exists(directory / "result.json", none)) {
        withJson(directory / "result.json",
                 [&](const json& object) { readResult(object, record); });
    } else {
        readUnfinished(directory / "events.jsonl", record);
    }
    settleRatioAndRho(record.run);
    const double multiplications = totalMultiplications(record.matrices);
    record.run.multiplications = multiplications > 0 ? multiplications : unknownNumber;
    for (const auto& entry : fs::directory_iterator(directory / "evaluations", none)) {
        if (entry.path().extension() == ".json") {
            record.run.evaluations.push_back(readEvaluationFile(entry.path()));
            if (record.run.evaluations.back().kind == "lm-eval") {
                const auto rows = readTaskResults(entry.path());
                record.run.taskResults.insert(record.run.taskResults.end(), rows.begin(),
                                              rows.end());
            }
        }
    }
    return record;
}

void readDetails(const std::string& knownStamp, RunRecord& record) {
    const std::filesystem::path directory = record.run.directory;
    record.artefacts = listArtefacts(directory);
    if (record.run.status == "running" || record.run.status == "paused") {
        return;  // whoever asks reads the file as it is then
    }
    // Before the events are read: what is appended meanwhile makes the stamp too old, not too new.
    const std::string stamp = eventsStamp(directory);
    if (!stamp.empty() && stamp == knownStamp) {
        record.eventsStamp.reset();
        return;
    }
    record.eventsStamp = stamp;
    record.iterations = readIterations(directory).matrices;
}

}  // namespace cospadi
