// `compress` of the engine: a run as one of its jobs, by the code of `cospadi compress`. Its events
// stand in docs/formats.md, "The engine".
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/engine_jobs.h"
#include "core/linalg/compute_device.h"
#include "core/store/run_specification.h"

namespace cospadi::cli {

struct CompressionAsked {
    RunSpecification specification;  // on this machine
    std::filesystem::path directory;
    std::string run;  // its id
};

// Of a request's parameters. Without a directory it goes on with an unfinished run of the same
// settings. The run is opened, which settles its id; throws Error where that refuses other
// settings, or where the run is being written.
CompressionAsked compressionAsked(const nlohmann::json& params, const ComputeDevice& device);

// Works the run off and takes it into the index, all events but the last sent as they come. Returns
// `run_finished`, whatever happened: who hears it reads the run from the index.
nlohmann::json compressAsJob(const CompressionAsked& asked, EngineJob& job,
                             const ComputeDevice& device, const SendEvent& send);

// The last event of a run that could not say it itself.
nlohmann::json runEnd(const std::string& run, const char* status, const std::string& message);

}  // namespace cospadi::cli
