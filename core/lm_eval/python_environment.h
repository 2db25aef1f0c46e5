// A Python environment of the program's own, with lm-eval in a fixed version and nothing that it
// does not need for a model behind HTTP (no torch).
//
// It lies in the user's data directory and is made once: `python3 -m venv`, then pip, which
// installs what resources/lm_eval/requirements.txt locks, every file checked by its hash. Two
// processes at a time are kept apart by a lock; one that was interrupted is made again.
//
// Python looks for modules in the folder that it is started in before all others. Whoever starts it
// here does so isolated (-I), or in a folder of the program's own and with kSafePath.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace cospadi {

inline constexpr const char* lmEvalVersion = "0.4.13";

// Set to 1 in the environment: neither the current folder nor a script's is searched for modules
// (Python 3.11 and newer), also in what Python starts itself.
inline constexpr const char* kSafePath = "PYTHONSAFEPATH";

struct PythonEnvironment {
    std::filesystem::path python;  // its interpreter
    std::filesystem::path tasks;   // lm_eval/tasks of the installed package
};

// onStep is told what is being done, in words, where something has to be done. Throws Error (with
// the end of what pip said) where Python, its venv module or the packages are unavailable, and when
// cancelled. COSPADI_LM_EVAL_PYTHON names another interpreter, which must have lm-eval.
PythonEnvironment lmEvalEnvironment(const std::function<void(const std::string&)>& onStep = {},
                                    const std::stop_token& stop = {});

}  // namespace cospadi
