#include "core/base/user_directories.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "core/base/error.h"

namespace cospadi {

namespace {

// Empty where it is not set, or relative.
std::filesystem::path absolutePathIn(const char* variable) {
    const char* value = std::getenv(variable);
    std::filesystem::path path(value != nullptr ? value : "");
    return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::filesystem::path homeDirectory() {
    std::filesystem::path home = absolutePathIn("HOME");
    if (home.empty()) {
        passwd entry{};
        passwd* found = nullptr;
        std::vector<char> texts(16'384);
        if (::getpwuid_r(::getuid(), &entry, texts.data(), texts.size(), &found) == 0 &&
            found != nullptr && found->pw_dir != nullptr) {
            home = found->pw_dir;
        }
    }
    if (!home.is_absolute()) {
        throw Error("is not set, and the user has no home directory", "HOME",
                    "set HOME, or XDG_DATA_HOME and XDG_CACHE_HOME, to folders that you own");
    }
    return home;
}

std::filesystem::path xdgDirectory(const char* variable, const char* underHome) {
    const std::filesystem::path given = absolutePathIn(variable);
    return given.empty() ? homeDirectory() / underHome : given;
}

}  // namespace cospadi
