#include "core/base/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace cospadi {

namespace {

// MemAvailable of /proc/meminfo, in bytes.
std::int64_t systemsMemory() {
    std::ifstream stream("/proc/meminfo");
    for (std::string name; stream >> name;) {
        std::int64_t kilobytes = 0;
        if (name == "MemAvailable:" && stream >> kilobytes) {
            return kilobytes * 1024;
        }
        std::getline(stream, name);
    }
    return 0;
}

// -1 where there is no limit ("max") or no such file.
std::int64_t numberIn(const char* path) {
    std::ifstream stream(path);
    std::int64_t number = 0;
    return stream >> number ? number : -1;
}

}  // namespace

std::int64_t availableMemory() {
    const std::int64_t system = systemsMemory();
    const std::int64_t limit = numberIn("/sys/fs/cgroup/memory.max");
    const std::int64_t used = numberIn("/sys/fs/cgroup/memory.current");
    if (limit < 0 || used < 0) {
        return system;
    }
    const std::int64_t left = std::max<std::int64_t>(0, limit - used);
    return system > 0 ? std::min(system, left) : left;
}

}  // namespace cospadi
