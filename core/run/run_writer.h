// The directory of a run while it is being written (docs/formats.md). What stands under a final
// name is always complete: files are written beside and renamed, events are whole lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/forms/matrix_file.h"
#include "core/methods/layer_groups.h"
#include "core/store/run_lock.h"
#include "core/store/run_specification.h"

namespace cospadi {

class RunWriter {
  public:
    // Creates the directory and run.json, or opens an existing run to go on with it; holds a lock
    // on it until destroyed. directory empty: a new one under runsDirectory(), named as the run.
    // Throws Error where another process holds the lock, where the directory holds something else,
    // or where the stored specification differs (naming the first field that does). device: for the
    // environment record of a new run. id: of a new run; empty: a fresh one.
    RunWriter(const std::filesystem::path& directory, const RunSpecification& specification,
              const std::string& device = "cpu", const std::string& id = "");
    RunWriter(const RunWriter&) = delete;
    RunWriter& operator=(const RunWriter&) = delete;

    const std::string& id() const { return m_id; }
    const std::filesystem::path& directory() const { return m_directory; }
    bool hasResult() const;
    void removeResult() const;

    // The record of a matrix that an earlier start finished; empty where its file is absent or
    // damaged (then it is made again).
    std::optional<MatrixRecord> finishedMatrix(const std::string& name) const;
    StoredMatrix readMatrix(const std::string& name) const;
    // Those of a unit's layers; what they share first, so that a layer whose file is there has it.
    // Throws Error where a file does not give back its weight.
    void writeMatrices(const LayerUnit& unit, const std::vector<StoredWeightPtr>& weights,
                       std::vector<MatrixRecord>& records) const;
    // The files of another run's layers as they are, what they share first: linked, or copied.
    void takeMatrices(const std::filesystem::path& folder,
                      const std::vector<MatrixRecord>& records) const;
    void appendEvent(const nlohmann::json& event);
    void writeResult(const nlohmann::json& result) const;

  private:
    std::filesystem::path matrixPath(const std::string& name) const;

    std::string m_id;
    std::filesystem::path m_directory;
    RunLock m_lock;
    std::ofstream m_events;
};

}  // namespace cospadi
