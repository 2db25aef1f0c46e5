#include "ui/widgets/row_table.h"

#include <QHeaderView>
#include <QTableView>

namespace cospadi::ui {

QTableView* makeRowTable(const QString& objectName, const QString& accessibleName,
                         QAbstractItemModel* model) {
    constexpr int kLeastHeight = 90;  // on a low screen
    auto* table = new QTableView;
    table->setObjectName(objectName);
    table->setAccessibleName(accessibleName);
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setMinimumHeight(kLeastHeight);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void fitColumns(QTableView& table, int stretched) {
    QHeaderView* header = table.horizontalHeader();
    header->setStretchLastSection(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(stretched, QHeaderView::Stretch);
}

}  // namespace cospadi::ui
