// A folder that is removed, with all it holds, when the object goes.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

class TemporaryFolder {
  public:
    // A new one that nobody else has, its name beginning with `prefix`, in `parent` or, where that
    // is empty, in the system's temporary folder. Throws cospadi::Error where none can be made.
    static TemporaryFolder unique(const std::string& prefix,
                                  const std::filesystem::path& parent = {});
    // This one, made where it is missing. Throws std::filesystem::filesystem_error.
    explicit TemporaryFolder(std::filesystem::path path);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace cospadi
