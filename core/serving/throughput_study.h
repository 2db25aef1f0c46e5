// The paper's two throughput studies of a stored run, or of the dense model by its dense run: every
// number of users with every prompt length. Each point is recorded with the run as it is there
// (store/throughput.h), so that a second start measures what is missing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/serving/load_generator.h"
#include "core/store/throughput.h"

namespace cospadi {

struct ThroughputStudy {
    ThroughputMode mode = ThroughputMode::Synchronous;
    std::vector<std::int32_t> users = {1};  // of the synchronous one: 1 alone
    std::vector<std::int32_t> prompts = {1, 16, 32, 64, 128, 256};
    std::int64_t tokens = 64;
    std::int64_t rounds = 3;
    int threads = 0;                 // of the forward pass; 0: all cores
    std::string text = "wikitext2";  // prompts are taken from it

    ThroughputRecord record() const;  // of this machine, without points
};

// Throws Error naming the field for empty lists, counts below 1, and users of a synchronous study.
void validate(const ThroughputStudy& study, const std::string& prefix);

// Users and prompt lengths that the run has no answer to; all of them where there is no run yet
// (an empty path).
std::vector<std::pair<std::int64_t, std::int64_t>> missingPoints(const std::filesystem::path& run,
                                                                 const ThroughputStudy& study);

// Puts users onto the server at `url`, as loadServer() does; `from`: LoadStudy's `place`.
using LoadProgram = std::function<std::optional<ThroughputPoint>(
    const std::string& url, const LoadStudy& load, std::int64_t from, const std::stop_token& stop)>;

// The first 256 KiB of a text, a file or the word of one that ships, to a whole character.
std::string promptText(const std::string& text);

// A load program in this process: threads beside the server's.
LoadProgram loadWithin(const std::string& text);

// False where a stop was asked for; points that were measured are recorded. Of the asynchronous
// study the model is served at 127.0.0.1, at a port that is free, without a prefix cache. Throws
// Error for what cannot be loaded, measured or recorded.
bool studyThroughput(const std::filesystem::path& run, const ThroughputStudy& study,
                     const LoadProgram& load, const ProgressCallback& progress = {},
                     const std::stop_token& stop = {});

}  // namespace cospadi
