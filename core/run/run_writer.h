// The directory of a run while it is being written (docs/formats.md). What stands under a final
// name is always complete: files are written beside and renamed, events are whole lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/run/matrix_folder.h"
#include "core/store/run_lock.h"
#include "core/store/run_specification.h"

namespace cospadi {

class RunWriter {
  public:
    // Creates the directory and run.json, or opens an existing run to go on with it; holds a lock
    // on it until destroyed. directory empty: a new one under runsDirectory(), named as the run.
    // Throws Error where another process holds the lock, where the directory holds something else,
    // or where the stored specification differs (naming the first field that does); where model and
    // text lie is no difference while their hashes agree. device: for the environment record of a
    // new run. id: of a new run; empty: a fresh one.
    RunWriter(const std::filesystem::path& directory, const RunSpecification& specification,
              const std::string& device = "cpu", const std::string& id = "");
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;

    const std::string& id() const { return m_id; }
    const std::filesystem::path& directory() const { return m_directory; }
    bool hasResult() const;
    void removeResult() const;

    // Of the result; solved ones of a run that is refined lie elsewhere (store/matrix_folders.h).
    const MatrixFolder& matrices() const { return m_matrices; }
    void appendEvent(const nlohmann::json& event);
    void writeResult(const nlohmann::json& result) const;

  private:
    std::string m_id;
    std::filesystem::path m_directory;
    RunLock m_lock;
    MatrixFolder m_matrices;
    std::ofstream m_events;
};

}  // namespace cospadi
