// MLflow's file store: EXPERIMENT/RUN/meta.yaml, metrics/NAME with a line "milliseconds value step"
// a point, params/NAME and tags/NAME with the value as their text. A name with slashes is a path.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <sstream>

#include "core/base/error.h"
#include "core/records/tracked_run.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr double kMilliseconds = 1000;

YAML::Node metaOf(const fs::path& folder) {
    const fs::path file = folder / "meta.yaml";
    try {
        const YAML::Node meta = YAML::Load(readTextFile(file));
        if (!meta.IsMap()) {
            throw Error("is not an MLflow description", file.string(), "the file is damaged");
        }
        return meta;
    } catch (const YAML::Exception& error) {
        throw Error(fmt::format("is not YAML: {}", error.what()), file.string(),
                    "the file is damaged or incomplete");
    }
}

std::string textIn(const YAML::Node& meta, const char* field) {
    const YAML::Node value = meta[field];
    return value && value.IsScalar() ? value.Scalar() : "";
}

double numberIn(const YAML::Node& meta, const char* field) {
    try {
        return std::stod(textIn(meta, field));
    } catch (const std::exception&) {
        return std::nan("");
    }
}

// Every file below a folder, by its path there, which is its name for MLflow.
std::map<std::string, fs::path> namesBelow(const fs::path& folder) {
    std::map<std::string, fs::path> names;
    std::error_code failed;
    if (fs::is_directory(folder, failed)) {
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file()) {
                names[entry.path().lexically_relative(folder).generic_string()] = entry.path();
            }
        }
    }
    return names;
}

std::vector<TrackedPoint> pointsIn(const fs::path& file, std::vector<std::string>& notes) {
    std::istringstream lines(readTextFile(file));
    std::vector<TrackedPoint> points;
    std::size_t broken = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string milliseconds, value, step;
        words >> milliseconds >> value >> step;
        try {
            // Before MLflow 1.0 a line has no step.
            points.push_back({step.empty() ? static_cast<std::int64_t>(points.size())
                                           : static_cast<std::int64_t>(std::stoll(step)),
                              std::stod(value)});
        } catch (const std::exception&) {
            ++broken;
        }
    }
    if (broken > 0) {
        notes.push_back(fmt::format("{}: {} lines are not data points", file.string(), broken));
    }
    return points;
}

std::string statusOf(const YAML::Node& meta) {
    const std::string status = textIn(meta, "status");
    return status == "3" || status == "FINISHED" ? "finished"
           : status == "4" || status == "FAILED" ? "failed"
           : status == "5" || status == "KILLED" ? "cancelled"
                                                 : "interrupted";
}

}  // namespace

bool isMlflowRun(const fs::path& folder) {
    std::error_code failed;
    return fs::is_regular_file(folder / "meta.yaml", failed) &&
           fs::is_directory(folder / "metrics", failed);
}

TrackedRun readMlflowRun(const fs::path& folder) {
    const YAML::Node meta = metaOf(folder);
    TrackedRun run;
    run.tracker = "mlflow";
    run.source = folder;
    run.id = textIn(meta, "run_id").empty() ? folder.filename().string() : textIn(meta, "run_id");
    run.name = textIn(meta, "run_name");
    run.created = isoTimeOf(numberIn(meta, "start_time") / kMilliseconds);
    run.status = statusOf(meta);
    std::error_code failed;
    if (fs::is_regular_file(folder.parent_path() / "meta.yaml", failed)) {
        run.project = textIn(metaOf(folder.parent_path()), "name");
    }
    for (const auto& [name, file] : namesBelow(folder / "params")) {
        run.parameters[name] = readTextFile(file);
    }
    for (const auto& [name, file] : namesBelow(folder / "tags")) {
        if (!name.starts_with("mlflow.")) {
            run.tags.push_back(name + "=" + readTextFile(file));
        } else if (name == "mlflow.runName" && run.name.empty()) {
            run.name = readTextFile(file);
        }
    }
    for (const auto& [name, file] : namesBelow(folder / "metrics")) {
        run.metrics[name] = pointsIn(file, run.notes);
    }
    return run;
}

}  // namespace cospadi
