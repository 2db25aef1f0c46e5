// What `cospadi reproduce` leaves in --out: a table as LaTeX, CSV and Markdown; of a figure its
// data, and its pictures where the workbench stands beside this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/session.h"
#include "core/reproduce/reproduced_table.h"

namespace cospadi::cli {

struct ReproducedFiles {
    std::vector<std::string> written;  // paths, in the order of the tables
    std::vector<std::string>
        commands;  // that draw the pictures, where they could not be drawn here
};

// Makes the folder. A file appears under its name when it is whole.
ReproducedFiles writeReproduced(const Session& session, const std::filesystem::path& folder,
                                const std::vector<ReproducedTable>& tables);

}  // namespace cospadi::cli
