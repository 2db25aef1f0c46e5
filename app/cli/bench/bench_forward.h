// `cospadi bench forward`: perplexity in tokens a second, against the machine's GEMM rate and,
// where a Python with llama-cpp-python is named, against llama.cpp.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

// 2048 tokens of WikiText-2 in chunks of 512; quick: 1024. peerPython may be empty.
int benchForward(const Session& session, const std::string& model, const std::string& peerPython,
                 bool quick);

}  // namespace cospadi::cli
