// Stored runs as one plot of an ablation: a measured value over any setting or measured value, a
// curve for each value of one setting, small multiples over another.
//
// Nothing that differs in something else is joined by a line: the runs of a curve agree in every
// setting that counts (run_settings.h) but x and the seeds, whatever was asked for, and curves are
// named by what tells them from the others (run_names.h). A point is the mean over seeds, as in
// tables (run_kinds.h): of each seed the newest run, runs of another seed that came to the very
// same result once. What follows from x is no difference: the bits of a coefficient that ρ implies.
//
// Over a measured x (bytes, seconds) runs are points and no line joins them, as what x is was not
// chosen; a point is a mean in both. Over a setting that is a word (the method) they are points at
// its words, and a kind that agrees with a single one that says more (an SVD has no ρ) is drawn
// with it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/phrase.h"
#include "core/report/report_table.h"
#include "core/report/run_names.h"
#include "core/store/run_row.h"

namespace cospadi {

struct AblationAxes {
    std::string x = "cr";          // a setting (run_dimensions.h), or what y can be
    std::string y = "perplexity";  // of measured_value.h
    std::string curve = {};        // a setting; empty: one curve for all that agrees
    std::string facet = {};        // a setting; empty: one plot
    bool operator==(const AblationAxes&) const = default;
};

struct AblationPoint {
    double x = 0;  // or the place among AblationPlot::words
    MeanCell y;
    std::vector<std::string> runs;  // ids, the newest first: those that the mean is of
};

struct AblationCurve {
    std::string name;
    std::size_t hue = 0;   // equal for curves of one value of the curve's setting, in all plots
    std::size_t dash = 0;  // equal for those that agree in all else, in all plots
    bool isJoined = true;  // by a line
    std::string layers;    // and model: bytes of others cannot be compared with these
    std::vector<AblationPoint> points;  // ascending in x
};

struct AblationFacet {
    std::string title;  // "CR 0.2"; empty where there is but one plot
    std::vector<AblationCurve> curves;
};

struct AblationPlot {
    AblationAxes axes;
    std::vector<AblationFacet> facets;  // in the order of their setting; none: nothing to draw
    std::vector<std::string> words;     // x is a place among these; empty: x is a number
    BestValue best = BestValue::None;   // of y
    bool isMeasuredX = false;
    bool hasWhitened = false, hasPlain = false;  // runs, whose errors are such
    std::vector<Phrase> notes;                   // how y was measured, what was left out
};

// Settings in which these runs differ, seeds among them: what an axis is worth choosing from.
std::vector<std::string> variedSettings(const std::vector<RunRow>& runs);

// Only finished runs count. Throws Error for a y that is no metric and for a setting that no run
// has, naming those there are. wording: of settings in names and titles.
AblationPlot ablation(const std::vector<RunRow>& runs, const AblationAxes& axes,
                      const SettingWording& wording = settingWords);

// In long form, a point a row: the facet's setting where there is one, curve, x, y, std, n.
ReportTable ablationTable(const AblationPlot& plot);

}  // namespace cospadi
