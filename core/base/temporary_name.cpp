#include "core/base/temporary_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <vector>

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".tmp.";
constexpr std::size_t kRandomLetters = 10;

}  // namespace

bool isTemporaryName(const std::string& name) { return name.find(kMark) != std::string::npos; }

fs::path temporaryNameOf(const fs::path& target) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::string name = target.filename().string() + kMark;
    for (std::size_t i = 0; i < kRandomLetters; ++i) {
        name += letters[random() % letters.size()];
    }
    return target.parent_path() / name;
}

bool isNameOf(int descriptor, const fs::path& name) {
    struct stat open {};
    struct stat named {};
    return ::fstat(descriptor, &open) == 0 && ::lstat(name.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

bool holdTemporary(int descriptor, const fs::path& name) {
    // Where the file system has no locks, nothing of its is swept up either.
    static_cast<void>(::flock(descriptor, LOCK_EX));
    return isNameOf(descriptor, name);
}

void removeAbandoned(const fs::path& folder, const std::string& beginning) {
    std::error_code failed;
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with(beginning) && isTemporaryName(name)) {
            found.push_back(entry->path());
        }
    }
    for (const fs::path& path : found) {
        const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (descriptor < 0) {
            continue;
        }
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isNameOf(descriptor, path)) {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
        ::close(descriptor);
    }
}

}  // namespace cospadi
