// Shared by `compress`, `sweep` and `demo`: a run with its progress on the terminal, in the index
// from its start on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/session.h"
#include "core/run/compression_run.h"
#include "core/run/refinement_phase.h"

namespace cospadi::cli {

// Turns the event stream of a run into one line: the stage's progress and the newest error.
class RunProgress {
  public:
    void operator()(const nlohmann::json& event);
    void clear() { m_line.clear(); }

  private:
    ProgressLine m_line;
    Progress m_progress;
    std::string m_detail;
    std::int64_t m_matrices = 0;
    std::int64_t m_finished = 0;
};

// Tags the run with `tags`. execution: all but onEvent. A store that cannot take
// the run in is named before the run begins.
RunSummary runWithProgress(const Session& session, const RunSpecification& specification,
                           const std::filesystem::path& directory, RunExecution execution,
                           const std::vector<std::string>& tags = {});

// "Divergence from the dense model on held-out text: …", a line.
std::string gainText(const RefinementGain& gain);

// Shows an event; of a run that begins, also in the index.
void showAndIndex(RunProgress& progress, const nlohmann::json& event,
                  const std::vector<std::string>& tags);

// --device and --tf32, as `compress`, `sweep`, `calibrate`, `evaluate` and `engine` have them.
struct DeviceOptions {
    std::string device = "cpu";
    bool tf32 = false;

    void addTo(Command command);
    // Looks at the machine. Throws DeviceError where a device was asked for and is unavailable.
    ComputeDevice open() const;
};

// Says on stderr that a device failed and the CPU goes on; `line` must outlive it.
std::function<void(const DeviceError&)> cpuTakesOverNotice(ProgressLine& line);

// Throws the store's Error where it cannot be opened: before long work, not after it.
void requireStore();
// The same, unless it only may not be written: what is computed can be told all the same.
void requireSoundStore();
// Where a run's files are: of an id, the beginning of one, or a directory. Throws Error for a run
// that there is not, or whose files are gone.
std::filesystem::path storedRunDirectory(const std::string& run);
// Takes the run in DIRECTORY into the store, its notes on stderr.
void indexRun(const std::filesystem::path& directory, const std::vector<std::string>& tags = {});
// The same amid long work, which continues without the index: a warning on stderr.
void indexOrWarn(const std::filesystem::path& directory, const std::vector<std::string>& tags);
// The same after an evaluation, whose results are in DIRECTORY whatever the index says: why it
// could not take them in, or empty.
std::string evaluatedButNotIndexed(const std::filesystem::path& directory);
// The same of a result that the run's folder did not take; empty where there is no reason.
std::string notRecorded(const std::string& reason);
// A line on stderr; nothing where there is no problem.
void warn(const std::string& problem);

// Notes of an import, on stderr.
void tell(const std::vector<std::string>& notes);

}  // namespace cospadi::cli
