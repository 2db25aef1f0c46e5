#include "ui/models/found_ablation.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/report/measured_value.h"
#include "core/report/name_list.h"
#include "core/report/run_dimensions.h"
#include "ui/base/quantity_words.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"
#include "ui/models/run_looks.h"
#include "ui/models/setting_words.h"

namespace cospadi::ui {

namespace {

// From side to side at its height; of every point is told what it is more or less than that.
void addBaseline(QList<Curve>& curves, double y, const QString& run) {
    double left = HUGE_VAL;
    double right = -HUGE_VAL;
    for (Curve& curve : curves) {
        for (qsizetype i = 0; i < curve.points.size(); ++i) {
            const QPointF& point = curve.points[i];
            left = std::min(left, point.x());
            right = std::max(right, point.x());
            if (const QString words = relativeTo(y, point.y());
                !words.isEmpty() && i < curve.pointNames.size()) {
                curve.pointNames[i] += QStringLiteral(", ") + words;
            }
        }
    }
    if (!std::isfinite(y) || left > right) {
        return;
    }
    Curve line;
    line.name = Words::tr("baseline: %1").arg(run);
    line.colour = theme().text;
    line.pen = Qt::DashLine;
    line.points = {{left, y}, {right, y}};
    curves.append(line);
}

// What was measured of them, over what they differ in.
AblationAxes firstAxes(const std::vector<RunRow>& runs, const std::vector<std::string>& varied) {
    AblationAxes axes;
    const MeasuredValue usual(runs, axes.y);
    if (std::none_of(runs.begin(), runs.end(),
                     [&](const RunRow& run) { return std::isfinite(usual.of(run)); })) {
        axes.y = "error";
    }
    const auto other = std::find_if(varied.begin(), varied.end(), [](const std::string& name) {
        return name != "seed" && name != "method";
    });
    if (other != varied.end() && !contains(varied, axes.x)) {
        axes.x = *other;
    }
    return axes;
}

}  // namespace

FoundAblation foundAblation(const std::vector<RunRow>& runs, const AblationAxes& axes,
                            const std::optional<RunRow>& pinned) {
    FoundAblation found;
    found.names.measured = measuredNames(runs);
    found.names.varied = variedSettings(runs);
    for (const std::string& name : dimensionNames(runs)) {
        if (!contains(found.names.varied, name)) {
            found.names.others.push_back(name);
        }
    }
    found.names.first = firstAxes(runs, found.names.varied);
    try {
        found.plot = ablation(runs, axes, windowWording);
        if (pinned) {
            found.baseline = MeasuredValue(runs, axes.y).of(*pinned);
            found.baselineName = nameOf(*pinned);
        }
    } catch (const Error& error) {
        const std::string& where = error.where();
        const bool isSetting = where == axes.x || where == axes.curve || where == axes.facet;
        found.problem =
            isSetting
                ? Words::tr("None of these runs has the setting %1.").arg(quantityWords(where))
                : QString::fromStdString(error.problem());
    }
    return found;
}

AblationCharts chartsOf(const FoundAblation& found) {
    AblationCharts plots = ablationCharts(found.plot);
    for (AblationChart& chart : plots.charts) {
        addBaseline(chart.curves, inUnitsOf(found.plot.axes.y, found.baseline), found.baselineName);
    }
    return plots;
}

}  // namespace cospadi::ui
