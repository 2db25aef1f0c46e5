// What the relative errors of runs are errors of, stated the same everywhere: of a calibrated
// method of L W, "whitened"; of a data-free one of the weight itself, "plain".
#pragma once

#include <QString>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

enum class ErrorKind { Whitened, Plain, Mixed };

ErrorKind errorKind(bool hasWhitened, bool hasPlain);  // neither: Mixed, which claims nothing
ErrorKind errorKindOf(const std::vector<RunRow>& runs);

// For an axis: "whitened relative error".
QString errorTitle(ErrorKind kind);
QString meanErrorTitle(ErrorKind kind);
// "of the output on the calibration text (“whitened”)", for the note of a chart.
QString errorNote(bool isWhitened);
// ‖L W − D S‖ / ‖L W‖ in words, for a tip.
QString errorHelp(bool isWhitened);

}  // namespace cospadi::ui
