#include "core/records/mlflow_export.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/sha256.h"
#include "core/base/temporary_name.h"
#include "core/records/tracked_run.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kMillisecondsASecond = 1000;

// A text as YAML reads it back, whatever is in it.
std::string yamlText(const std::string& text) { return json(text).dump(); }

std::string withoutSlashes(std::string name) {
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

// MLflow takes letters, digits and _ - . : space / in a name. One with slashes is a path, which
// must stay in its folder and be as short as it can be.
std::string mlflowName(std::string name) {
    for (char& sign : name) {
        const bool isTaken = std::isalnum(static_cast<unsigned char>(sign)) != 0 ||
                             std::string_view("_-. /").find(sign) != std::string_view::npos;
        sign = isTaken ? sign : '_';
    }
    const bool isPath = !name.starts_with('/') && !name.ends_with('/') && !name.starts_with("..") &&
                        fs::path(name).lexically_normal() == name &&
                        name.find("//") == std::string::npos;
    return isPath ? name : withoutSlashes(std::move(name));
}

std::int64_t millisecondsOf(const std::string& iso) {
    std::tm time{};
    if (::strptime(iso.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) {
        return 0;
    }
    return static_cast<std::int64_t>(::timegm(&time)) * kMillisecondsASecond;
}

// An id of an experiment is a number, of a run 32 hexadecimal digits: the same at every export.
std::string experimentId(const std::string& name) {
    constexpr std::uint64_t kLargest = 1'000'000'000'000'000'000;
    const std::string digits = sha256OfString(name).substr(0, 16);
    return std::to_string(std::stoull(digits, nullptr, 16) % kLargest);
}

std::string uriOf(const fs::path& path) {
    std::string uri = "file://";
    for (const char sign : fs::absolute(path).lexically_normal().string()) {
        const bool isPlain = std::isalnum(static_cast<unsigned char>(sign)) != 0 ||
                             std::string_view("/-._~").find(sign) != std::string_view::npos;
        uri += isPlain ? std::string(1, sign)
                       : fmt::format("%{:02X}", static_cast<unsigned char>(sign));
    }
    return uri;
}

class RunFolder {
  public:
    RunFolder(fs::path folder, std::int64_t start) : m_folder(std::move(folder)), m_start(start) {
        for (const char* part : {"metrics", "params", "tags", "artifacts"}) {
            fs::create_directories(m_folder / part);
        }
    }

    void parameter(const std::string& name, const std::string& value) {
        constexpr std::size_t kLongest = 6000;  // MLflow's own limit
        write("params", name, value.substr(0, kLongest));
    }
    void tag(const std::string& name, const std::string& value) { write("tags", name, value); }

    void metric(const std::string& name, double value) {
        if (!std::isnan(value)) {
            addPoint(m_lines[mlflowName(name)], value, 0);
        }
    }
    void point(const std::string& name, double value, std::int64_t step) {
        if (!std::isnan(value)) {
            addPoint(m_lines[mlflowName(name)], value, step);
        }
    }

    std::size_t writeMetrics() {
        for (const auto& [name, lines] : m_lines) {
            write("metrics", name, lines);
        }
        return m_lines.size();
    }
    std::int64_t points() const { return m_points; }

  private:
    void addPoint(std::string& lines, double value, std::int64_t step) {
        lines += fmt::format("{} {:.17g} {}\n", m_start, value, step);
        ++m_points;
    }
    void write(const char* part, const std::string& name, const std::string& text) {
        const fs::path file = m_folder / part / name;
        fs::create_directories(file.parent_path());
        writeFileAtomically(file, text);
    }

    fs::path m_folder;
    std::int64_t m_start;
    std::map<std::string, std::string> m_lines;
    std::int64_t m_points = 0;
};

void addParameters(RunFolder& folder, const std::string& name, const json& value) {
    if (value.is_object()) {
        for (const auto& [inner, part] : value.items()) {
            addParameters(folder, name.empty() ? inner : name + "." + inner, part);
        }
    } else {
        folder.parameter(mlflowName(name), plainText(value));
    }
}

struct NamedResult {
    std::string name;
    double value;
    std::vector<std::string> measure;  // how it was measured, in the same order for all of a kind
};

// What several of one name were measured by differently stands in their names: as points of one
// metric they would pass for its history.
void addApart(RunFolder& folder, const std::vector<NamedResult>& results) {
    for (const NamedResult& result : results) {
        std::string name = result.name;
        for (std::size_t i = 0; i < result.measure.size(); ++i) {
            const bool differs =
                std::any_of(results.begin(), results.end(), [&](const NamedResult& other) {
                    return other.name == result.name && other.measure[i] != result.measure[i];
                });
            name += differs ? "-" + result.measure[i] : "";
        }
        folder.metric(name, result.value);
    }
}

std::string shortHash(const std::string& sha256) { return sha256.substr(0, 8); }

std::vector<NamedResult> perplexitiesOf(const RunRow& run) {
    std::vector<NamedResult> results;
    for (const EvaluationRow& evaluation : run.evaluations) {
        if (std::isnan(evaluation.perplexity)) {
            continue;  // of another kind
        }
        const std::string tokens =
            evaluation.maxTokens > 0 ? fmt::format("-{}", evaluation.maxTokens) : std::string();
        const std::string hash =
            evaluation.textSha256.empty() ? sha256OfString(evaluation.text) : evaluation.textSha256;
        results.push_back(
            {fmt::format("perplexity/{}-{}{}", fs::path(evaluation.text).stem().string(),
                         evaluation.context, tokens),
             evaluation.perplexity,
             {evaluation.score, shortHash(hash)}});
    }
    return results;
}

std::vector<NamedResult> taskResultsOf(const RunRow& run) {
    std::vector<NamedResult> results;
    for (const TaskResultRow& row : run.taskResults) {
        const std::string name = row.task + "/" + row.metric;
        const std::vector<std::string> measure{
            "filter-" + row.filter, "version-" + row.version,
            row.shots < 0 ? std::string("unknown-shots") : fmt::format("{}-shots", row.shots),
            fmt::format("{}-samples", row.samples), "data-" + shortHash(row.dataSha256)};
        results.push_back({name, row.value, measure});
        results.push_back({name + "_stderr", row.standardError, measure});
    }
    return results;
}

void addResults(RunFolder& folder, const RunRow& run) {
    const auto bytes = [](std::int64_t value) {
        return value > 0 ? static_cast<double>(value) : unknownNumber;
    };
    folder.metric("relative_error", run.relativeError);
    folder.metric("held_out_error", run.heldOutError);
    folder.metric("layer_bytes", bytes(run.layerBytes));
    folder.metric("dense_bytes", bytes(run.denseBytes));
    folder.metric("measured_cr", run.measuredRatio());
    folder.metric("seconds", run.seconds);
    folder.metric("core_seconds", run.coreSeconds);
    addApart(folder, perplexitiesOf(run));
    addApart(folder, taskResultsOf(run));
}

void addIterations(RunFolder& folder, const RunStore& store, const RunRow& run) {
    for (const MatrixIterations& matrix : store.iterations(run.id).matrices) {
        for (std::size_t i = 0; i < matrix.size(); ++i) {
            const std::int64_t step = matrix.iteration[i];
            folder.point(matrix.matrix + "/relative_error",
                         static_cast<double>(matrix.relativeError[i]), step);
            if (i < matrix.heldOutError.size()) {
                folder.point(matrix.matrix + "/held_out_error",
                             static_cast<double>(matrix.heldOutError[i]), step);
            }
        }
    }
    for (const MatrixRow& matrix : store.matrices(run.id)) {
        folder.metric(matrix.name + "/stored_error", matrix.relativeError);
        folder.metric(matrix.name + "/bytes", static_cast<double>(matrix.bytes));
    }
}

void addArtefacts(const fs::path& folder, const RunStore& store, const RunRow& run,
                  bool withMatrices) {
    const fs::path source = store.directoryOf(run.id);
    for (const ArtefactRow& artefact : store.artefacts(run.id)) {
        const bool isLarge = artefact.kind == "matrix" || artefact.kind == "model";
        if (artefact.kind == "model" || (isLarge && !withMatrices)) {
            continue;
        }
        const fs::path target = folder / "artifacts" / artefact.path;
        fs::create_directories(target.parent_path());
        linkOrCopy(source / artefact.path, target);
    }
}

std::string metaText(const RunRow& run, const std::string& id, const std::string& experiment,
                     const fs::path& place, std::int64_t start) {
    const bool isDone = run.status == "finished";
    const int status = isDone ? 3 : run.status == "failed" ? 4 : run.status == "running" ? 1 : 5;
    const double seconds = std::isnan(run.seconds) ? 0 : run.seconds;
    const std::int64_t end =
        start + static_cast<std::int64_t>(seconds * static_cast<double>(kMillisecondsASecond));
    return fmt::format(
        "artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\n"
        "lifecycle_stage: active\nrun_id: {}\nrun_name: {}\nrun_uuid: {}\nsource_name: ''\n"
        "source_type: 4\nsource_version: ''\nstart_time: {}\nstatus: {}\ntags: []\n"
        "user_id: cospadi\n",
        yamlText(uriOf(place / "artifacts")),
        status == 1 ? std::string("null") : std::to_string(end), experiment, yamlText(id),
        yamlText(run.id), yamlText(id), start, status);
}

void writeExperiment(const fs::path& folder, const std::string& id, const std::string& name) {
    fs::create_directories(folder);
    if (fs::exists(folder / "meta.yaml")) {
        return;
    }
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
    writeFileAtomically(folder / "meta.yaml",
                        fmt::format("artifact_location: {}\ncreation_time: {}\n"
                                    "experiment_id: '{}'\nlast_update_time: {}\n"
                                    "lifecycle_stage: active\nname: {}\n",
                                    yamlText(uriOf(folder)), now, id, now, yamlText(name)));
}

}  // namespace

MlflowExport exportToMlflow(const fs::path& folder, const RunStore& store,
                            const std::vector<std::string>& ids,
                            const MlflowExportOptions& options) {
    std::error_code failed;
    if (fs::exists(folder, failed) && !fs::is_directory(folder, failed)) {
        throw Error("is a file", folder.string(), "give a folder, such as mlruns");
    }
    const std::string experiment = experimentId(options.experiment);
    const fs::path place = folder / experiment;
    writeExperiment(place, experiment, options.experiment);
    MlflowExport made;
    for (const std::string& word : ids) {
        const RunRow run = store.find(word);
        const std::string id = sha256OfString(run.id).substr(0, 32);
        const fs::path target = place / id;
        const fs::path temporary = temporaryNameOf(target);
        const std::int64_t start = millisecondsOf(run.created);
        try {
            RunFolder written(temporary, start);
            addParameters(written, "", json::parse(run.specification));
            addResults(written, run);
            addIterations(written, store, run);
            addArtefacts(temporary, store, run, options.matrices);
            written.tag("mlflow.runName", run.id);
            written.tag("cospadi.run", run.id);
            for (const std::string& tag : run.tags) {
                // Beside "paper" there may be "paper/ablation", which cannot be a file in a file.
                written.tag("cospadi.tag." + withoutSlashes(mlflowName(tag)), tag);
            }
            if (!run.note.empty()) {
                written.tag("mlflow.note.content", run.note);
            }
            made.metrics += static_cast<std::int64_t>(written.writeMetrics());
            made.points += written.points();
            writeFileAtomically(temporary / "meta.yaml",
                                metaText(run, id, experiment, target, start));
            fs::remove_all(target);
            fs::rename(temporary, target);
        } catch (...) {
            fs::remove_all(temporary, failed);
            throw;
        }
        made.runs.push_back(target);
    }
    return made;
}

}  // namespace cospadi
