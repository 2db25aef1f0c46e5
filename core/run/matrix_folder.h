// A folder of matrix files (forms/matrix_file.h) while they are written: what stands under a final
// name is whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/forms/matrix_file.h"
#include "core/methods/layer_groups.h"

namespace cospadi {

class MatrixFolder {
  public:
    // Made where it is missing; what a killed writer left beside the final names is removed. Only
    // under the run's lock. Throws Error where it cannot be made.
    explicit MatrixFolder(std::filesystem::path path);

    const std::filesystem::path& path() const { return m_path; }

    // The record of a matrix that an earlier start finished; empty where its file is absent or
    // damaged (then it is made again).
    std::optional<MatrixRecord> finished(const std::string& layer) const;
    StoredMatrix read(const std::string& layer) const;

    // Those of a unit's layers; what they share first, so that a layer whose file is there has it.
    // Throws Error where a file does not give back its weight.
    void write(const LayerUnit& unit, const std::vector<StoredWeightPtr>& weights,
               std::vector<MatrixRecord>& records) const;
    // The files of another run's layers as they are, linked or copied. Into an empty folder all or,
    // killed, none; else in the place of those of the same names.
    void take(const std::filesystem::path& folder, const std::vector<MatrixRecord>& records) const;

  private:
    std::filesystem::path m_path;
};

}  // namespace cospadi
