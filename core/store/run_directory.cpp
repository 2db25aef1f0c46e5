#include "core/store/run_directory.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/methods/rho_candidates.h"
#include "core/store/artefacts.h"
#include "core/store/run_file.h"
#include "core/store/run_id.h"
#include "core/store/run_lock.h"
#include "core/store/run_settings.h"
#include "core/store/source_bytes.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr double kLargestCount = 0x1p53;  // what JSON's numbers hold exactly

// Absent and null fields keep their default; throws Error for another type or a count that cannot
// be.
template <class Value>
void take(const json& object, const char* field, Value& value) {
    const auto entry = object.find(field);
    if (entry == object.end() || entry->is_null()) {
        return;
    }
    if constexpr (std::is_same_v<Value, std::int64_t>) {
        if (!entry->is_number() || !(std::abs(entry->get<double>()) <= kLargestCount)) {
            throw Error(std::string("the field \"") + field + "\" is no count", "",
                        "the file is damaged or not one of ours");
        }
    }
    try {
        value = entry->get<Value>();
    } catch (const json::exception&) {
        throw Error(std::string("the field \"") + field + "\" has the wrong type", "",
                    "the file is damaged or not one of ours");
    }
}

// A list that may be absent.
json listIn(const json& object, const char* field) {
    const auto entry = object.find(field);
    if (entry == object.end() || entry->is_null()) {
        return json::array();
    }
    if (!entry->is_array()) {
        throw Error(std::string("the field \"") + field + "\" is no list", "",
                    "the file is damaged or not one of ours");
    }
    return *entry;
}

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
    if (const auto rho = specification.find("rho");
        rho != specification.end() && *rho == kAutoRho) {
        run.rho = RunRow::kEachItsOwnRho;
    } else {
        take(specification, "rho", run.rho);
    }
    take(specification, "accounting", run.accounting);
    take(specification, "iterations", run.iterations);
    take(specification, "power_iterations", run.powerIterations);
    // All 64 bits of a seed count; the store has no unsigned numbers.
    std::uint64_t seed = 0;
    take(specification, "seed", seed);
    run.seed = static_cast<std::int64_t>(seed);
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
    take(object, "held_out_error", row.heldOutError);
    take(object, "gram_shift", row.gramShift);
    take(object, "replaced_atoms", row.replacedAtoms);
    take(object, "iterations", row.iterations);
    take(object, "seconds", row.seconds);
    take(object, "core_seconds", row.coreSeconds);
    take(object, "coding_seconds", row.codingSeconds);
    take(object, "dictionary_seconds", row.dictionarySeconds);
    take(object, "active_atoms", row.activeAtoms);
    take(object, "multiplications", row.multiplications);
    take(object, "source_type", row.sourceType);
    take(object, "source_bytes", row.sourceBytes);
    return row;
}

// Of all layers that the run was begun for. What its result or events say comes after.
void readSource(const json& run, RunRow& row) {
    const auto source = run.find("source");
    if (source == run.end() || source->is_null()) {
        return;  // of before 0.2
    }
    if (!source->is_object()) {
        throw Error("the field \"source\" is no object", "",
                    "the file is damaged or not one of ours");
    }
    std::string type;
    std::int64_t bytes = 0;
    take(*source, "source_type", type);
    take(*source, "source_bytes", bytes);
    SourceBytes checked;
    checked.add(type, bytes);
    row.sourceType = checked.types();
    row.sourceBytes = checked.bytes();
}

// Whether other settings than `cr` decide over the bytes.
bool lacksRatio(const RunRow& run) {
    const Method* method = findMethod(run.method);
    if (method == nullptr || method->settings().empty()) {
        return false;
    }
    if (!method->uses("cr")) {
        return true;
    }
    const auto specification = specificationOf(run);
    return specification && !hasRatio(*specification);
}

// Where it has no ratio in its specification, it is what the bytes come to.
void settleRatio(RunRow& run) {
    if (lacksRatio(run)) {
        run.cr = std::round(run.measuredRatio() * 1e4) / 1e4;
    }
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
    take(result, "held_out_error", run.heldOutError);
    take(result, "core_seconds", run.coreSeconds);
    take(result, "source_type", run.sourceType);
    take(result, "source_bytes", run.sourceBytes);
    for (const json& matrix : listIn(result, "matrices")) {
        record.matrices.push_back(matrixRow(matrix));
    }
    run.matrices = static_cast<std::int64_t>(record.matrices.size());
}

// What the events of a run without result.json say: the matrices that it has finished, and how far
// it got.
class EventReader {
  public:
    explicit EventReader(RunRecord& record) : m_record(record) {}

    // Throws Error for an event with a field of the wrong type; then nothing of it counts.
    void read(const json& event) {
        std::string kind = m_last;
        double sinceStart = m_sinceStart;
        take(event, "event", kind);
        take(event, "t", sinceStart);
        if (kind == "matrix_started" || kind == "matrix_finished") {
            readMatrix(kind, event);
        } else if (kind == "run_finished") {
            std::string status;
            std::string message;
            take(event, "status", status);
            take(event, "message", message);
            m_record.run.status = status;
            m_record.run.message = message;
        }
        m_last = kind;
        m_sinceStart = sinceStart;
        double& seconds = m_record.run.seconds;
        if (kind == "run_started") {
            m_earlierStarts = std::isnan(seconds) ? 0 : seconds;
        }
        seconds = m_earlierStarts + m_sinceStart;
    }

    const std::string& last() const { return m_last; }

  private:
    void readMatrix(const std::string& kind, const json& event) {
        std::string name;
        take(event, "matrix", name);
        const auto earlier = m_started.find(name);
        json known = earlier == m_started.end() ? json::object() : earlier->second;
        known.update(event);
        const MatrixRow row = matrixRow(known);
        m_started[name] = std::move(known);
        if (kind == "matrix_finished") {
            const auto [place, isNew] = m_rowOf.emplace(name, m_record.matrices.size());
            if (isNew) {
                m_record.matrices.emplace_back();
            }
            m_record.matrices[place->second] = row;
        }
    }

    RunRecord& m_record;
    std::map<std::string, json> m_started;
    std::map<std::string, std::size_t> m_rowOf;
    std::string m_last;
    double m_sinceStart = 0;
    double m_earlierStarts = 0;
};

void addUp(const std::vector<MatrixRow>& matrices, RunRow& run) {
    double bytes = 0;
    double denseBytes = 0;
    double errors = 0;
    double heldOutErrors = 0;  // unknown as soon as one is
    double coreSeconds = 0;
    SourceBytes source;
    for (const MatrixRow& matrix : matrices) {
        bytes += static_cast<double>(matrix.bytes);
        denseBytes += static_cast<double>(matrix.denseBytes);
        source.add(matrix.sourceType, matrix.sourceBytes);
        errors += matrix.relativeError;
        heldOutErrors += matrix.heldOutError;
        coreSeconds += matrix.coreSeconds;
    }
    if (run.sourceBytes == 0) {  // a run.json of before 0.2: of the finished ones
        run.sourceType = source.types();
        run.sourceBytes = source.bytes();
    }
    run.coreSeconds = matrices.empty() ? unknownNumber : coreSeconds;
    // Whole numbers up to 2⁵³, which no disk holds; more is damage, and no overflow.
    run.layerBytes = static_cast<std::int64_t>(std::clamp(bytes, -kLargestCount, kLargestCount));
    run.denseBytes =
        static_cast<std::int64_t>(std::clamp(denseBytes, -kLargestCount, kLargestCount));
    run.matrices = static_cast<std::int64_t>(matrices.size());
    run.relativeError =
        matrices.empty() ? unknownNumber : errors / static_cast<double>(run.matrices);
    run.heldOutError =
        matrices.empty() ? unknownNumber : heldOutErrors / static_cast<double>(run.matrices);
}

void readEvents(const std::filesystem::path& path, RunRecord& record) {
    EventReader reader(record);
    std::int64_t foreign = 0;
    std::error_code absent;
    if (std::filesystem::exists(path, absent)) {
        const std::string text = readTextFile(path);
        for (std::string_view rest = text; !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const json event = eventOfLine(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (event.is_null()) {
                continue;  // half a line, where the process was killed
            }
            try {
                reader.read(event);
            } catch (const Error&) {
                ++foreign;
            }
        }
    }
    if (foreign > 0) {
        record.notes.push_back(path.string() + ": " + std::to_string(foreign) +
                               (foreign == 1 ? " event has a field" : " events have fields") +
                               " of the wrong type; passed over");
    }
    addUp(record.matrices, record.run);
    if (reader.last() == "run_finished") {
        return;
    }
    record.run.status = !isBeingWritten(path.parent_path()) ? "interrupted"
                        : reader.last() == "run_paused"     ? "paused"
                                                            : "running";
}

EvaluationRow readEvaluationFile(const std::filesystem::path& path) {
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
        for (const json& task : listIn(object, "tasks")) {
            row.version.clear();
            row.dataSha256.clear();
            row.samples = 0;
            row.shots = -1;
            take(task, "task", row.task);
            take(task, "version", row.version);
            take(task, "shots", row.shots);
            take(task, "samples", row.samples);
            take(task, "data_sha256", row.dataSha256);
            for (const json& metric : listIn(task, "metrics")) {
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

}  // namespace

std::string runIdIn(const std::filesystem::path& directory) {
    try {
        std::string id;
        take(readRunJson(directory / "run.json"), "id", id);
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
                    "give a directory that `cospadi compress` wrote");
    }
    RunRecord record;
    record.run.directory = fs::absolute(directory).lexically_normal().string();
    withJson(runFile, [&](const json& object) {
        std::int64_t format = 1;
        take(object, "format", format);
        if (format > 1) {
            throw Error("written by a newer cospadi", runFile.string(), "update cospadi");
        }
        take(object, "id", record.run.id);
        requireRunId(record.run.id, runFile.string());
        take(object, "created", record.run.created);
        const auto specification = object.find("specification");
        if (specification == object.end() || !specification->is_object()) {
            throw Error("has no specification", runFile.string(), "the file is damaged");
        }
        readSpecification(*specification, record.run);
        readSource(object, record.run);
        const json environment = object.value("environment", json::object());
        for (const auto& [name, value] : environment.items()) {
            record.environment[name] = value.is_string() ? value.get<std::string>() : value.dump();
        }
    });
    if (fs::exists(directory / "result.json", none)) {
        withJson(directory / "result.json",
                 [&](const json& object) { readResult(object, record); });
    } else {
        readEvents(directory / "events.jsonl", record);
    }
    settleRatio(record.run);
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
