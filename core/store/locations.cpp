#include "core/store/locations.h"

#include <cstdlib>

#include "core/base/folder_path.h"
#include "core/base/user_directories.h"

namespace cospadi {

namespace {

std::filesystem::path environmentPath(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? std::filesystem::path(value) : std::filesystem::path();
}

constexpr const char* kStoreFile = "cospadi.sqlite";

// Without a slash at its end.
std::filesystem::path plainRunsDirectory() {
    return withoutTrailingSlash(runsDirectory().lexically_normal());
}

}  // namespace

std::filesystem::path dataDirectory() {
    return xdgDirectory("XDG_DATA_HOME", ".local/share") / "cospadi";
}

std::filesystem::path runsDirectory() {
    const std::filesystem::path runs = environmentPath("COSPADI_RUNS");
    return runs.empty() ? dataDirectory() / "runs" : std::filesystem::absolute(runs);
}

std::filesystem::path runDirectoryNamed(const std::string& word) {
    std::error_code failed;
    for (const std::filesystem::path& place :
         {std::filesystem::path(word), runsDirectory() / word}) {
        if (!word.empty() && std::filesystem::exists(place / "run.json", failed)) {
            return place;
        }
    }
    return {};
}

std::filesystem::path storePath() { return plainRunsDirectory() / kStoreFile; }

std::filesystem::path olderStorePath() { return plainRunsDirectory().parent_path() / kStoreFile; }

}  // namespace cospadi
