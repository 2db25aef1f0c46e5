#include "ui/widgets/row_table.h"

#include <QHeaderView>
#include <QTableView>

#include "ui/base/font_units.h"
#include "ui/widgets/even_columns.h"
#include "ui/widgets/table_words.h"

namespace cospadi::ui {

QTableView* makeRowTable(const QString& objectName, const QString& accessibleName,
                         QAbstractItemModel* model) {
    constexpr double kLeastLines = 5.6;  // on a low screen
    auto* table = new QTableView;
    table->setObjectName(objectName);
    table->setAccessibleName(accessibleName);
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setMinimumHeight(linesHigh(table->font(), kLeastLines));
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void fitColumns(QTableView& table, int stretched) {
    new EvenColumns(table, stretched);  // belongs to the table
}

void sayWhenEmpty(QTableView& table, const QString& words) {
    new TableWords(table, words);  // belongs to the table
}

}  // namespace cospadi::ui
