#include "ui/charts/parallel_look.h"

#include <algorithm>

namespace cospadi::ui {

int ParallelLook::scaleAxis(const BrushedLines& lines) const {
    if (scaleName.isEmpty() || lines.lines().size() > kMostColoured) {
        return -1;
    }
    const QList<ParallelAxis>& axes = lines.axes();
    const auto found = std::find_if(axes.begin(), axes.end(), [this](const ParallelAxis& axis) {
        return axis.isCalled(scaleName);
    });
    return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

}  // namespace cospadi::ui
