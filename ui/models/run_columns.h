// The columns of a list of runs that every run has: titles, and what they say of a run. Those of
// further settings follow by name (runs_table_model.h).
#pragma once

#include <QString>
#include <QVariant>
#include <functional>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi::ui {

struct RunColumn {
    const char* key;  // outlives the order of the columns
    QString title;
    QString help;
    std::function<QString(const RunRow&)> text;
    std::function<QVariant(const RunRow&)> sortValue = {};  // none: by the text
    std::function<QString(const RunRow&)> tip = {};         // none: the text
};

// In the order of RunsTableModel::Column.
const std::vector<RunColumn>& runColumns();

// Whether its layers take more bytes than in the model's own file.
bool isLargerThanSource(const RunRow& run);

// What a number is sorted by.
QVariant unknownLast(double value);

// NaN for the dense model, which has nothing to be in error with.
double errorOf(const RunRow& run);

// NaN where nothing was done: the dense model, a run that never began.
double secondsOf(const RunRow& run);

}  // namespace cospadi::ui
