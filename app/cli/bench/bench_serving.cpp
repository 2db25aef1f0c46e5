#include "app/cli/bench/bench_serving.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/load_program.h"
#include "app/cli/run_command.h"
#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/report/report.h"
#include "core/run/dense_run.h"
#include "core/store/locations.h"
#include "core/store/run_directory.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::vector<ThroughputStudy> studiesOf(const ServingBench& options) {
    std::vector<ThroughputStudy> studies;
    for (const ThroughputMode mode : {ThroughputMode::Synchronous, ThroughputMode::Asynchronous}) {
        if (options.mode != "both" && options.mode != name(mode)) {
            continue;
        }
        ThroughputStudy study;
        study.mode = mode;
        study.tokens = options.quick ? 8 : options.tokens;
        study.rounds = options.quick ? 1 : options.rounds;
        const bool isServed = mode == ThroughputMode::Asynchronous;
        if (isServed) {
            study.prompts.pop_back();  // the paper's has no prompts of 256
            study.users = options.quick ? std::vector<std::int32_t>{1, 4}
                                        : std::vector<std::int32_t>{1, 4, 8, 16};
        }
        if (options.quick) {
            study.prompts = {1, 16};
        }
        if (!options.prompts.empty()) {
            study.prompts = options.prompts;
        }
        if (isServed && !options.users.empty()) {
            study.users = options.users;
        }
        asUsage([&] { validate(study, "--"); });
        studies.push_back(study);
    }
    return studies;
}

// A stored run, or the run of a dense model.
fs::path servedRun(const std::string& word) {
    fs::path run = runDirectoryOf(word);
    run = run.empty() ? denseRunOf(word) : run;
    if (run.empty()) {
        throw Error("is neither a run nor a dense model", word,
                    "give the run that the folder was made from: results are stored with it");
    }
    return run;
}

json recordsJson(const fs::path& run) {
    json records = json::array();
    for (const ThroughputRecord& record : throughputOf(run)) {
        json& one = records.emplace_back(json{{"mode", name(record.mode)},
                                              {"tokens", record.tokens},
                                              {"rounds", record.rounds},
                                              {"threads", record.threads},
                                              {"points", json::array()}});
        for (const ThroughputPoint& point : record.points) {
            one["points"].push_back(toJson(point));
        }
    }
    return records;
}

}  // namespace

int benchServing(const Session& session, const ServingBench& options) {
    if (options.runs.empty()) {
        throw UsageError(
            "no run is given", "bench serving",
            "give ids or directories of runs, or models, such as default, for dense runs");
    }
    const std::vector<ThroughputStudy> studies = studiesOf(options);
    requireStore();
    std::vector<fs::path> runs;
    for (const std::string& word : options.runs) {
        runs.push_back(servedRun(word));
    }
    json measured = json::array();
    RunSelection selection;
    selection.filter.ids.emplace();
    selection.filter.includeArchived = true;
    ProgressLine line;
    for (const fs::path& run : runs) {
        for (const ThroughputStudy& study : studies) {
            const auto progress = session.progress(line);
            if (!studyThroughput(run, study, loadOutside(study.text), progress,
                                 session.signals.token())) {
                return kCancelled;
            }
        }
        indexRun(run);
        selection.filter.ids->push_back(runIdIn(run));
        measured.push_back({{"run", selection.filter.ids->back()},
                            {"directory", run.string()},
                            {"records", recordsJson(run)}});
    }
    line.clear();
    const RunStore store = RunStore::openForReading(storePath());
    std::string text;
    for (const ThroughputStudy& study : studies) {
        const char* preset =
            study.mode == ThroughputMode::Synchronous ? "throughput" : "serving-grid";
        text += render(buildReport(store, preset, selection), ReportFormat::Terminal) + "\n";
    }
    text += render(buildReport(store, "latency", selection), ReportFormat::Terminal);
    session.print(text, {{"runs", measured}});
    return kOk;
}

}  // namespace cospadi::cli
