// The data with which nltk cuts texts into sentences (punkt_tab): IFEval counts them, and loads the
// data from the network when its module is imported. Where that fails lm-eval goes on, and ends
// only when all answers are there; so it is seen to before.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/lm_eval/python_environment.h"

namespace cospadi {

// The value for NLTK_DATA: a folder in the user's data directory that has punkt_tab, before those
// that the variable names already; empty where no task wants it. Throws Error where the data are
// neither on this machine nor to be had from the network.
std::filesystem::path nltkDataFor(const std::vector<std::string>& tasks,
                                  const PythonEnvironment& environment,
                                  const std::function<void(const std::string&)>& onStep,
                                  const std::stop_token& stop);

}  // namespace cospadi
