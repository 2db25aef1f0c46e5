// `cospadi bench errors`: what the default solver leaves of real matrices, over ρ, compression
// ratio and accounting, against the errors that were stored before.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

struct ErrorBenchOptions {
    std::string model = "default";
    std::string layers;     // regex; empty: the eight of kLayers
    std::string reference;  // CSV; empty: the one that ships
    std::string csv;        // where to write this run's; empty: nowhere
    bool quick = false;
};

// Misses its target where a point is more than 2 % above the reference, or where more bytes end in
// a larger error than fewer did (same layer, ρ and accounting).
int benchErrors(const Session& session, const ErrorBenchOptions& options);

}  // namespace cospadi::cli
