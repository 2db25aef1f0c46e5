// Everything that can be done on the pages as actions by name ("Plan: Use the paper's settings"),
// so that the command palette reaches it: buttons, check boxes, and what stands in the menus of
// buttons. Triggered, the page comes to the front and the button is pressed.
#pragma once

#include <QAction>
#include <QList>
#include <QTabWidget>

class QMenu;

namespace cospadi::ui {

// Of this moment; owned by `owner`. Disabled where the button is. Icons without words are named as
// a screen reader names them.
QList<QAction*> pageActions(QTabWidget& pages, QObject* owner);

// Those of a menu, and of the menus in it; a separator is none.
QList<QAction*> actionsIn(const QMenu& menu);

}  // namespace cospadi::ui
