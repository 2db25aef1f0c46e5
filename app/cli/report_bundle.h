// `cospadi report … --bundle FOLDER`: a table or figure with what repeats it
// (core/bundle/bundle.h).
#pragma once

#include <optional>

#include "app/cli/report_flags.h"
#include "app/cli/session.h"
#include "core/report/report_table.h"

namespace cospadi::cli {

// Of all finished runs that the table, or the points of the figure, were chosen from. saved: of a
// figure that was saved, its axes; else they are those of the flags.
int bundleReport(const Session& session, const ReportFlags& flags, const ReportTable& table,
                 const std::optional<FigureDesign>& saved);

}  // namespace cospadi::cli
