// A lock on a folder of runs: what must be looked up and then done before anybody else does, e.g.
// whether a run was begun before. Held for moments; it ends with the process.
#pragma once

#include <filesystem>

namespace cospadi {

class FolderLock {
  public:
    // Waits for it. Makes the folder where it is missing; holds nothing where it may not be
    // written.
    explicit FolderLock(const std::filesystem::path& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    int m_descriptor;
};

}  // namespace cospadi
