// `reproduce` of the engine: a table or figure of the paper as one of its jobs, by the code of
// `cospadi reproduce`. What it sends meanwhile stands in docs/formats.md, "The engine".
#pragma once

#include <nlohmann/json.hpp>

#include "app/cli/engine_jobs.h"
#include "core/linalg/compute_device.h"
#include "core/reproduce/reproduction.h"

namespace cospadi::cli {

struct ReproductionAsked {
    Reproduction entry;  // one that can be made
    std::string model;
    ProtocolSize size = ProtocolSize::Full;
};

// Of a request's parameters. Throws as availableReproduction() does.
ReproductionAsked reproductionAsked(const nlohmann::json& params);

// Makes what is missing; the result of the request. Throws Error "cancelled" where the job was
// stopped, and as planHere() does.
nlohmann::json reproduceAsJob(const ReproductionAsked& asked, EngineJob& job,
                              const ComputeDevice& device, const SendEvent& send);

}  // namespace cospadi::cli
