// matrices/NAME.safetensors: one compressed matrix on disk (layout in docs/formats.md), written
// atomically, and the resume point of a run. What is read back is exactly what inference uses.
#pragma once

#include <filesystem>

#include "core/forms/matrix_record.h"
#include "core/forms/stored_weight.h"

namespace cospadi {

// Writes the file, with this program's revision, describes it in the record, and sets its bytes.
// Throws Error (disk full, unwritable folder); then nothing stands under the final name.
void writeMatrixFile(const std::filesystem::path& path, const StoredWeight& weight,
                     MatrixRecord& record);

// Of layers that share a factor, in a folder: it goes into a file of its own, unitFile(),
// everything else into a file a layer, which names it. Its bytes are told to the layers by their
// columns, so that the sum over layers is that of the files. Errors as above.
void writeMatrixFiles(const std::filesystem::path& folder, const std::string& unit,
                      const std::vector<StoredWeightPtr>& weights,
                      std::vector<MatrixRecord>& records);

struct StoredMatrix {
    MatrixRecord record;
    StoredWeightPtr weight;  // values as stored, widened to float
};

// Throws Error where the file is not one of ours, truncated, or inconsistent.
StoredMatrix readMatrixFile(const std::filesystem::path& path);

}  // namespace cospadi
