// Runs that are made of a finished one with no layer solved again (store/derivation.h): what a
// slice of its layers and the same with shorter coefficients have in common.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/forms/matrix_record.h"
#include "core/run/run_summary.h"
#include "core/run/run_writer.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_specification.h"

namespace cospadi {

// The run that another one is made of.
struct FinishedRun {
    std::filesystem::path directory;
    std::string id;
    RunSpecification specification;
    std::vector<MatrixRecord> records;  // in forward order, as result.json has them
    double seconds = 0;                 // what its matrices and allocation took

    std::filesystem::path matrices() const { return matrixFolder(directory); }
};

// Throws Error for a run that is unfinished, dense, of another program, or lacks some of its files:
// each says which, and what to do.
FinishedRun openFinishedRun(const std::filesystem::path& directory);

// What the allocation of a run in `from` went by, of these layers, into allocation.json of `to`;
// nothing where it had none.
void copyAllocation(const std::filesystem::path& from, const std::filesystem::path& to,
                    const std::vector<MatrixRecord>& records);

// Throws Error for a model that is gone, or another one than the run was made of.
void requireSameModel(const FinishedRun& run);

// What was made, or found as an earlier command had made it.
struct DerivedRun {
    RunSummary summary;
    bool wasThere = false;
};

// The directory of a derived run while it is written: that of the same run where an earlier start
// did not come to its end, or where files of a finished one are damaged; else a new one below
// runsDirectory().
class DerivedRunDirectory {
  public:
    // Throws Error where another process is writing the same run.
    explicit DerivedRunDirectory(const RunSpecification& specification);

    // Of one that was made before and has all of its files: nothing is left to do, and there is no
    // writer.
    const std::optional<RunSummary>& done() const { return m_done; }
    RunWriter& writer() { return *m_writer; }

    // What the source's allocation said of these layers, and result.json: the run is finished.
    RunSummary finish(const FinishedRun& source, const std::vector<MatrixRecord>& records,
                      double seconds);

  private:
    std::optional<RunSummary> m_done;
    std::unique_ptr<RunWriter> m_writer;
};

}  // namespace cospadi
