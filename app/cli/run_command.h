// Shared by `compress` and `demo`: a run with its progress on the terminal, then in the index.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/session.h"
#include "core/pipeline/compression_run.h"

namespace cospadi::cli {

RunSummary runWithProgress(const Session& session, const RunSpecification& specification,
                           const std::filesystem::path& directory, bool writeModel);

// Takes the run into the store; tag may be empty.
void indexRun(const RunSummary& run, const std::string& tag = "");

// A text by path, or by the word wikitext2 or c4 for those that ship.
std::filesystem::path textPath(const std::string& word);

}  // namespace cospadi::cli
