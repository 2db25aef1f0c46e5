#include "core/run/run_writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/base/temporary_name.h"
#include "core/base/timestamp.h"
#include "core/run/environment.h"
#include "core/run/resolve_specification.h"
#include "core/store/idle_settings.h"
#include "core/store/json_field.h"
#include "core/store/locations.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_file.h"
#include "core/store/run_id.h"
#include "core/store/source_bytes.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

constexpr int kFormat = 1;
constexpr const char* kElsewhere = "choose another directory for the run";

// Dotted name and both values of the first field in which two objects differ.
std::string firstDifference(const nlohmann::json& stored, const nlohmann::json& wanted,
                            const std::string& prefix = "") {
    for (const auto& [key, value] : wanted.items()) {
        const auto other = stored.find(key);
        if (other != stored.end() && *other == value) {
            continue;
        }
        if (other != stored.end() && value.is_object() && other->is_object()) {
            return firstDifference(*other, value, prefix + key + ".");
        }
        return fmt::format("{}{} was {} and is now {}", prefix, key,
                           other == stored.end() ? "absent" : other->dump(), value.dump());
    }
    for (const auto& [key, value] : stored.items()) {  // as usual now, and so left out
        if (!wanted.contains(key)) {
            return fmt::format("{}{} was {} and is now absent", prefix, key, value.dump());
        }
    }
    return "";
}

// A run that was begun before a field existed did what the field's default says; one with a setting
// that does not count did the same as with any other.
nlohmann::json withDefaults(const nlohmann::json& stored) {
    try {
        return toJson(withoutIdleSettings(runSpecificationFromJson(stored)));
    } catch (const std::exception&) {  // of a newer version: compared as it stands
        return stored;
    }
}

// Files count by their hashes: one that lies elsewhere by now is no difference.
nlohmann::json withPathsOf(const nlohmann::json& wanted, nlohmann::json stored) {
    using Pointer = nlohmann::json::json_pointer;
    for (const char* file : {"/model", "/calibration/text"}) {
        const Pointer hash(fmt::format("{}_sha256", file));
        if (stored.contains(hash) && stored.at(hash) != "" && stored.at(hash) == wanted.at(hash)) {
            stored[Pointer(file)] = wanted.at(Pointer(file));
        }
    }
    return stored;
}

// What the chosen layers take in the model's file, known before any of them is compressed. Null
// where there are none, or where one is not stored densely. A model that cannot be read is what the
// run itself will tell of.
nlohmann::json sourceRecord(const RunSpecification& specification) {
    SourceBytes source;
    std::int64_t denseBytes = 0;
    std::int64_t matrices = 0;
    try {
        for (const LayerInfo& layer : layersOf(specification)) {
            source.add(layer.storedDtype, layer.storedBytes);
            denseBytes += 2 * layer.d1 * layer.d2;
            ++matrices;
        }
    } catch (const Error&) {
        return nullptr;
    }
    return source.known() ? nlohmann::json{{"matrices", matrices},
                                           {"dense_bytes", denseBytes},
                                           {"source_type", source.types()},
                                           {"source_bytes", source.bytes()}}
                          : nlohmann::json();
}

RunLock lockToWrite(const std::filesystem::path& directory) {
    std::optional<RunLock> lock = RunLock::tryTake(directory);
    if (!lock) {
        throw Error("another process is writing this run", directory.string(),
                    "wait for it, or choose another directory with --out");
    }
    return std::move(*lock);
}

// A kill may have left half a line: end it, so that the next event starts its own.
void endLastLine(const std::filesystem::path& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    if (file.seekg(-1, std::ios::end) && file.get() != '\n') {
        file.clear();
        file.seekp(0, std::ios::end);
        file.put('\n');
    }
}

// Made where it is missing; returns it. Throws Error for one that holds something else.
const std::filesystem::path& madeDirectory(const std::filesystem::path& directory) {
    std::error_code failed;
    if (!std::filesystem::exists(directory / "run.json", failed) &&
        std::filesystem::exists(directory, failed) &&
        !std::filesystem::is_empty(directory, failed) &&
        !std::filesystem::exists(directory / "run.lock", failed)) {
        throw Error("the directory is not empty and contains no run", directory.string(),
                    "choose an empty or a new directory with --out");
    }
    createFolder(directory, "choose another directory with --out",
                 "the run directory cannot be created");
    return directory;
}

// A fresh id: time, method, CR and a few random digits.
std::string newRunId(const RunSpecification& specification) {
    std::random_device random;
    return fmt::format("{:%Y%m%d-%H%M%S}-{}-{:04x}", fmt::gmtime(std::time(nullptr)),
                       shortLabel(specification), random() & 0xffffU);
}

}  // namespace

RunWriter::RunWriter(const std::filesystem::path& directory, const RunSpecification& specification,
                     const std::string& device, const std::string& id)
    : m_id(id.empty() ? newRunId(specification) : id),
      m_directory(withoutTrailingSlash(
          std::filesystem::absolute(directory.empty() ? runsDirectory() / m_id : directory)
              .lexically_normal())),
      m_lock(lockToWrite(madeDirectory(m_directory))),
      m_matrices(matrixFolder(m_directory)) {
    // Under the lock: before, another process may have begun the run or deleted it.
    const std::filesystem::path runFile = m_directory / "run.json";
    const nlohmann::json wanted = toJson(specification);
    std::error_code failed;
    if (std::filesystem::exists(runFile, failed)) {
        const nlohmann::json run = readRunJson(runFile, kElsewhere);
        m_id = fieldOf<std::string>(run, "id", runFile, kElsewhere);
        requireRunId(m_id, runFile.string());
        const nlohmann::json stored =
            withDefaults(fieldOf(run, "specification", runFile, kElsewhere));
        const std::string difference = firstDifference(withPathsOf(wanted, stored), wanted);
        if (!difference.empty()) {
            throw Error("the run was started with other settings: " + difference,
                        m_directory.string(),
                        "use the same settings, or choose another directory with --out");
        }
    } else {
        nlohmann::json run{{"format", kFormat},
                           {"id", m_id},
                           {"created", utcTimestamp()},
                           {"specification", wanted},
                           {"environment", environmentRecord(device)}};
        if (nlohmann::json source = sourceRecord(specification); !source.is_null()) {
            run["source"] = std::move(source);
        }
        writeFileAtomically(runFile, run.dump(1) + "\n");
    }
    for (const char* folder : {"", "model", "evaluations"}) {
        removeAbandoned(m_directory / folder);
    }
    endLastLine(m_directory / "events.jsonl");
    m_events.open(m_directory / "events.jsonl", std::ios::app | std::ios::binary);
}

bool RunWriter::hasResult() const {
    std::error_code failed;
    return std::filesystem::exists(m_directory / "result.json", failed);
}

void RunWriter::removeResult() const { std::filesystem::remove(m_directory / "result.json"); }

void RunWriter::appendEvent(const nlohmann::json& event) {
    m_events << event.dump() << '\n' << std::flush;
    if (!m_events) {
        throw Error("an event cannot be written: the disk may be full",
                    (m_directory / "events.jsonl").string(),
                    "free some space and run the same command again; finished matrices are kept");
    }
}

void RunWriter::writeResult(const nlohmann::json& result) const {
    writeFileAtomically(m_directory / "result.json", result.dump(1) + "\n");
}

}  // namespace cospadi
