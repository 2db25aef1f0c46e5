// The messages of `cospadi engine` (docs/formats.md, "The engine"). Every request is answered once,
// by a result or an error; events that belong to one name it by `request`.
#pragma once

#include <exception>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace cospadi::cli {

nlohmann::json resultMessage(const nlohmann::json& id, const nlohmann::json& result);

// With the three parts of a cospadi::Error; of any other exception its words, as of the engine.
nlohmann::json errorMessage(const nlohmann::json& id, const std::exception& error);

// Of a request that waited when the engine was told to end.
Error notBegun();

// The event as one of the request `id`, which is null where the request had none.
nlohmann::json eventOfRequest(const nlohmann::json& id, nlohmann::json event);

}  // namespace cospadi::cli
