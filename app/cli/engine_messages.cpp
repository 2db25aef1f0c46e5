#include "app/cli/engine_messages.h"

namespace cospadi::cli {

using nlohmann::json;

json resultMessage(const json& id, const json& result) { return {{"id", id}, {"result", result}}; }

json errorMessage(const json& id, const std::exception& error) {
    const auto* ours = dynamic_cast<const Error*>(&error);
    return {{"id", id},
            {"error",
             {{"message", ours != nullptr ? ours->problem() : error.what()},
              {"where", ours != nullptr ? ours->where() : "engine"},
              {"hint", ours != nullptr ? ours->hint() : ""}}}};
}

Error notBegun() { return Error("cancelled before it started", "engine", ""); }

json eventOfRequest(const json& id, json event) {
    if (!id.is_null()) {
        event["request"] = id;
    }
    return event;
}

}  // namespace cospadi::cli
