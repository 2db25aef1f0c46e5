#include "core/run/derived_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/model_info.h"
#include "core/run/run_beginning.h"
#include "core/run/run_result.h"
#include "core/store/json_field.h"
#include "core/store/locations.h"
#include "core/store/run_file.h"
#include "core/store/run_id.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherRun = "choose a run made by this program";

RunSpecification specificationIn(const nlohmann::json& run, const fs::path& file) {
    const auto stored = fieldOf(run, "specification", file, kOtherRun);
    try {
        return runSpecificationFromJson(stored);
    } catch (const Error& error) {
        throw Error("its specification is from another program or version: " + error.where() + " " +
                        error.problem(),
                    file.string(), kOtherRun);
    }
}

std::vector<MatrixRecord> recordsIn(const nlohmann::json& result, const fs::path& file) {
    std::vector<MatrixRecord> records;
    const auto matrices = fieldOf(result, "matrices", file, kOtherRun);
    for (const auto& matrix : matrices) {
        try {
            records.push_back(matrixRecordFromJson(matrix));
        } catch (const nlohmann::json::exception& error) {
            throw Error(fmt::format("one of its matrices cannot be read: {}", error.what()),
                        file.string(), kOtherRun);
        }
    }
    return records;
}

}  // namespace

FinishedRun openFinishedRun(const fs::path& directory) {
    const fs::path file = directory / "run.json";
    const fs::path resultFile = directory / "result.json";
    FinishedRun source;
    source.directory = directory;
    const nlohmann::json run = readRunJson(file, kOtherRun);
    source.id = fieldOf<std::string>(run, "id", file, kOtherRun);
    requireRunId(source.id, file.string());
    source.specification = specificationIn(run, file);
    if (isDense(source.specification)) {
        throw Error("the run is of the dense model: it has no compressed layers", source.id,
                    "choose a run with compressed layers");
    }
    std::error_code failed;
    if (!fs::exists(resultFile, failed)) {
        throw Error("the run is not finished", source.id,
                    "run the command that made it again to resume it");
    }
    const std::optional<RunSummary> whole = wholeRun(directory);
    if (!whole) {
        throw Error("files of its matrices are missing or damaged", directory.string(),
                    "run the command that made the run again, with --out and this directory; "
                    "damaged files are made again");
    }
    source.seconds = whole->seconds;
    source.records = recordsIn(readRunJson(resultFile, kOtherRun), resultFile);
    return source;
}

void copyAllocation(const fs::path& fromRun, const fs::path& toRun,
                    const std::vector<MatrixRecord>& records) {
    const fs::path from = fromRun / "allocation.json";
    std::error_code failed;
    if (!fs::exists(from, failed)) {
        return;
    }
    const nlohmann::json whole = readRunJson(from, kOtherRun);
    nlohmann::json part = nlohmann::json::object();
    for (const char* field : {"rule", "model"}) {
        if (whole.contains(field)) {
            part[field] = whole[field];
        }
    }
    for (const MatrixRecord& record : records) {
        const std::string& name =
            record.unit.empty() || whole.contains(record.name) ? record.name : record.unit;
        if (whole.contains(name)) {
            part[name] = whole[name];
        }
    }
    writeFileAtomically(toRun / "allocation.json", part.dump(1) + "\n");
}

void requireSameModel(const FinishedRun& run) {
    const RunSpecification& s = run.specification;
    if (const std::string hash = modelSha256(s.model);
        !s.modelSha256.empty() && hash != s.modelSha256) {
        throw Error("the model is not the one the run was made from", s.model,
                    "restore the original file, against which errors are measured");
    }
}

DerivedRunDirectory::DerivedRunDirectory(const RunSpecification& specification) {
    // First: to open the store may adopt an older one, under the same lock.
    const fs::path runs = runsDirectory();
    fs::create_directories(runs);
    const RunBeginning beginning(specification, runs, FinishedRuns::Count);
    beginning.requireIdle();
    const std::optional<EarlierRun>& earlier = beginning.earlier();
    if (earlier && earlier->finished) {
        m_done = wholeRun(earlier->directory);
        if (m_done) {
            return;
        }
    }
    m_writer = std::make_unique<RunWriter>(earlier ? earlier->directory : fs::path(),
                                           earlier ? earlier->specification : specification);
}

RunSummary DerivedRunDirectory::finish(const FinishedRun& source,
                                       const std::vector<MatrixRecord>& records, double seconds) {
    copyAllocation(source.directory, m_writer->directory(), records);
    RunSeconds times;
    times.compression = seconds;
    m_writer->writeResult(resultRecord(records, times));
    return summaryOfRun(m_writer->directory());
}

}  // namespace cospadi
