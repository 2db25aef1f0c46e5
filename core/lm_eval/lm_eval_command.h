// How lm-eval is started against the server of a run, and what its failures mean.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/child_process.h"
#include "core/lm_eval/lm_eval_run.h"

namespace cospadi {

struct ServedModel {
    std::string name;  // without what model_args are parsed by
    std::string url;   // http://127.0.0.1:PORT
};

// Results go to work/out; tasks of work/tasks are told where data or definitions are the user's.
ChildCommand lmEvalCommand(const LmEvalRequest& request, const std::filesystem::path& python,
                           const ServedModel& served, const std::filesystem::path& work);

// Of tasks known by name: they compare how likely answers are, which lm-eval does not ask of chats.
bool scoresLikelihoods(const std::string& task);

// The last lines of what it said, which tell why it failed.
std::string endOfOutput(const std::string& said);
// Throws the Error that a failure of lm-eval amounts to, from what it said.
[[noreturn]] void failAsItSays(int exitCode, const std::string& said, const LmEvalRequest& request);

}  // namespace cospadi
