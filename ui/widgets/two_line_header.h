// A table's horizontal heading in two lines where columns share one: the shared words over a thin
// rule in the middle of their columns, each column's own below, as booktabs sets them. Without
// shared headings it is a plain heading between two rules.
#pragma once

#include <QHeaderView>

namespace cospadi::ui {

class TwoLineHeader : public QHeaderView {
    Q_OBJECT

  public:
    // Of the model's headerData: the heading that neighbours with the same one share; empty: none.
    // Qt::DisplayRole is the column's own.
    enum Role { SharedRole = Qt::UserRole };

    explicit TwoLineHeader(QWidget* parent = nullptr);

    // Broadens columns whose shared heading would not fit over them.
    void makeRoomForShared();

  protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sectionSizeFromContents(int section) const override;

  private:
    QString sharedAbove(int section) const;
    bool hasShared() const;
    // The first and last section that share a heading with this one.
    std::pair<int, int> spanOf(int section) const;
};

}  // namespace cospadi::ui
