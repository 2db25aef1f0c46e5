#include "core/store/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/store/artefacts.h"
#include "core/store/source_bytes.h"

namespace cospadi {

namespace {

using nlohmann::json;

// Absent and null fields keep their default; a wrong type is nlohmann's type_error, named above.
template <class Value>
void take(const json& object, const char* field, Value& value) {
    const auto entry = object.find(field);
    if (entry != object.end() && !entry->is_null()) {
        value = entry->get<Value>();
    }
}

json readJson(const std::filesystem::path& path) {
    json parsed = parseTolerantJson(readTextFile(path), path);
    if (!parsed.is_object()) {
        throw Error("not a JSON object", path.string(), "the file is damaged");
    }
    return parsed;
}

// Runs `work` on a file's JSON; a field of the wrong type becomes an Error that names the file.
template <class Work>
void withJson(const std::filesystem::path& path, Work&& work) {
    const json object = readJson(path);
    try {
        work(object);
    } catch (const json::exception& error) {
        throw Error(std::string("a field has the wrong type: ") + error.what(), path.string(),
                    "the file is damaged or not one of ours");
    }
}

void readSpecification(const json& specification, RunRow& run) {
    run.specification = specification.dump();
    take(specification, "model", run.model);
    take(specification, "model_sha256", run.modelSha256);
    take(specification, "method", run.method);
    take(specification, "solver", run.solver);
    take(specification, "layers", run.layers);
    take(specification, "cr", run.cr);
    take(specification, "rho", run.rho);
    take(specification, "accounting", run.accounting);
    take(specification, "iterations", run.iterations);
    take(specification, "power_iterations", run.powerIterations);
    take(specification, "seed", run.seed);
}

MatrixRow matrixRow(const json& object) {
    MatrixRow row;
    take(object, "name", row.name);
    take(object, "matrix", row.name);  // what events call it
    take(object, "kind", row.kind);
    take(object, "block", row.block);
    take(object, "d1", row.d1);
    take(object, "d2", row.d2);
    take(object, "k", row.k);
    take(object, "s", row.s);
    take(object, "rank", row.rank);
    take(object, "bytes", row.bytes);
    take(object, "dense_bytes", row.denseBytes);
    take(object, "relative_error", row.relativeError);
    take(object, "gram_shift", row.gramShift);
    take(object, "replaced_atoms", row.replacedAtoms);
    take(object, "iterations", row.iterations);
    take(object, "seconds", row.seconds);
    take(object, "core_seconds", row.coreSeconds);
    take(object, "source_type", row.sourceType);
    take(object, "source_bytes", row.sourceBytes);
    return row;
}

void readResult(const json& result, RunRecord& record) {
    RunRow& run = record.run;
    run.status = "finished";
    take(result, "status", run.status);
    take(result, "message", run.message);
    take(result, "seconds", run.seconds);
    take(result, "bytes", run.layerBytes);
    take(result, "dense_bytes", run.denseBytes);
    take(result, "relative_error", run.relativeError);
    take(result, "core_seconds", run.coreSeconds);
    take(result, "source_type", run.sourceType);
    take(result, "source_bytes", run.sourceBytes);
    for (const json& matrix : result.value("matrices", json::array())) {
        record.matrices.push_back(matrixRow(matrix));
    }
    run.matrices = static_cast<std::int64_t>(record.matrices.size());
}

// The matrices that a run without result.json has finished, and how far it got.
void readEvents(const std::filesystem::path& path, RunRecord& record) {
    RunRow& run = record.run;
    std::map<std::string, json> started;
    std::map<std::string, std::size_t> rowOf;
    std::string last;
    double sinceStart = 0;
    double earlierStarts = 0;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
        const json event = json::parse(line, nullptr, false);
        if (!event.is_object()) {
            continue;  // half a line, where the process was killed
        }
        take(event, "event", last);
        if (last == "matrix_started" || last == "matrix_finished") {
            std::string name;
            take(event, "matrix", name);
            json& known = started.try_emplace(name, json::object()).first->second;
            known.update(event);
            if (last == "matrix_finished") {
                const auto [row, isNew] = rowOf.emplace(name, record.matrices.size());
                if (isNew) {
                    record.matrices.emplace_back();
                }
                record.matrices[row->second] = matrixRow(known);
            }
        } else if (last == "run_finished") {
            take(event, "status", run.status);
            take(event, "message", run.message);
        }
        take(event, "t", sinceStart);
        if (last == "run_started") {
            earlierStarts = std::isnan(run.seconds) ? 0 : run.seconds;
        }
        run.seconds = earlierStarts + sinceStart;
    }
    double errors = 0;
    double coreSeconds = 0;
    SourceBytes source;
    for (const MatrixRow& matrix : record.matrices) {
        run.layerBytes += matrix.bytes;
        run.denseBytes += matrix.denseBytes;
        source.add(matrix.sourceType, matrix.sourceBytes);
        errors += matrix.relativeError;
        coreSeconds += matrix.coreSeconds;
    }
    run.sourceType = source.types();
    run.sourceBytes = source.bytes();
    run.coreSeconds = record.matrices.empty() ? unknownNumber : coreSeconds;
    run.matrices = static_cast<std::int64_t>(record.matrices.size());
    run.relativeError =
        record.matrices.empty() ? unknownNumber : errors / static_cast<double>(run.matrices);
    if (last == "run_finished") {
        return;
    }
    run.status = !isBeingWritten(path.parent_path()) ? "interrupted"
                 : last == "run_paused"              ? "paused"
                                                     : "running";
}

EvaluationRow readEvaluation(const std::filesystem::path& path) {
    EvaluationRow row;
    withJson(path, [&](const json& object) {
        row.file = path.filename().string();
        take(object, "kind", row.kind);
        take(object, "text", row.text);
        take(object, "text_sha256", row.textSha256);
        take(object, "context", row.context);
        take(object, "max_tokens", row.maxTokens);
        take(object, "score", row.score);
        take(object, "perplexity", row.perplexity);
        take(object, "tokens", row.tokens);
        take(object, "seconds", row.seconds);
        take(object, "created", row.created);
    });
    return row;
}

// The `tasks` of an evaluation of kind lm-eval.
std::vector<TaskResultRow> readTaskResults(const std::filesystem::path& path) {
    std::vector<TaskResultRow> rows;
    withJson(path, [&](const json& object) {
        TaskResultRow row;
        row.file = path.filename().string();
        take(object, "created", row.created);
        for (const json& task : object.value("tasks", json::array())) {
            row.version.clear();
            row.dataSha256.clear();
            row.samples = 0;
            row.shots = -1;
            take(task, "task", row.task);
            take(task, "version", row.version);
            take(task, "shots", row.shots);
            take(task, "samples", row.samples);
            take(task, "data_sha256", row.dataSha256);
            for (const json& metric : task.value("metrics", json::array())) {
                row.value = row.standardError = unknownNumber;
                row.filter.clear();
                row.higherIsBetter = true;
                take(metric, "metric", row.metric);
                take(metric, "filter", row.filter);
                take(metric, "value", row.value);
                take(metric, "stderr", row.standardError);
                take(metric, "higher_is_better", row.higherIsBetter);
                rows.push_back(row);
            }
        }
    });
    return rows;
}

// The length of a non-finite number as Python writes it that begins at `position`; 0 where none
// does.
std::size_t nonFiniteLength(const std::string& text, std::size_t position) {
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        if (text.compare(position, word.size(), word) == 0) {
            return word.size();
        }
    }
    return 0;
}

std::string withNullForNonFinite(const std::string& text) {
    std::string clean;
    clean.reserve(text.size());
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t length = inString ? 0 : nonFiniteLength(text, i);
        if (length > 0) {
            clean += "null";
            i += length - 1;
            continue;
        }
        if (inString && text[i] == '\\' && i + 1 < text.size()) {
            clean += text[i++];
        } else if (text[i] == '"') {
            inString = !inString;
        }
        clean += text[i];
    }
    return clean;
}

}  // namespace

bool isBeingWritten(const std::filesystem::path& directory) {
    const int descriptor = ::open((directory / "run.lock").c_str(), O_RDONLY | O_CLOEXEC);
    const bool held = descriptor >= 0 && ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    return held;
}

std::string runIdIn(const std::filesystem::path& directory) {
    try {
        std::string id;
        take(readJson(directory / "run.json"), "id", id);
        return id;
    } catch (const std::exception&) {
        return {};
    }
}

std::string readTextFile(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string text;
    // In large pieces, up to the end and not to a size: the file may still grow.
    constexpr std::size_t piece = 1 << 18;
    while (stream) {
        const std::size_t had = text.size();
        text.resize(had + piece);
        stream.read(text.data() + had, piece);
        text.resize(had + static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.eof()) {
        throw Error("the file cannot be read", path.string(), "check that it exists");
    }
    return text;
}

json parseTolerantJson(const std::string& text, const std::filesystem::path& where) {
    json parsed = json::parse(text, nullptr, false);
    if (!parsed.is_discarded()) {
        return parsed;
    }
    try {
        return json::parse(withNullForNonFinite(text));
    } catch (const json::exception& error) {
        throw Error(std::string("not valid JSON: ") + error.what(), where.string(),
                    "the file is damaged or half-written");
    }
}

RunRecord readRunDirectory(const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    const fs::path runFile = directory / "run.json";
    if (!fs::exists(runFile)) {
        throw Error("not a run directory: it has no run.json", directory.string(),
                    "give a directory that `cospadi compress` wrote");
    }
    RunRecord record;
    record.run.directory = fs::absolute(directory).lexically_normal().string();
    withJson(runFile, [&](const json& object) {
        if (object.value("format", 1) > 1) {
            throw Error("written by a newer cospadi", runFile.string(), "update cospadi");
        }
        object.at("id").get_to(record.run.id);
        take(object, "created", record.run.created);
        readSpecification(object.at("specification"), record.run);
        const json environment = object.value("environment", json::object());
        for (const auto& [name, value] : environment.items()) {
            record.environment[name] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    });
    if (record.run.id.empty()) {
        throw Error("the run has no id", runFile.string(), "the file is damaged");
    }
    if (fs::exists(directory / "result.json")) {
        withJson(directory / "result.json",
                 [&](const json& object) { readResult(object, record); });
    } else {
        readEvents(directory / "events.jsonl", record);
    }
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(directory / "evaluations", none)) {
        if (entry.path().extension() == ".json") {
            record.run.evaluations.push_back(readEvaluation(entry.path()));
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
