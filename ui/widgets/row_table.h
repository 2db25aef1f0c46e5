// A table that is read row by row: whole rows are chosen one at a time, stripes, no grid, the last
// column takes what is left.
#pragma once

#include <QString>

class QAbstractItemModel;
class QTableView;

namespace cospadi::ui {

// objectName: for style, tests and what is remembered; accessibleName: what a screen reader says.
QTableView* makeRowTable(const QString& objectName, const QString& accessibleName,
                         QAbstractItemModel* model);

// Every column as broad as what it holds, always; this one takes what is left instead
// (EvenColumns::kNoColumn: none).
void fitColumns(QTableView& table, int stretched);

// What stands in it for as long as it has no rows.
void sayWhenEmpty(QTableView& table, const QString& words);

}  // namespace cospadi::ui
