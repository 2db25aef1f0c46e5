// A field in a grid with its words at its left.
#pragma once

#include <QGridLayout>
#include <QLabel>

namespace cospadi::ui {

// Takes two columns of the row, from `column` on.
inline void addLabelled(QGridLayout& grid, int row, int column, const QString& words,
                        QWidget* field) {
    grid.addWidget(new QLabel(words), row, column, Qt::AlignRight | Qt::AlignVCenter);
    grid.addWidget(field, row, column + 1);
}

}  // namespace cospadi::ui
