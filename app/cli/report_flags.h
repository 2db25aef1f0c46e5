// The flags of `cospadi report`, and the table's design or the figure that they say.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "core/report/figure_design.h"
#include "core/report/series.h"
#include "core/report/table_design.h"

namespace cospadi::cli {

struct ReportFlags {
    TableDesign design;
    std::vector<std::string> rows, columns;  // as given; the design's own where empty
    bool noColumns = false;
    std::string metric;
    std::string saved, save, forget;
    std::string format;
    int decimals = -1;
    bool noBest = false;
    bool second = false;
    bool noSecond = false;
    bool noDeviation = false;
    bool directions = false;
    bool standardErrors = false;
    std::string caption, label;
    std::vector<std::string> renamed;  // OLD=NEW
    SeriesOptions series;
    std::string out;
    std::string bundle;
    std::vector<Argument> ofTables;  // layout that a series has no use for
};

// The flags outlive the command.
void addReportFlags(Command command, ReportFlags& flags);

// The preset that is meant; empty where settings, a series, a published or a saved table are.
std::string presetOf(const ReportFlags& flags);

// What the flags say, on top of `layout`. Throws UsageError for a --rename that renames nothing.
TableLayout layoutOf(const ReportFlags& flags, TableLayout layout);

// What the flags say, on top of a saved table where one is named. Throws UsageError as
// layoutOf(), and Error where there is no such saved table.
TableDesign designOf(const ReportFlags& flags);

// What the flags of a series say, as a figure that is drawn again.
FigureDesign figureOf(const ReportFlags& flags);

}  // namespace cospadi::cli
