#include "ui/dialogs/shortcut_list.h"

#include <QAbstractButton>
#include <QAction>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMenu>
#include <QTableWidget>
#include <QVBoxLayout>

#include "ui/base/font_units.h"

namespace cospadi::ui {

namespace {

QString wordsOf(const QString& text) { return QString(text).remove(QLatin1Char('&')); }

QString keysOf(const QList<QKeySequence>& sequences) {
    QStringList keys;
    for (const QKeySequence& sequence : sequences) {
        const QString words = sequence.toString(QKeySequence::NativeText);
        if (!words.isEmpty() && !keys.contains(words)) {
            keys << words;
        }
    }
    return keys.join(QStringLiteral(", "));
}

}  // namespace

QList<ShortcutRow> shortcutsOf(const QWidget& window) {
    QList<ShortcutRow> rows;
    for (const QMenu* menu : window.findChildren<QMenu*>()) {
        for (const QAction* action : menu->actions()) {
            if (const QString keys = keysOf(action->shortcuts()); !keys.isEmpty()) {
                rows.append({wordsOf(action->text()), keys});
            }
        }
    }
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>()) {
        if (const QString keys = keysOf({button->shortcut()});
            !keys.isEmpty() && !button->text().contains(QLatin1Char('&'))) {
            const QString name = button->accessibleName();
            rows.append({name.isEmpty() ? wordsOf(button->text()) : name, keys});
        }
    }
    return rows;
}

ShortcutList::ShortcutList(const QList<ShortcutRow>& shortcuts, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("shortcutList"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Shortcuts"));
    QList<ShortcutRow> rows = shortcuts;
    rows.append({tr("Chart or map: zoom"), tr("wheel, + and −; Shift: x only, Ctrl: y only")});
    rows.append({tr("Chart or map: move"), tr("drag, arrow keys in a map")});
    rows.append({tr("Chart or map: show all"), tr("double click, 0")});
    rows.append({tr("Layer: tick it"), tr("Space")});
    auto* table = new QTableWidget(static_cast<int>(rows.size()), 2);
    table->setAccessibleName(tr("Shortcuts"));
    table->setHorizontalHeaderLabels({tr("Action"), tr("Keys")});
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setTabKeyNavigation(false);
    table->setShowGrid(false);
    table->setAlternatingRowColors(true);
    table->verticalHeader()->hide();
    for (int i = 0; i < rows.size(); ++i) {
        table->setItem(i, 0, new QTableWidgetItem(rows[i].first));
        table->setItem(i, 1, new QTableWidgetItem(rows[i].second));
    }
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QWidget::close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 14, 14, 12);
    column->addWidget(table, 1);
    column->addWidget(buttons);
    resizeToWords(*this, 93, 32.5);
}

}  // namespace cospadi::ui
