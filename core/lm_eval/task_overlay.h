// lm-eval's definitions of tasks with another data set in their place: YAML files for
// --include_path, each including the installed definition.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace cospadi {

class TaskOverlay {
  public:
    // installed: lm_eval/tasks of the package; folder: where the files are written.
    TaskOverlay(std::filesystem::path installed, std::filesystem::path folder)
        : m_installed(std::move(installed)), m_folder(std::move(folder)) {}

    // definition: below the installed tasks. files: split → file of JSON lines; a test or
    // validation split among them is the one that is scored, changes may name another.
    void add(const std::string& name, const std::string& definition, const nlohmann::json& files,
             const nlohmann::json& changes) const;

    const std::filesystem::path& folder() const { return m_folder; }

  private:
    std::filesystem::path m_installed;
    std::filesystem::path m_folder;
};

void writeJsonLines(const std::filesystem::path& file, const std::vector<nlohmann::json>& records);

}  // namespace cospadi
