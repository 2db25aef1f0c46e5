// Tables of stored results. A preset names a question that is asked again and again ("demo": the
// table at the end of `cospadi demo`); the same table can be rendered in every format.
#pragma once

#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/report/run_labels.h"
#include "core/report/run_selection.h"
#include "core/report/runs_table.h"
#include "core/store/run_store.h"

namespace cospadi {

struct ReportPreset {
    std::string name;
    std::string description;  // one line, for help
};
const std::vector<ReportPreset>& reportPresets();

// "demo": columns method,layers,cr,rho,bytes,seconds,perplexity; a row is the latest finished run
// of its (method label, layers, cr) among those tagged "demo". Perplexities in one table are of one
// measure (text, context, tokens, score), the one that most rows have; a run without it has none.
// "rho", "iterations": pivots of the sparse methods (pivot.h). "paper-main": paper_table.h.
// "pareto-bytes": pareto_table.h. "runtime": runtime_table.h. "paper-ug": paper_table.h.
// "coefficient-bits": bit_width_table.h. "throughput", "serving-users", "serving-grid", "latency":
// throughput_table.h.
// selection: of which runs; a preset narrows it further. Runs that share a row and are not of one
// kind are never mixed (run_places.h). Throws Error for an unknown preset, naming those there are,
// and where no stored run fits.
ReportTable buildReport(const RunStore& store, const std::string& preset,
                        const RunSelection& selection = {});

// A cell as it is read: rounded to the column's digits, but a setting (ReportColumn::naming) to no
// fewer than tell it exactly; bytes with their unit, "33.1 ± 0.4 (n=3)", kNoNumber.
std::string displayText(const ReportCell& cell, const ReportColumn& column);

enum class ReportFormat { Csv, Markdown, Latex, Terminal };
ReportFormat reportFormatFromName(const std::string& name);  // csv md latex table; throws Error

// Csv: RFC 4180 (CRLF, quotes where needed), numbers in full. Markdown and Latex (booktabs): best
// values bold, the second underlined where the table asks for it, notes below (in LaTeX as
// comments, or printed where the table floats). Terminal: aligned columns, notes below. Each ends
// with a line end.
std::string render(const ReportTable& table, ReportFormat format);

}  // namespace cospadi
