#include "ui/sources/table_source.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_labels.h"
#include "core/report/run_metrics.h"
#include "core/store/locations.h"
#include "ui/base/string_list.h"

namespace cospadi::ui {

namespace {

QStringList sorted(QStringList words) {
    words.removeDuplicates();
    words.removeAll(QString());
    words.sort();
    return words;
}

TableChoices choicesIn(const RunStore& store) {
    const std::vector<RunRow> runs = store.list();
    TableChoices choices;
    choices.runs = static_cast<int>(runs.size());
    choices.dimensions = listOf(dimensionNames(runs));
    choices.metrics = listOf(metricNames()) + listOf(taskMetrics(runs));
    choices.tags = listOf(store.tags());
    for (const RunRow& run : runs) {
        choices.methods << QString::fromStdString(run.method);
        choices.layers << QString::fromStdString(run.layers);
        choices.models << QString::fromStdString(modelLabel(run));
    }
    choices.methods = sorted(choices.methods);
    choices.layers = sorted(choices.layers);
    choices.models = sorted(choices.models);
    return choices;
}

}  // namespace

MadeTable makeTable(const TableDesign& design) {
    const RunStore store = RunStore::openForReading(storePath());
    MadeTable made;
    made.choices = choicesIn(store);
    try {
        made.table = plainTable(store, design);
    } catch (const Error& error) {
        made.problem = QString::fromStdString(error.problem());
        made.hint = QString::fromStdString(error.hint());
        return made;
    }
    made.marksSecond = made.table.markSecond;
    ReportTable ordered = made.table;
    TableLayout order;
    order.rowOrder = design.layout.rowOrder;
    order.columnOrder = design.layout.columnOrder;
    applyLayout(ordered, order);
    made.rowLabels = listOf(rowLabels(ordered));
    for (const ReportColumn& column : ordered.columns) {
        made.columnLabels << QString::fromStdString(column.name);
    }
    applyLayout(made.table, design.layout);
    return made;
}

}  // namespace cospadi::ui
