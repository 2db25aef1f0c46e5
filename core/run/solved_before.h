// What a run that is refined need not solve: the matrices of a finished run that is equal but for
// the refinement.
#pragma once

#include <filesystem>
#include <string>

#include "core/run/matrix_folder.h"
#include "core/run/run_writer.h"
#include "core/store/run_specification.h"

namespace cospadi {

// The specification without its refinement.
RunSpecification unrefined(RunSpecification specification);

// A whole run of these settings, unrefined, directly below `runs`; empty where there is none.
std::filesystem::path solvedBefore(const RunSpecification& specification,
                                   const std::filesystem::path& runs);

struct SolvedBefore {
    std::string run;
    double seconds = 0;  // that it took
};

// The matrices of the run in `from` into `solved`, and what its allocation said into the directory
// of `writer`. Throws Error as openFinishedRun() does.
SolvedBefore takeSolved(const std::filesystem::path& from, const MatrixFolder& solved,
                        const RunWriter& writer);

}  // namespace cospadi
