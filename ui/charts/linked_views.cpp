#include "ui/charts/linked_views.h"

#include <QScopedValueRollback>

#include "ui/charts/pattern_view.h"

namespace cospadi::ui {

LinkedViews::LinkedViews(const QList<PatternView*>& views, QObject* parent)
    : QObject(parent), m_views(views) {
    for (PatternView* view : m_views) {
        connect(view, &PatternView::viewChanged, this, [this, view] { follow(view); });
    }
}

void LinkedViews::follow(const PatternView* leader) {
    if (m_following || leader->isEmpty()) {
        return;
    }
    const QScopedValueRollback<bool> once(m_following, true);
    for (PatternView* view : m_views) {
        if (view != leader && !view->isEmpty()) {
            view->showSameAs(*leader);
        }
    }
}

}  // namespace cospadi::ui
