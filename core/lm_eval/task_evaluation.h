// Results files of lm-eval, this program's own runs of it and those of others, as values; and their
// place in a run: evaluations/lm-eval-….json (docs/formats.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/store/run_row.h"
#include "core/store/stated_compression.h"

namespace cospadi {

// Tokens of a prompt with its answer, as lm-eval has it by default. Longer or shorter prompts are
// another question: versions of tasks end in " max_length 512" then. versionAtLength() also takes
// versions that end so already.
inline constexpr std::int64_t kUsualMaxLength = 2048;
std::string versionAtLength(const std::string& version, std::int64_t maxLength);
std::int64_t lengthOf(const std::string& version);  // 0 where it is told and is no number
bool isOfLength(const std::string& version, std::int64_t maxLength);

struct TaskEvaluation {
    std::string model;  // as lm-eval was told
    std::string lmEvalVersion;
    std::string created;             // ISO 8601, UTC
    double limit = 0;                // --limit; 0: none
    double seconds = unknownNumber;  // of the whole evaluation
    // By which prompts were made of messages, "unknown" where the file does not say; empty: they
    // were plain text. It is another question then: versions of tasks end in " chat".
    std::string chatTemplate;
    std::vector<TaskResultRow> results;  // file is empty
    std::filesystem::path source;        // the results file
    std::vector<std::filesystem::path> samples;
};

// Reads a results*.json, or the newest one in a folder (lm-eval makes one a model in it), with the
// samples files of the same moment beside it. Bare NaN and "N/A" count as unknown; the length of
// prompts is the usual one where the model's arguments have no max_length. Throws Error where there
// is none (lm-eval wrote nothing), where the file is cut off, and where it holds no results.
TaskEvaluation readTaskEvaluation(const std::filesystem::path& fileOrFolder);

// The results file as evaluations/lm-eval-HASH.json of the run, the original and its samples in a
// folder of that name beside it. The same tasks in the same versions, shots and samples take the
// place of earlier ones. Returns the file.
std::filesystem::path recordTaskEvaluation(const std::filesystem::path& run,
                                           const TaskEvaluation& evaluation);

// What the run has recorded for the same tasks in the same versions, shots, samples and data;
// nullopt where it has not. Only those fields of `question` count.
std::optional<TaskEvaluation> recordedTaskEvaluation(const std::filesystem::path& run,
                                                     const TaskEvaluation& question);

// Of which model the results are that belong to no run here.
struct ExternalModel {
    std::string model;        // the one that was compressed; empty: what lm-eval calls it
    std::string modelSha256;  // where it lies on this machine, else empty
    std::optional<StatedCompression> stated;
};

// A run directory of its own for results that belong to no run here (a model measured elsewhere):
// method `external`, no matrices, no bytes of layers, whatever is stated of them. Returns the
// directory; the same results with the same words give the same one. Throws Error as validate().
std::filesystem::path writeExternalRun(const std::filesystem::path& runs,
                                       const TaskEvaluation& evaluation,
                                       const ExternalModel& external = {});

}  // namespace cospadi
