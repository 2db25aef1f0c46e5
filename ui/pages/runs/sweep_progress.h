// How far a sweep has got, as a thin bar under its name in the table of runs: of its runs, those
// that wait among them, the finished ones.
#pragma once

#include <QStyledItemDelegate>

namespace cospadi::ui {

class SweepProgress : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

    // Inside a cell: what is filled at this share (0 to 1), and at 1 all there is to fill.
    static QRect bar(const QRect& cell, double share);
};

}  // namespace cospadi::ui
