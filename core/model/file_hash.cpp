#include "core/model/file_hash.h"

#include <sys/stat.h>

#include <fstream>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/model/model_locator.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// Everything that changes when the file does. The time of change of its status cannot be set back
// as that of its content can.
std::string fingerprint(const fs::path& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) {
        throw Error("cannot be read", file.string(), "check the path and its permissions");
    }
    return fs::absolute(file).string() + "\n" + std::to_string(status.st_size) + " " +
           std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
           " " + std::to_string(status.st_ctim.tv_sec) + "." +
           std::to_string(status.st_ctim.tv_nsec) + " " + std::to_string(status.st_dev) + " " +
           std::to_string(status.st_ino);
}

}  // namespace

std::string cachedSha256(const fs::path& file) {
    const fs::path entry = cacheDirectory() / "sha256" / sha256OfString(fingerprint(file));
    std::string hash;
    if (std::ifstream stream(entry); stream >> hash && hash.size() == 64) {
        return hash;
    }
    hash = sha256OfFile(file);
    try {
        fs::create_directories(entry.parent_path());
        writeFileAtomically(entry, hash + "\n");
    } catch (const std::exception&) {
        // A cache that cannot be written costs time, nothing else.
    }
    return hash;
}

std::string cachedSha256(const fs::path& folder, const std::vector<fs::path>& files) {
    std::string lines;
    for (const fs::path& file : files) {
        lines += file.lexically_relative(folder).string() + " " + cachedSha256(file) + "\n";
    }
    return sha256OfString(lines);
}

}  // namespace cospadi
