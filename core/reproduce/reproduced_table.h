// The tables at the end of `cospadi reproduce`: own runs with the paper's values beside them. A run
// that is missing keeps its row, with the reason in the column `state`: holes are seen in every
// format, and no figure draws through them unnoticed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/reproduce/reproduction.h"
#include "core/store/run_store.h"

namespace cospadi {

// A run that an entry asks for, and what there is of it.
struct ReproducedRun {
    RunSpecification specification;  // resolved
    std::string description;         // how it differs from the others
    std::optional<RunRow> row;       // of a finished run
    std::string hole;  // why it, or an evaluation of it, is missing; empty: nothing is
};

struct ReproducedTable {
    std::string name;  // of its files: ablation_data, KSVD_iters-power; …-paper: as printed
    ReportTable table;
    std::optional<FigureShape> figure;  // curves: in the column kCurve
};

inline constexpr const char* kCurve = "curve";
inline constexpr const char* kState = "state";

// model: what own rows are called by. One table an output; beside a preset's the paper's, where one
// is printed. Throws Error where a preset finds nothing to table and no hole says why.
std::vector<ReproducedTable> reproducedTables(const RunStore& store, const Reproduction& entry,
                                              const Protocol& protocol, const std::string& model,
                                              const std::vector<ReproducedRun>& runs);

}  // namespace cospadi
