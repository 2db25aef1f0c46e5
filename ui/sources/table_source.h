// What the Tables page reads from the store, in one call that can run on a pool thread: the table
// of a design, what its rows and columns are called before anyone renames them, and what there is
// to choose from. Opens the store and keeps nothing: safe from any thread. Errors: cospadi::Error.
#pragma once

#include <QStringList>

#include "core/report/table_design.h"

namespace cospadi::ui {

struct TableChoices {
    QStringList dimensions;
    QStringList metrics;
    QStringList methods;
    QStringList models;  // file names
    QStringList layers;
    QStringList tags;
    int runs = 0;  // stored ones, archived left out
};

struct MadeTable {
    ReportTable table;      // laid out
    QStringList rowLabels;  // in the order of the layout, hidden ones among them
    QStringList columnLabels;
    bool marksSecond = false;  // by itself, where the layout does not say
    TableChoices choices;
    QString problem;  // why there is no table; `choices` stand all the same
    QString hint;
};

MadeTable makeTable(const TableDesign& design);

}  // namespace cospadi::ui
