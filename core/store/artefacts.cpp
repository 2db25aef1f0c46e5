#include "core/store/artefacts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

namespace cospadi {

namespace {

constexpr int kDeepestFolder = 8;  // folders; a run has two

bool hasExtension(const std::string& path, std::initializer_list<const char*> extensions) {
    const std::string extension = std::filesystem::path(path).extension().string();
    return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

std::string kindOf(const std::string& path) {
    const std::string folder = path.substr(0, std::min(path.find('/'), path.size()));
    if (folder == path) {
        return hasExtension(path, {".json", ".jsonl"})         ? "record"
               : hasExtension(path, {".svg", ".pdf", ".png"})  ? "figure"
               : hasExtension(path, {".gguf", ".safetensors"}) ? "export"
                                                               : "other";
    }
    return folder == "matrices"                           ? "matrix"
           : folder == "evaluations"                      ? "evaluation"
           : folder == "model"                            ? "model"
           : folder == "exports" || folder == "export"    ? "export"
           : hasExtension(path, {".svg", ".pdf", ".png"}) ? "figure"
                                                          : "other";
}

// What writers leave beside the final name, and what only processes need.
bool isPassing(const std::string& name) {
    return name == "run.lock" || name.front() == '.' || name.find(".tmp.") != std::string::npos;
}

class Listing {
  public:
    // Open directories and names relative to them: half the time of whole paths.
    void folder(int parent, const std::string& name, const std::string& prefix, int depth) {
        const int descriptor =
            ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (descriptor < 0) {
            return;
        }
        const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(descriptor), ::closedir);
        if (entries == nullptr) {
            ::close(descriptor);
            return;
        }
        std::vector<std::string> folders;
        while (const dirent* entry = ::readdir(entries.get())) {
            const std::string file = entry->d_name;
            struct stat status {};
            if (isPassing(file) ||
                ::fstatat(descriptor, file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
                continue;
            }
            if (S_ISDIR(status.st_mode)) {
                folders.push_back(file);
            } else if (S_ISREG(status.st_mode) && isFirstName(status)) {
                rows.push_back({prefix + file, kindOf(prefix + file), status.st_size});
            }
        }
        // "matrices" comes before "model": its names are those that stay.
        std::sort(folders.begin(), folders.end());
        for (const std::string& next : folders) {
            if (depth < kDeepestFolder) {
                folder(descriptor, next, prefix + next + "/", depth + 1);
            }
        }
    }

    std::vector<ArtefactRow> rows;

  private:
    bool isFirstName(const struct stat& status) {
        return status.st_nlink < 2 || m_shared.emplace(status.st_dev, status.st_ino).second;
    }

    std::set<std::pair<dev_t, ino_t>> m_shared;
};

}  // namespace

std::vector<ArtefactRow> listArtefacts(const std::filesystem::path& directory) {
    Listing listing;
    listing.folder(AT_FDCWD, directory.string(), "", 0);
    std::sort(listing.rows.begin(), listing.rows.end(),
              [](const ArtefactRow& a, const ArtefactRow& b) { return a.path < b.path; });
    return std::move(listing.rows);
}

}  // namespace cospadi
