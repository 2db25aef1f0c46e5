#include "core/run/environment.h"

#include <sys/utsname.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/program_revision.h"
#include "core/base/thread_pool.h"
#include "core/products/blas.h"
#include "cospadi_version.h"

namespace cospadi {

namespace {

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown";
}

std::string systemName() {
    utsname system{};
    return ::uname(&system) == 0 ? std::string(system.sysname) + " " + system.release : "unknown";
}

}  // namespace

nlohmann::json environmentRecord(const std::string& device) {
    return {{"version", COSPADI_VERSION},
            {"revision", programRevision()},
            {"cpu", processorName()},
            {"cores", ThreadPool::availableCores()},
            {"blas", blasDescription()},
            {"os", systemName()},
            {"device", device}};
}

}  // namespace cospadi
