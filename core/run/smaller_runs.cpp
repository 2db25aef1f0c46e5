#include "core/run/smaller_runs.h"

#include <map>

#include "core/run/earlier_runs.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr double kWorse = 1.02;

// One ratio and one regex for all: what the accounting implies at a ratio does not tell them apart.
std::string keyButRatioAndLayers(RunSpecification specification) {
    const RunSpecification usual;
    specification.cr = usual.cr;
    specification.layers = usual.layers;
    return runKey(specification);
}

struct StoredMatrixSize {
    double error = 0;
    std::int64_t bytes = 0;
};

std::map<std::string, StoredMatrixSize> matricesOf(const fs::path& run) {
    std::map<std::string, StoredMatrixSize> matrices;
    const nlohmann::json result = readRunJson(run / "result.json", "");
    for (const auto& matrix : result.at("matrices")) {
        matrices[matrix.at("name").get<std::string>()] = {matrix.at("relative_error").get<double>(),
                                                          matrix.at("bytes").get<std::int64_t>()};
    }
    return matrices;
}

}  // namespace

std::vector<BeatenMatrix> beatenBySmallerRuns(const RunSpecification& specification,
                                              const std::vector<MatrixRecord>& records,
                                              const fs::path& runs) {
    const std::string key = keyButRatioAndLayers(specification);
    std::map<std::string, BeatenMatrix> beaten;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(runs, failed)) {
        std::map<std::string, StoredMatrixSize> matrices;
        try {
            const nlohmann::json run = readRunJson(entry.path() / "run.json", "");
            if (keyButRatioAndLayers(runSpecificationFromJson(run.at("specification"))) != key) {
                continue;
            }
            matrices = matricesOf(entry.path());
        } catch (const std::exception&) {  // no run, unfinished, or of another version
            continue;
        }
        for (const MatrixRecord& record : records) {
            const auto other = matrices.find(record.name);
            if (other == matrices.end() || other->second.bytes >= record.bytes ||
                record.relativeError < kRoundingError ||
                record.relativeError <= kWorse * other->second.error) {
                continue;
            }
            const auto [known, isNew] = beaten.try_emplace(
                record.name, BeatenMatrix{record.name, record.relativeError, other->second.error,
                                          entry.path().filename().string()});
            if (!isNew && other->second.error < known->second.otherError) {
                known->second.otherError = other->second.error;
                known->second.otherRun = entry.path().filename().string();
            }
        }
    }
    std::vector<BeatenMatrix> list;
    list.reserve(beaten.size());
    for (auto& [name, matrix] : beaten) {
        list.push_back(std::move(matrix));
    }
    return list;
}

}  // namespace cospadi
