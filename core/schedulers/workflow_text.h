// The pieces of text that the files for other engines (workflow_file.h) are put together from.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/schedulers/slurm_script.h"

namespace cospadi::workflow {

// In quotes, as JSON, YAML and Python read it alike.
std::string quotedText(const std::string& text);

// Every line behind `by`; empty ones stay empty.
std::string indented(const std::string& text, const std::string& by);

// The lines of options.setup; empty where there are none. Throws Error for a file that cannot be
// read.
std::string setupLines(const SlurmOptions& options);

// What the file is and how it is started, behind the hash sign that begins a comment in every one
// of them.
std::string heading(const SweepContract& contract, const std::string& engine,
                    const std::string& start);

// "'/usr/bin/cospadi' job --sweep '/shared/sweep.json'"
std::string jobWords(const SweepContract& contract, const std::filesystem::path& program);

// "a100:2" is of a kind, "2" of any.
std::pair<std::string, std::string> gpuKindAndCount(const std::string& gpus);

// Throws Error where one is named.
void refusePartition(const SlurmOptions& options, const std::string& engine);

}  // namespace cospadi::workflow
