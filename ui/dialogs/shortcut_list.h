// Help → Shortcuts: every key the window understands, read from its own actions and buttons, so
// that the list is never older than the program. Keys of charts and maps are told beside them.
#pragma once

#include <QDialog>
#include <QList>
#include <QPair>
#include <QString>

namespace cospadi::ui {

// What, and the keys for it.
using ShortcutRow = QPair<QString, QString>;

// Of all actions in menus and all buttons below `window`; in the order of the menus.
QList<ShortcutRow> shortcutsOf(const QWidget& window);

class ShortcutList : public QDialog {
    Q_OBJECT

  public:
    explicit ShortcutList(const QList<ShortcutRow>& shortcuts, QWidget* parent = nullptr);
};

}  // namespace cospadi::ui
