// `cospadi lm-eval import`: results that lm-eval measured elsewhere, of runs of this program and of
// what other programs made.
#pragma once

#include <functional>

#include "app/cli/session.h"

namespace cospadi::cli {

struct LmEvalImport {
    Command command;
    std::function<int()> action;
};

// Below `lm-eval`, which calls the action where the command is chosen.
LmEvalImport addLmEvalImport(Command lmEval, Session& session);

}  // namespace cospadi::cli
