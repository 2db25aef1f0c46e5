#include "core/records/external_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/base/sha256.h"
#include "core/store/run_annotations.h"
#include "core/tensors/atomic_file.h"
#include "cospadi_version.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::array kTaskMetrics{"acc", "acc_norm"};
constexpr const char* kErrorByIteration = "relative_error";

// What trackers hold need not be UTF-8.
std::string textOfRecord(const json& value, int indent = -1) {
    return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string fileOfRecord(const json& value) { return textOfRecord(value, 1) + "\n"; }

json finiteOrNull(double value) { return std::isfinite(value) ? json(value) : json(); }

// "piqa/acc_norm" as {"piqa", "acc_norm"}; the last slash counts.
std::pair<std::string, std::string> splitName(const std::string& metric) {
    const std::size_t slash = metric.rfind('/');
    return slash == std::string::npos
               ? std::pair{std::string(), metric}
               : std::pair{metric.substr(0, slash), metric.substr(slash + 1)};
}

json recordsJson(const TrackedRun& run) {
    json metrics = json::object();
    for (const auto& [name, points] : run.metrics) {
        json steps = json::array(), values = json::array();
        for (const TrackedPoint& point : points) {
            steps.push_back(point.step);
            values.push_back(finiteOrNull(point.value));
        }
        metrics[name] = {{"steps", steps}, {"values", values}};
    }
    return {{"tracker", run.tracker}, {"id", run.id},     {"name", run.name},
            {"project", run.project}, {"tags", run.tags}, {"parameters", run.parameters},
            {"metrics", metrics}};
}

// In the order of the steps of all matrices, as a run would have told them.
std::string iterationEvents(const TrackedRun& run) {
    std::string lines;
    for (const auto& [name, points] : run.metrics) {
        const auto [matrix, metric] = splitName(name);
        if (matrix.empty() || metric != kErrorByIteration) {
            continue;
        }
        for (const TrackedPoint& point : points) {
            lines += textOfRecord({{"event", "iteration"},
                                   {"matrix", matrix},
                                   {"phase", run.tracker},
                                   {"iteration", point.step},
                                   {"relative_error", finiteOrNull(point.value)}}) +
                     "\n";
        }
    }
    return lines;
}

// What lm-eval's own loggers call their results; a tracker says no shots, samples or versions.
json taskResults(const TrackedRun& run) {
    std::map<std::string, json> tasks;
    for (const auto& [name, points] : run.metrics) {
        const auto [task, key] = splitName(name);
        const std::size_t comma = key.find(',');
        const std::string metric = key.substr(0, comma);
        const std::string filter = comma == std::string::npos ? "none" : key.substr(comma + 1);
        const bool isKnown =
            std::find(kTaskMetrics.begin(), kTaskMetrics.end(), metric) != kTaskMetrics.end();
        if (task.empty() || points.empty() || !isKnown) {
            continue;
        }
        json& entry = tasks[task];
        if (entry.is_null()) {
            entry = {{"task", task}, {"version", ""},     {"shots", -1},
                     {"samples", 0}, {"data_sha256", ""}, {"metrics", json::array()}};
        }
        entry["metrics"].push_back({{"metric", metric},
                                    {"filter", filter},
                                    {"value", finiteOrNull(points.back().value)},
                                    {"stderr", json()},
                                    {"higher_is_better", true}});
    }
    json list = json::array();
    for (auto& [task, entry] : tasks) {
        list.push_back(std::move(entry));
    }
    return list;
}

std::string noteOf(const TrackedRun& run) {
    constexpr std::size_t kMost = 8;
    std::string note = fmt::format("{} of {}{}{}", run.name.empty() ? run.id : run.name,
                                   run.tracker, run.project.empty() ? "" : ", ", run.project);
    std::size_t shown = 0;
    for (const auto& [name, points] : run.metrics) {
        if (!points.empty() && shown++ < kMost) {
            note += fmt::format("{}{} {:.6g}", shown == 1 ? ": " : ", ", name, points.back().value);
        }
    }
    return note + (shown > kMost ? fmt::format(", … ({} metrics)", run.metrics.size()) : "");
}

}  // namespace

fs::path writeTrackedRun(const fs::path& runs, const TrackedRun& tracked,
                         const ExternalModel& external) {
    const std::string created = tracked.created.empty()
                                    ? isoTimeOf(static_cast<double>(std::time(nullptr)))
                                    : tracked.created;
    const auto parameter = [&](const char* name) {
        const auto found = tracked.parameters.find(name);
        return found == tracked.parameters.end() ? std::string() : found->second;
    };
    json specification{{"model", external.model.empty() ? parameter("model") : external.model},
                       {"method", kExternalMethod}};
    if (!external.modelSha256.empty()) {
        specification["model_sha256"] = external.modelSha256;
    }
    std::string identity = tracked.tracker + "\n" + tracked.project + "\n" + tracked.id;
    if (tracked.tracker == "tensorboard") {  // which has no ids: folders of one name are many
        identity += "\n" + tracked.created;
    }
    if (external.stated) {
        validate(*external.stated);
        specification["stated"] = toJson(*external.stated);
        if (const auto ratio = external.stated->ratio()) {
            specification["cr"] = *ratio;
        }
        identity += textOfRecord(specification);
    }
    std::string day = created.substr(0, 10);
    std::erase(day, '-');
    const std::string id =
        fmt::format("{}-external-{}", day, sha256OfString(identity).substr(0, 8));
    // All texts before the first is written: nothing that cannot be told leaves half a run.
    const std::string document = fileOfRecord({{"format", 1},
                                               {"id", id},
                                               {"created", created},
                                               {"specification", specification},
                                               {"environment",
                                                {{"version", COSPADI_VERSION},
                                                 {"tracker", tracked.tracker},
                                                 {"tracker_run", tracked.id}}}});
    const std::string records = fileOfRecord(recordsJson(tracked));
    RunAnnotations annotations;
    annotations.tags = {tracked.tracker};
    annotations.notes = {{created, noteOf(tracked)}};
    const std::string events = iterationEvents(tracked);
    const json tasks = taskResults(tracked);
    const std::string results = fileOfRecord({{"kind", "lm-eval"},
                                              {"created", created},
                                              {"lm_eval_version", ""},
                                              {"model", specification["model"]},
                                              {"limit", json()},
                                              {"seconds", json()},
                                              {"samples", json::array()},
                                              {"tasks", tasks}});
    const std::string status = tracked.status == "interrupted" ? "cancelled" : tracked.status;
    const std::string end = fileOfRecord({{"status", status}, {"matrices", json::array()}});

    fs::path run = runs / id;
    fs::create_directories(run);
    writeFileAtomically(run / "run.json", document);
    writeFileAtomically(run / "records.json", records);
    if (!fs::exists(run / kAnnotationsFile)) {  // what people added since stays
        writeFileAtomically(run / kAnnotationsFile, annotationsText(annotations));
    }
    std::error_code failed;
    fs::remove(run / "events.jsonl", failed);
    if (!events.empty()) {
        writeFileAtomically(run / "events.jsonl", events);
    }
    const fs::path evaluation = run / "evaluations" / ("lm-eval-" + tracked.tracker + ".json");
    fs::remove(evaluation, failed);
    if (!tasks.empty()) {
        fs::create_directories(evaluation.parent_path());
        writeFileAtomically(evaluation, results);
    }
    writeFileAtomically(run / "result.json", end);
    return run;
}

}  // namespace cospadi
