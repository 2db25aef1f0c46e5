// An appendix that can be repeated: a folder with a table or figure, and with all that it takes to
// make its runs again elsewhere and to compare their numbers.
//
//   table.tex, table.csv, table.md   the table; of a figure its points, figure.csv and figure.md,
//                                    and its pictures
//   results.csv                      every number of every run (run_numbers.h)
//   runs.tar                         the runs without their matrices (run_archive.h)
//   bundle.json                      the command that made the table, versions, sha256 of the above
//   README.md                        the same for people: commands, models, texts, hardware, seeds
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"
#include "core/store/run_store.h"

namespace cospadi {

struct BundleContent {
    ReportTable table;
    // Of a figure, whose points the table has: draws its pictures beside this CSV of them, and
    // returns their files' names.
    std::function<std::vector<std::string>(const std::filesystem::path& csv)> drawPictures = {};
    std::vector<std::string> command = {};  // the words after `cospadi` that make the table
    // That it was made of: newest first, with their directories. A run that was made of another one
    // (store/derivation.h) brings that one, too.
    std::vector<RunRow> runs = {};

    bool isFigure() const { return drawPictures != nullptr; }
};

// Appears whole or not at all. Throws Error for a folder that is there and not empty, no runs, a
// run whose files are gone, and a full disk.
void writeBundle(const std::filesystem::path& folder, const BundleContent& content,
                 const RunStore& store);

struct Bundle {
    std::vector<std::string> command;
    std::string version;
    std::vector<RunRow> runs;  // newest first; without directories
};

// Whether a folder holds bundle.json.
bool isBundle(const std::filesystem::path& folder);

// Throws Error where a file is missing, or another than the one that was written: its sha256 is
// checked.
Bundle readBundle(const std::filesystem::path& folder);

}  // namespace cospadi
