// `cospadi report … --bundle FOLDER`: a table or figure with what repeats it
// (core/bundle/bundle.h).
#pragma once

#include <optional>

#include "app/cli/report_flags.h"
#include "app/cli/session.h"
#include "core/report/report_table.h"

namespace cospadi::cli {

// Of all finished runs that the table, or the points of the figure, were chosen from. saved: the
// figure that was asked for by its name; else it is what the flags say.
int bundleReport(const Session& session, const ReportFlags& flags, const ReportTable& table,
                 const std::optional<FigureDesign>& saved);

}  // namespace cospadi::cli
