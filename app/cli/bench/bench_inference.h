// `cospadi bench inference`: generation speed with dense, low-rank and sparse-dictionary layers at
// equal storage, over prompt lengths and numbers of concurrent users (the paper's two throughput
// studies), beside the rate at which this machine reads memory.
#pragma once

#include "app/cli/session.h"

namespace cospadi::cli {

int benchInference(const Session& session, const std::string& model, double cr, bool quick);

}  // namespace cospadi::cli
