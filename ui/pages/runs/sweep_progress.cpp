#include "ui/pages/runs/sweep_progress.h"

#include <QPainter>

#include "ui/base/theme.h"
#include "ui/models/grouped_runs_model.h"

namespace cospadi::ui {

namespace {

constexpr int kBarHeight = 3;
constexpr int kBarMargin = 4;     // at both sides
constexpr int kBarLongest = 160;  // a wide column makes no wide bar

}  // namespace

QRect SweepProgress::bar(const QRect& cell, double share) {
    const int whole = qBound(0, cell.width() - 2 * kBarMargin, kBarLongest);
    return {cell.left() + kBarMargin, cell.bottom() - kBarHeight, qRound(share * whole),
            kBarHeight};
}

void SweepProgress::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(GroupedRunsModel::ProgressRole);
    if (share.isValid()) {
        const double done = share.toDouble();
        painter->fillRect(bar(option.rect, 1), theme().line);
        painter->fillRect(bar(option.rect, done), done < 1 ? theme().accent : theme().good);
    }
}

}  // namespace cospadi::ui
