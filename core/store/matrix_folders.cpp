#include "core/store/matrix_folders.h"

#include "core/methods/layer_groups.h"

namespace cospadi {

namespace fs = std::filesystem;

fs::path matrixFolder(const fs::path& run) { return run / "matrices"; }

fs::path solvedFolder(const fs::path& run) { return run / "solved"; }

std::int64_t solvedMatrices(const fs::path& run) {
    std::error_code failed;
    const fs::path solved = solvedFolder(run);
    const fs::path folder = fs::exists(solved, failed) ? solved : matrixFolder(run);
    std::int64_t count = 0;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const fs::path& file = entry->path();
        count += file.extension() == ".safetensors" && !isSharedUnit(file.stem().string()) ? 1 : 0;
    }
    return count;
}

}  // namespace cospadi
