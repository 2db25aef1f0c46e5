#include "core/cluster/process_identity.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

namespace cospadi {

namespace {

std::string firstLineOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

struct ProcessStatus {
    char state = 0;
    std::uint64_t started = 0;
};

// Nothing where there is no such process.
std::optional<ProcessStatus> statusOf(std::int64_t pid) {
    const std::string line = firstLineOf("/proc/" + std::to_string(pid) + "/stat");
    // PID (NAME) STATE …: the name may hold anything, also brackets and blanks.
    const std::size_t end = line.rfind(')');
    if (end == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream rest(line.substr(end + 1));
    ProcessStatus status;
    rest >> status.state;
    std::string field;
    constexpr int kBetweenStateAndStart = 18;  // proc(5): fields 3 and 22
    for (int i = 0; i < kBetweenStateAndStart; ++i) {
        rest >> field;
    }
    rest >> status.started;
    return rest ? std::optional(status) : std::nullopt;
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string pidNamespace() {
    std::error_code failed;
    const auto link = std::filesystem::read_symlink("/proc/self/ns/pid", failed);
    return failed ? "" : link.string();
}

template <class Value>
Value valueIn(const nlohmann::json& object, const char* field) {
    try {
        return object.at(field).template get<Value>();
    } catch (const nlohmann::json::exception&) {
        return {};
    }
}

}  // namespace

ProcessIdentity thisProcess() {
    ProcessIdentity process;
    process.host = hostName();
    process.boot = firstLineOf("/proc/sys/kernel/random/boot_id");
    process.pidNamespace = pidNamespace();
    process.pid = ::getpid();
    process.started = statusOf(process.pid).value_or(ProcessStatus{}).started;
    return process;
}

Existence existenceOf(const ProcessIdentity& process) {
    const ProcessIdentity here = thisProcess();
    if (process.pid <= 0 || process.boot.empty() || process.pidNamespace.empty() ||
        process.boot != here.boot || process.pidNamespace != here.pidNamespace ||
        here.started == 0) {
        return Existence::Unknown;
    }
    const auto status = statusOf(process.pid);
    const bool runs = status && status->started == process.started && status->state != 'Z' &&
                      status->state != 'X';
    return runs ? Existence::Runs : Existence::Gone;
}

nlohmann::json toJson(const ProcessIdentity& process) {
    return {{"host", process.host},
            {"boot", process.boot},
            {"pid_namespace", process.pidNamespace},
            {"pid", process.pid},
            {"started", process.started}};
}

ProcessIdentity processFromJson(const nlohmann::json& object) {
    return {valueIn<std::string>(object, "host"), valueIn<std::string>(object, "boot"),
            valueIn<std::string>(object, "pid_namespace"), valueIn<std::int64_t>(object, "pid"),
            valueIn<std::uint64_t>(object, "started")};
}

}  // namespace cospadi
