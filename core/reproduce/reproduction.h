// What it takes to make a table or figure of the paper from one's own runs: one file a label,
// resources/reproduce/LABEL.yaml (docs/reproduce.md), and no code of its own. A label that cannot
// be made yet says so in its file, and becomes one that can by a change of that file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/reproduce/derived_steps.h"
#include "core/serving/throughput_study.h"
#include "core/sweep/sweep_grid.h"

namespace cospadi {

// full: the paper's settings; overnight: all layers by the program's own, on fewer items; quick:
// few layers and short texts. The two smaller ones are for the default model.
enum class ProtocolSize { Full, Overnight, Quick };
inline constexpr std::array kProtocolSizes = {ProtocolSize::Full, ProtocolSize::Overnight,
                                              ProtocolSize::Quick};
const char* name(ProtocolSize size);  // full, overnight, quick
// Throws Error with the words there are.
ProtocolSize protocolSizeFromName(const std::string& word);

struct Protocol {
    // The grid without a model; `evaluate` is the text of the perplexity.
    SweepFile sweep;
    TaskPlan tasks;  // asked of every run that is tabled; where their data lie is the user's to say
    DerivedSteps derive;                        // of compressed runs of the grid
    std::optional<ThroughputStudy> throughput;  // of every run that is tabled
    std::vector<std::string> differs;  // from the paper, beyond what settings tell; a sentence each
};

// The ratio of the whole model that rows of up and gate print, as a key of ValueColumn::published.
inline constexpr const char* kPublishedGlobalRatio = "global-ratio";

// A column of numbers: what own runs call it, and what the paper's tables do. Either may be empty.
struct ValueColumn {
    std::string title;
    // A metric (run_metrics.h), or average: of the tasks; accuracies are in per cent.
    std::string own;
    std::string published;  // a key of the published tables
    double scale = 1;       // of the published number, to the unit of the own one
};

// How the workbench draws an output's CSV (`cospadi-workbench --figure`), a picture for each y. A
// curve is what agrees in `curves`, which are among the output's rows.
struct FigureShape {
    std::string x;
    std::vector<std::string> y;       // titles of value columns
    std::vector<std::string> logY;    // of these
    std::vector<std::string> curves;  // settings
};

struct ReproducedOutput {
    enum class Kind {
        Comparison,  // own runs and the paper's rows, one below the other
        Preset,      // a report's preset (report.h) of these runs, beside the paper's table
        Settings     // no runs: the paper's settings beside those of the preset `paper`
    };
    Kind kind = Kind::Comparison;
    std::string name;  // tells several apart, and stands in the names of their files
    std::string preset;
    std::vector<std::string> rows;    // Comparison: settings that tell rows apart
    std::vector<ValueColumn> values;  // Comparison
    // Only runs, and rows of the paper, whose setting is one of these.
    WantedSettings where;
    std::map<std::string, std::string> words;  // Settings: what stands where there is no field
    std::optional<FigureShape> figure;
};

// Rows of the paper that no method here makes.
struct StayingRows {
    std::vector<std::string> rows;  // as the paper calls their method
    std::string why;
};

struct Reproduction {
    std::string name;                    // the file's: ablation_data
    std::string label;                   // in the paper's source: tab:ablation_data
    std::string number;                  // as printed: "Table 1", "Figure 2"
    std::string shows;                   // one line
    std::vector<std::string> published;  // tables in resources/published
    std::vector<StayingRows> staying;
    std::string unavailable;  // why it cannot be made today; empty: it can
    Protocol full, overnight, quick;
    std::vector<ReproducedOutput> outputs;

    bool isFigure() const { return label.starts_with("fig:"); }
    const Protocol& protocol(ProtocolSize size) const;
    Protocol& protocol(ProtocolSize size);
};

// Throws Error naming file and field for what is unknown, ill-typed, or refers to what there is
// not: a preset, a task, a published table or row, a setting.
Reproduction readReproduction(const std::filesystem::path& file);

// All in the folder, tables first, in the paper's order. Throws as readReproduction().
std::vector<Reproduction> reproductions(const std::filesystem::path& folder);

// Of a file's name, the paper's label, or a table's number: "ablation_data", "tab:ablation_data",
// "1", "Table 1"; nullptr where there is none.
const Reproduction* findReproduction(const std::vector<Reproduction>& all, const std::string& word);

}  // namespace cospadi
