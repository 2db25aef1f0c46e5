#include "ui/models/error_words.h"

#include "core/report/run_dimensions.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

ErrorKind errorKind(bool hasWhitened, bool hasPlain) {
    return hasWhitened == hasPlain ? ErrorKind::Mixed
           : hasPlain              ? ErrorKind::Plain
                                   : ErrorKind::Whitened;
}

ErrorKind errorKindOf(const std::vector<RunRow>& runs) {
    bool hasWhitened = false;
    bool hasPlain = false;
    for (const RunRow& run : runs) {
        (isCalibrated(run) ? hasWhitened : hasPlain) = true;
    }
    return errorKind(hasWhitened, hasPlain);
}

QString errorTitle(ErrorKind kind) {
    return kind == ErrorKind::Whitened ? Words::tr("whitened relative error")
           : kind == ErrorKind::Plain  ? Words::tr("plain relative error")
                                       : Words::tr("relative error (plain where data-free)");
}

QString meanErrorTitle(ErrorKind kind) {
    return kind == ErrorKind::Whitened ? Words::tr("mean whitened relative error")
           : kind == ErrorKind::Plain  ? Words::tr("mean plain relative error")
                                       : Words::tr("mean relative error (plain where data-free)");
}

QString errorNote(bool isWhitened) {
    return isWhitened ? Words::tr("of the output on the calibration text (“whitened”)")
                      : Words::tr("of the weight itself, as the method is data-free (“plain”)");
}

QString errorHelp(bool isWhitened) {
    return isWhitened ? Words::tr(
                            "‖L W − D S‖ / ‖L W‖ (Frobenius): the part of a layer's output "
                            "that is\nlost on the calibration data. L is the whitening "
                            "factor, LᵀL = XᵀX.")
                      : Words::tr(
                            "‖W − D S‖ / ‖W‖ (Frobenius): the part of the weight that is "
                            "lost.\nThe method reads no text.");
}

}  // namespace cospadi::ui
