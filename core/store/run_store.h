// The index of all runs: one SQLite file that is filled from run directories and can be deleted and
// rebuilt at any time. Tags, notes, stars and archive marks are written to the run's
// directory as well (run_annotations.h); only of a run whose directory is gone, or may not be
// written, they live here alone.
//
// One writer at a time, any number of readers: WAL where the file system allows it, 10 s of
// patience for a busy file. Every import is one transaction: a kill leaves the run as it was
// before. Thread-safety: none; open one RunStore a thread, they share the file. Errors: Error for a
// store that is newer, foreign, damaged, read-only or busy, and for unknown runs.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/store/import_summary.h"
#include "core/store/run_annotations.h"
#include "core/store/run_filter.h"
#include "core/store/run_group.h"
#include "core/store/run_row.h"

namespace cospadi {

class StoreDatabase;  // the connection; private to core/store

class RunStore {
  public:
    enum class Access { ReadWrite, ReadOnly };

    // ReadWrite creates the file and its folder where they are missing and migrates an older
    // schema. At storePath() an older index is taken over first (older_index.h).
    static RunStore open(const std::filesystem::path& path, Access access = Access::ReadWrite);
    // For lists and reports: as ReadWrite, and refreshed, where the file or its place may be
    // written, else ReadOnly.
    static RunStore openForReading(const std::filesystem::path& path,
                                   std::vector<std::string>* notes = nullptr);
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;
    ~RunStore();

    // Takes a run directory in, or again: its rows are replaced; tags and notes are those of its
    // annotations.json, or those that were here. Returns the id. Another run that stood in this
    // directory before keeps its rows, but has no directory any more: told in `notes`, as is what
    // was passed over in the run's files. Throws Error where the run's earlier directory still
    // holds it.
    std::string importRun(const std::filesystem::path& directory,
                          std::vector<std::string>* notes = nullptr);

    // Brings rows up to date that say running or paused: the run's lock tells whether it is.
    // notes: as of importRun().
    void refreshUnfinished(std::vector<std::string>* notes = nullptr);

    // Rows that were read, or made, elsewhere: one transaction for all of them.
    void importRecords(const std::vector<RunRecord>& records);

    // Every run directory directly below `runs`. Broken ones become warnings, never exceptions.
    ImportSummary importTree(const std::filesystem::path& runs,
                             const ProgressCallback& progress = {});
    // The same of these directories: read on all cores, many in a transaction.
    ImportSummary importRuns(const std::vector<std::filesystem::path>& directories,
                             const ProgressCallback& progress = {});

    std::vector<RunRow> list(const RunFilter& filter = {}) const;

    // Counts and sums by method, solver, layers, model, status, accounting, cr, rho, iterations or
    // seed, in the order of their values. Throws Error for another field. filter.limit is ignored.
    std::vector<RunGroup> group(const std::vector<std::string>& fields,
                                const RunFilter& filter = {}) const;

    // `run` is an id, a run's directory, or the beginning of an id that fits only one run; throws
    // Error otherwise.
    RunRow find(const std::string& run) const;
    // Where the run's files are. Throws Error where the directory is gone or holds another run.
    std::filesystem::path directoryOf(const std::string& run) const;
    std::vector<MatrixRow> matrices(const std::string& run) const;
    std::vector<EvaluationRow> evaluations(const std::string& run) const;  // all, oldest first
    std::map<std::string, std::string> environment(const std::string& run) const;
    std::vector<ArtefactRow> artefacts(const std::string& run) const;  // by path
    // The stored ones, or those of events.jsonl where the run is at work or went on since it was
    // taken in. A directory that is gone, or another run's, leaves the stored ones.
    IterationSeries iterations(const std::string& run) const;
    std::vector<NoteRow> notes(const std::string& run) const;  // oldest first
    std::vector<std::string> tags() const;                     // in use, ascending

    // What people add is in the run's directory, too, when these return, with what others have
    // added there since. Error where it has annotations that are damaged or cannot be replaced.
    void tag(const std::string& run, const std::string& tag);
    void untag(const std::string& run, const std::string& tag);
    void note(const std::string& run, const std::string& text);
    void star(const std::string& run, bool starred = true);
    void archive(const std::string& run, bool archived = true);
    // From the index; the directory stays, and what it says comes back with an import. Error where
    // a process is writing the run.
    void remove(const std::string& run);
    RunAnnotations annotations(const std::string& run) const;

    const std::filesystem::path& path() const;

  private:
    explicit RunStore(std::unique_ptr<StoreDatabase> database);
    void annotate(const std::string& run, const std::function<void(std::int64_t key)>& change);
    std::unique_ptr<StoreDatabase> m_database;
};

}  // namespace cospadi
