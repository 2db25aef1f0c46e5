// The settings of a run by name, as a pivot or a chart asks for them: "method", "solver", "cr",
// "rho", "iterations", "seed", "layers", "model", or any other field of the specification, nested
// ones dotted ("calibration.sequences").
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"
#include "core/store/run_settings.h"

namespace cospadi {

// The value of one dimension; nullopt where it does not apply (the ρ of an SVD, the CR of a dense
// run). `method` is the label of run_settings.h without the settings in `shown`. settings: the
// run's, settingsOf(run): whoever asks for many dimensions reads each specification once.
std::optional<ReportCell> dimensionOf(const RunRow& run, const std::string& dimension,
                                      const std::map<std::string, std::string>& settings,
                                      const std::set<std::string>& shown = {});
std::optional<ReportCell> dimensionOf(const RunRow& run, const std::string& dimension);

// A setting that is told as a number, as text or as a number.
ReportCell settingCell(const std::string& value);
std::optional<ReportCell> settingCell(const std::optional<std::string>& value);
// Back to text, numbers as shortly as they can be told; empty where there is none.
std::string settingText(const std::optional<ReportCell>& value);
// The order of a dimension's values: numbers by value, texts by the alphabet, methods from the
// plainest to ours; absent first.
bool isBefore(const std::string& dimension, const std::optional<ReportCell>& a,
              const std::optional<ReportCell>& b);

// What a sparse run iterates, the solvers' own numbers where it was left to them; NaN for others.
double iterationCount(const RunRow& run);

// The ρ of a run: a number, or auto; none of a method without.
ReportCell rhoCell(const RunRow& run);
ReportCell crCell(const RunRow& run);
// What the layers weigh: the files that were written. A dense run writes none; its layers weigh
// what the runs that compressed the same layers of the same model count for them.
ReportCell bytesCell(const RunRow& run, const std::vector<RunRow>& others);

// What runs can be told apart by: method, model, layers, and every field that one of them has.
std::vector<std::string> dimensionNames(const std::vector<RunRow>& runs);

// Throws Error naming the dimensions there are where no run has one of these.
void requireDimensions(const std::vector<RunRow>& runs, const std::vector<std::string>& dimensions);

bool isSparse(const RunRow& run);      // a dictionary and codes; not low rank, not dense
bool isCalibrated(const RunRow& run);  // by a method that needs calibration

}  // namespace cospadi
