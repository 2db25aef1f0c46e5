// Who takes the keyboard's focus must say what it is: the walk over a page, a dialog or the whole
// window that finds widgets without an accessible name. Parts of a composite widget are reached and
// named through their owner and are passed over.
#pragma once

#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QLineEdit>
#include <QStringList>
#include <QWidget>

namespace cospadi::ui {

inline bool isPartOfAnother(const QWidget& widget) {
    for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget()) {
        if (at->inherits("QComboBoxPrivateContainer")) {
            return true;
        }
    }
    return widget.objectName().startsWith("qt_") || widget.parentWidget() == nullptr ||
           qobject_cast<const QComboBox*>(widget.parentWidget()) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(widget.parentWidget()) != nullptr ||
           qobject_cast<const QLineEdit*>(widget.parentWidget()) != nullptr ||
           widget.inherits("QHeaderView") || widget.inherits("QScrollBar");
}

inline bool takesTab(const QWidget& widget) {
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && !isPartOfAnother(widget) &&
           widget.focusProxy() == nullptr;
}

// The widget and its nearest parents, for a failure's message.
inline QString described(const QWidget& widget) {
    QStringList path;
    for (const QWidget* at = &widget; at != nullptr && path.size() < 4; at = at->parentWidget()) {
        path.prepend(at->metaObject()->className() + ('#' + at->objectName()));
    }
    return path.join(" > ");
}

// What a reader is told of what the widget is about. A box's name is what is chosen in it: there a
// label counts, or the name from which ui/base/names_for_readers.h makes one.
inline QString nameForReaders(QWidget& widget) {
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&widget);
    if (face == nullptr) {
        return {};
    }
    if (qobject_cast<const QComboBox*>(&widget) == nullptr) {
        return face->text(QAccessible::Name);
    }
    const auto labels = face->relations(QAccessible::Label);
    return labels.isEmpty() ? widget.accessibleName() : labels[0].first->text(QAccessible::Name);
}

// Shown or hidden, everything below `root`.
inline QStringList namelessIn(const QWidget& root) {
    QStringList nameless;
    for (QWidget* widget : root.findChildren<QWidget*>()) {
        const QString name = nameForReaders(*widget);
        if (takesTab(*widget) && name.trimmed().isEmpty()) {
            nameless << described(*widget);
        }
    }
    return nameless;
}

}  // namespace cospadi::ui
