// A figure as it was saved: what it draws, of which runs. It is drawn anew from the runs there are
// when it is asked for: by the window, and as data by `cospadi report --saved NAME`. Figures are
// kept by name in one small JSON file beside the store (docs/formats.md); a name is a table's
// (table_design.h) or a figure's, not both.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/report/ablation.h"
#include "core/report/chart_choice.h"
#include "core/report/run_selection.h"
#include "core/report/series.h"

namespace cospadi {

struct FigureDesign {
    std::string name;
    // A kind of series (series.h), or a chart that the window alone draws: error-by-matrix,
    // error-map, parallel, sweep.
    std::string chart = "ablation";
    AblationAxes axes;   // y of all series that have a value; the rest of an ablation
    std::string matrix;  // errors over iterations: only names that contain this
    bool isLogX = false;
    bool isLogY = false;
    std::optional<ParallelChoice> parallel;  // of that chart alone; nothing: as they stand
    std::optional<SweepChoice> sweep;        // likewise
    RunSelection runs;
};

// What `cospadi report --series` needs for its data. Throws Error for a chart that is no series,
// naming the figure.
SeriesOptions seriesOf(const FigureDesign& design);

// figures.json beside the store.
std::filesystem::path savedFiguresPath();

// As savedTables() and its like (table_design.h). A file that is not there holds none.
std::vector<FigureDesign> savedFigures(const std::filesystem::path& file);
std::optional<FigureDesign> findSavedFigure(const std::filesystem::path& file,
                                            const std::string& name);
// Throws Error that lists the names there are.
FigureDesign savedFigure(const std::filesystem::path& file, const std::string& name);
// Takes the place of one of the same name. Atomic; throws Error for a design without a name, and
// where a table beside it has that name.
void saveFigure(const std::filesystem::path& file, const FigureDesign& design);
void forgetFigure(const std::filesystem::path& file, const std::string& name);

}  // namespace cospadi
