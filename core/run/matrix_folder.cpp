#include "core/run/matrix_folder.h"

#include <set>

#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/safetensors_writer.h"

namespace cospadi {

namespace fs = std::filesystem;

namespace {

// Beside it: what is being taken from another run.
fs::path takenFolder(const fs::path& folder) { return folder.string() + ".taken"; }

}  // namespace

MatrixFolder::MatrixFolder(fs::path path) : m_path(std::move(path)) {
    createFolder(m_path, "choose another directory with --out",
                 "the run directory cannot be created");
    fs::remove_all(takenFolder(m_path));
    std::vector<fs::path> halfWritten;
    for (const auto& entry : fs::directory_iterator(m_path)) {
        if (entry.is_regular_file() && entry.path().extension() != ".safetensors") {
            halfWritten.push_back(entry.path());
        }
    }
    for (const fs::path& file : halfWritten) {
        fs::remove(file);
    }
}

std::optional<MatrixRecord> MatrixFolder::finished(const std::string& layer) const {
    std::error_code failed;
    if (!fs::exists(unitFile(m_path, layer), failed)) {
        return std::nullopt;
    }
    try {
        return read(layer).record;
    } catch (const Error&) {
        return std::nullopt;
    }
}

StoredMatrix MatrixFolder::read(const std::string& layer) const {
    return readMatrixFile(unitFile(m_path, layer));
}

void MatrixFolder::write(const LayerUnit& unit, const std::vector<StoredWeightPtr>& weights,
                         std::vector<MatrixRecord>& records) const {
    if (unit.isShared()) {
        writeMatrixFiles(m_path, unit.id(), weights, records);
    } else {
        writeMatrixFile(unitFile(m_path, records.front().name), *weights.front(), records.front());
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!read(records[i].name).weight->equals(*weights[i])) {
            throw Error("its file does not reproduce the measured weight", records[i].name,
                        "check the disk; if it is sound, report this as a defect");
        }
    }
}

void MatrixFolder::take(const fs::path& folder, const std::vector<MatrixRecord>& records) const {
    const fs::path taken = takenFolder(m_path);
    fs::create_directory(taken);
    std::set<std::string> names;
    for (const MatrixRecord& record : records) {
        for (const std::string& name : {record.unit, record.name}) {
            if (!name.empty() && names.insert(name).second) {
                linkOrCopy(unitFile(folder, name), unitFile(taken, name));
            }
        }
    }
    if (fs::is_empty(m_path)) {
        fs::rename(taken, m_path);
        return;
    }
    for (const std::string& name : names) {
        fs::rename(unitFile(taken, name), unitFile(m_path, name));
    }
    fs::remove_all(taken);  // two names of one file stay two when one is renamed to the other
}

}  // namespace cospadi
