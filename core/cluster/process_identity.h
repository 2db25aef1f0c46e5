// Which process, of which machine, holds something on a file system that several machines share.
// A process id alone does not say: machines, and containers of one machine, have ids of their own,
// and an id is given again when its process is gone.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cospadi {

struct ProcessIdentity {
    std::string host;
    std::string boot;          // of the kernel: another one after a restart
    std::string pidNamespace;  // a container's ids are its own
    std::int64_t pid = 0;
    std::uint64_t started = 0;  // clock ticks from the boot to its start; 0 unknown
};

// Of this process. What the system does not tell is empty, or 0.
ProcessIdentity thisProcess();

// From here: Unknown where it runs on another machine or in another container.
enum class Existence { Runs, Gone, Unknown };
Existence existenceOf(const ProcessIdentity& process);

nlohmann::json toJson(const ProcessIdentity& process);
// Absent and ill-typed fields are empty: such a process' existence is unknown.
ProcessIdentity processFromJson(const nlohmann::json& json);

}  // namespace cospadi
