#include "core/run/run_summary.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/forms/forms.h"
#include "core/forms/matrix_record.h"
#include "core/store/json_field.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_file.h"
#include "core/tensors/safetensors.h"

namespace cospadi {

namespace {

// For a result that cannot be read: the run goes on from its matrices.
constexpr const char* kAgain = "run the command that made the run again";

std::int64_t bytesIn(const std::filesystem::path& folder) {
    std::error_code failed;
    std::int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        std::error_code ignored;
        bytes += entry.is_regular_file(ignored) ? static_cast<std::int64_t>(entry.file_size()) : 0;
    }
    return bytes;
}

bool isReadable(const std::filesystem::path& path) {
    try {
        static_cast<void>(SafetensorsFile::open(path));
        return true;
    } catch (const Error&) {
        return false;
    }
}

// By its size and header; to read all of a run's matrices would take long.
bool isMatrixFile(const std::filesystem::path& path, std::int64_t bytes) {
    std::error_code failed;
    return static_cast<std::int64_t>(std::filesystem::file_size(path, failed)) == bytes &&
           !failed && isReadable(path);
}

std::filesystem::path resultFile(const std::filesystem::path& directory) {
    return directory / "result.json";
}

RunSummary summaryFrom(const nlohmann::json& result, const std::filesystem::path& directory) {
    const std::filesystem::path path = resultFile(directory);
    const std::filesystem::path runFile = directory / "run.json";
    RunSummary summary;
    summary.id = fieldOf<std::string>(readRunJson(runFile, kAgain), "id", runFile, kAgain);
    summary.directory = directory;
    summary.termination = Termination::Converged;
    summary.matrices = static_cast<std::int64_t>(fieldOf(result, "matrices", path, kAgain).size());
    summary.bytes = fieldOf<std::int64_t>(result, "bytes", path, kAgain);
    summary.denseBytes = fieldOf<std::int64_t>(result, "dense_bytes", path, kAgain);
    const auto error = fieldOf(result, "relative_error", path, kAgain);
    summary.relativeError = error.is_null()
                                ? std::numeric_limits<double>::quiet_NaN()
                                : fieldOf<double>(result, "relative_error", path, kAgain);
    summary.seconds = fieldOf<double>(result, "seconds", path, kAgain);
    if (result.contains("held_out_error")) {
        summary.heldOutError = fieldOf<double>(result, "held_out_error", path, kAgain);
    }
    if (result.contains("source_type")) {  // absent before 0.2
        summary.sourceType = fieldOf<std::string>(result, "source_type", path, kAgain);
        summary.sourceBytes = fieldOf<std::int64_t>(result, "source_bytes", path, kAgain);
    }
    const std::filesystem::path model = directory / "model";
    summary.modelBytes = isWholeModel(model) ? bytesIn(model) : 0;
    return summary;
}

}  // namespace

RunSummary summaryOfRun(const std::filesystem::path& directory) {
    return summaryFrom(readRunJson(resultFile(directory), kAgain), directory);
}

std::optional<RunSummary> wholeRun(const std::filesystem::path& directory) {
    try {
        const std::filesystem::path path = resultFile(directory);
        const nlohmann::json result = readRunJson(path, kAgain);
        RunSummary summary = summaryFrom(result, directory);
        for (const auto& matrix : fieldOf(result, "matrices", path, kAgain)) {
            const std::filesystem::path folder = matrixFolder(directory);
            const auto name = fieldOf<std::string>(matrix, "name", path, kAgain);
            const std::string unit = matrix.value("unit", "");
            const bool isThere =
                isRemoved(matrix.value("form", ""))
                    ? isReadable(unitFile(folder, name))
                    : isMatrixFile(unitFile(folder, name),
                                   fieldOf<std::int64_t>(matrix, "bytes", path, kAgain) -
                                       matrix.value("shared_bytes", std::int64_t{0}));
            if (!isThere || (!unit.empty() && !isReadable(unitFile(folder, unit)))) {
                return std::nullopt;
            }
        }
        return summary;
    } catch (const Error&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

std::optional<RunSummary> solvedRun(const std::filesystem::path& directory,
                                    const std::function<bool()>& isMeasured) {
    std::optional<RunSummary> run = wholeRun(directory);
    if (run || solvedMatrices(directory) > 0) {
        return run;
    }
    try {
        run = summaryOfRun(directory);
    } catch (const Error&) {  // unfinished, or a damaged record
        return std::nullopt;
    }
    return isMeasured() ? run : std::nullopt;
}

}  // namespace cospadi
