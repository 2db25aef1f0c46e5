// Everything that can be done on the pages, and in the strips around them, as actions by name
// ("Plan: Use the paper's settings"), so that the command palette reaches it: buttons, check boxes,
// and what stands in the menus of buttons, by its way there ("Runs: View › Columns › CR").
// Triggered, the page comes to the front and the button is pressed.
#pragma once

#include <QAction>
#include <QList>
#include <QString>
#include <QTabWidget>

class QMenu;

namespace cospadi::ui {

// Something with buttons that is no page.
struct ActionPlace {
    QString name;
    QWidget* widget;
};

// Of this moment; owned by `owner`. Disabled where the button is. No two have the same words: what
// shares its own is named as a screen reader names it, by the card or message that it stands in, or
// by a number. Pictures without words are named as a screen reader names them. The data of each is
// the button or the menu's entry (QObject*).
QList<QAction*> pageActions(QTabWidget& pages, const QList<ActionPlace>& beside, QObject* owner);

struct MenuEntry {
    QAction* action;
    QString words;  // with the menus on the way: "Columns › CR"
    bool isEnabled;
};

// Those of a menu, and of the menus in it, which are asked to fill themselves; a separator is none.
QList<MenuEntry> entriesIn(const QMenu& menu);
QList<QAction*> actionsIn(const QMenu& menu);

}  // namespace cospadi::ui
