#include "app/cli/compress_service.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "app/cli/run_command.h"
#include "core/base/error.h"
#include "core/run/compression_run.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_beginning.h"
#include "core/run/run_writer.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

using nlohmann::json;

namespace {

// Those that the index knows; a run does without one that is damaged, as its end will tell.
std::vector<std::filesystem::path> knownElsewhere(const std::filesystem::path& runs) {
    try {
        return runsElsewhere(RunStore::open(storePath()), runs);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

CompressionAsked compressionAsked(const json& params, const ComputeDevice& device) {
    CompressionAsked asked;
    asked.specification = resolved(runSpecificationFromJson(params.at("specification")));
    asked.directory = params.value("directory", "");
    std::optional<RunBeginning> beginning;
    if (asked.directory.empty()) {
        const std::filesystem::path runs = runsDirectory();
        beginning.emplace(asked.specification, runs, FinishedRuns::PassOver, knownElsewhere(runs));
        beginning->requireIdle();
        if (const auto& earlier = beginning->earlier()) {
            asked.specification = goingOn(*earlier, asked.specification);
            asked.directory = earlier->directory;
        }
    }
    if (asked.directory.empty()) {
        requireRunnable(asked.specification);  // before there is a folder that would be left
    }
    const RunWriter writer(asked.directory, asked.specification, device.description);
    asked.run = writer.id();
    asked.directory = writer.directory();
    return asked;
}

json compressAsJob(const CompressionAsked& asked, EngineJob& job, const ComputeDevice& device,
                   const SendEvent& send) {
    RunExecution execution;
    execution.writeModel = false;  // the window's runs load through their original model
    execution.gate = &job.gate;
    execution.device = device;
    // The window reads the run from the index when it hears the end: index it first.
    json end;
    execution.onEvent = [&](const json& event) {
        if (event.at("event") == "run_finished") {
            end = event;
        } else {
            send(event);
        }
    };
    try {
        indexRun(executeRun(asked.specification, asked.directory, execution, job.stop.get_token())
                     .directory);
    } catch (const std::exception& error) {
        end = runEnd(job.name, "failed", error.what());
    }
    if (end.is_null()) {  // the run had been finished before
        end = runEnd(job.name, "finished", "");
    }
    return end;
}

json runEnd(const std::string& run, const char* status, const std::string& message) {
    return {{"event", "run_finished"},
            {"run", run},
            {"status", status},
            {"message", message},
            {"seconds", 0}};
}

}  // namespace cospadi::cli
