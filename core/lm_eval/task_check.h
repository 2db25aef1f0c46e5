// Whether the real lm-eval can ask tasks on this machine, found before runs are made that nobody
// could ask. It is the lm-eval of python_environment.h that says so: it loads the tasks as it will
// for asking, with their data sets, and asks nothing.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "core/lm_eval/planned_tasks.h"

namespace cospadi {

// Native ones have been read by PlannedTasks: nothing is looked at. Takes as long as lm-eval takes
// to start, and what has to be loaded from the network takes; onStep is told what is being done, in
// words. Throws Error naming what is missing and what to do: Python or the packages
// (lmEvalEnvironment()), a task, a data set that is neither in the plan's folder nor to be had from
// the network, nltk's sentences; and when cancelled. From a thread that lives on (child_process.h).
void requireAskable(const TaskPlan& plan, const std::function<void(const std::string&)>& onStep,
                    const std::stop_token& stop);

}  // namespace cospadi
