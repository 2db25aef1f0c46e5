// Atomic writing of files: a temporary file in the target's folder, fsync, rename, fsync of the
// folder. A reader sees the old file or the whole new one. Any failure (disk full included) removes
// the temporary file and throws cospadi::Error; the target is then untouched. What a killed process
// leaves is found by removeAbandoned() (core/base/temporary_name.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace cospadi {

// For content that comes piece by piece. Not thread-safe.
class AtomicFile {
  public:
    explicit AtomicFile(const std::filesystem::path& target);
    ~AtomicFile();  // what was not committed is removed
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void commit();

  private:
    [[noreturn]] void fail(const std::string& what) const;

    std::filesystem::path m_target;
    std::filesystem::path m_temporary;
    int m_fd = -1;
    bool m_committed = false;
};

// A small file given whole.
void writeFileAtomically(const std::filesystem::path& path, std::span<const std::byte> content);
void writeFileAtomically(const std::filesystem::path& path, const std::string& content);

// A file under another name, in the place of what stands there: a hard link, or a copy where the
// file system has none. Files of this program are replaced and never changed, so that either is as
// good. Errors as above.
void linkOrCopy(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace cospadi
