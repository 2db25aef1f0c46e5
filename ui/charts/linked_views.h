// Maps that show the same place: where one is zoomed or moved, the others follow. Whole maps stay
// whole, each in the room it has; otherwise scale and centre are handed on. The followers' own
// signals are not followed back. GUI thread only.
#pragma once

#include <QList>
#include <QObject>

namespace cospadi::ui {

class PatternView;

class LinkedViews : public QObject {
    Q_OBJECT

  public:
    LinkedViews(const QList<PatternView*>& views, QObject* parent);

  private:
    void follow(const PatternView* leader);

    QList<PatternView*> m_views;
    bool m_following = false;
};

}  // namespace cospadi::ui
