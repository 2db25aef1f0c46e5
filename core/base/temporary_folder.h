// A folder that is removed, with all it holds, when the object goes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace cospadi {

class TemporaryFolder {
  public:
    // A new one that nobody else has, its name beginning with `prefix`, in `parent` or, where that
    // is empty, in the system's temporary folder. Throws cospadi::Error where none can be made.
    static TemporaryFolder unique(const std::string& prefix,
                                  const std::filesystem::path& parent = {});
    // A new one beside `target`, to be renamed to it when it is whole (temporary_name.h). Throws
    // cospadi::Error where none can be made.
    static TemporaryFolder beside(const std::filesystem::path& target);
    // This one, made where it is missing. Throws std::filesystem::filesystem_error.
    explicit TemporaryFolder(std::filesystem::path path);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }

  private:
    TemporaryFolder(std::filesystem::path path, int lock) : m_path(std::move(path)), m_lock(lock) {}

    std::filesystem::path m_path;
    int m_lock = -1;  // of one that stands beside its target
};

}  // namespace cospadi
