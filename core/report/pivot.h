// A pivot of stored results: settings down, settings across, one number in each cell.
//
// A cell is the mean over the seeds of runs that agree in everything else. Where several kinds of
// run fall into one cell (say, two sizes of calibration), they are never mixed: shown is the kind
// that fills most cells of the table, else the newest, and a note names what differs. Settings that
// differ between cells without standing in the table are named too; where cells differ in the
// model, the layers, the ratio or the calibration, or hold errors of plain weights beside whitened
// ones, nothing is ranked; where these stand on an axis, cells are ranked among their like
// (pivot_groups.h). Runs to which a setting does not apply (the dense model, the ρ of an SVD)
// stand in all its places where the other axis has the methods, else in a row of their own; those
// without a ratio, whose bytes are those of none of the places, are not ranked there. Rows of
// the paper's tables can stand below one's own; they are compared among themselves only, and a note
// gives their source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/published.h"
#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

struct PivotOptions {
    std::vector<std::string> rows = {"method"};  // see run_dimensions.h
    std::vector<std::string> columns = {"cr"};
    std::string metric = "perplexity";
    std::optional<int> digits;  // the metric's own where absent
    bool markSecond = true;
    std::vector<PublishedTable> beside;  // their rows below one's own
};

// runs: newest first, as RunStore::list gives them; only finished ones count. Throws Error for an
// unknown dimension or metric, where no run has the metric, and for published rows without
// `method` among the rows.
ReportTable pivot(const std::vector<RunRow>& runs, const PivotOptions& options);

}  // namespace cospadi
