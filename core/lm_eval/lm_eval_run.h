// lm-eval against a model or run of this program: a server on a free port, lm-eval as a child that
// asks it, and the results back as values.
//
// Nothing outlives the call: the child is killed with this process, the working folder is removed
// (after a kill −9, by the next call), and lm-eval's caches lie in it. Call it from the main thread
// (child_process.h).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/lm_eval/task_evaluation.h"

namespace cospadi {

struct LmEvalRequest {
    std::string model;  // path, run or "default"
    std::vector<std::string> tasks;
    std::optional<double> limit;  // items a task; below 1: a share of them
    std::optional<int> shots;     // the task's own where absent
    // Local data sets; empty: those of fetchedDataFor(), else lm-eval loads them from the network.
    std::filesystem::path data;
    bool mayUseFetched = true;      // false: where `data` is empty, from the network in any case
    std::filesystem::path include;  // folder of further task definitions; empty: none
    std::int64_t maxLength = kUsualMaxLength;  // tokens of a prompt with its answer
    // Prompts as messages, for /v1/chat/completions: the model's own template makes text of them,
    // or the one that is named. Only tasks that generate can be asked so.
    bool chat = false;
    std::string chatTemplate;
    int concurrent = 8;  // requests on their way at the same time
    int threads = 0;

    void validate() const;  // throws Error
};

struct LmEvalHooks {
    std::function<void(const std::string&)> step;  // what is being done, in words
    ProgressCallback progress;                     // requests done, of those of the kind at hand
};

struct LmEvalOutcome {
    TaskEvaluation evaluation;
    std::filesystem::path recordedAs;  // in the run, or the dense run of a model
    std::string unrecorded;            // why it could not take them; empty: it did
    std::int64_t computedTokens = 0;
    std::int64_t cachedTokens = 0;
};

// nullopt when cancelled. With keep, lm-eval's own files are copied there. Throws Error (with the
// end of what lm-eval said) where it fails or writes no results.
std::optional<LmEvalOutcome> runLmEval(const LmEvalRequest& request, const LmEvalHooks& hooks,
                                       const std::stop_token& stop,
                                       const std::filesystem::path& keep = {});

}  // namespace cospadi
