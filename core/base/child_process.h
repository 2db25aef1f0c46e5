// Another program, run to its end, that never outlives this one.
//
// It gets a process group of its own and is killed when the thread that started it ends, however
// that happens (PR_SET_PDEATHSIG): start it from a thread that lives as long as it is wanted. When
// it has ended, whatever it left running in its group is killed too.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

struct ChildCommand {
    std::vector<std::string> arguments;              // the program first; found through PATH
    std::map<std::string, std::string> environment;  // beside what this program has
    std::filesystem::path folder = {};               // it is started in; empty: this program's
};

struct ChildOutcome {
    int exitCode = 0;  // 128 + signal where one ended it; 127: the program cannot be started
    bool stopped = false;
};

// onOutput gets what it writes to stdout and stderr, as it comes. A stop asks it to end (SIGTERM to
// the group) and makes it end 5 s later. Throws Error where no process can be made.
ChildOutcome runChild(const ChildCommand& command,
                      const std::function<void(std::string_view)>& onOutput,
                      const std::stop_token& stop = {});

}  // namespace cospadi
