#include "ui/base/wheel_guard.h"

#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>

namespace cospadi::ui {

namespace {

// The field that the object is; null where the wheel is free to turn it.
QWidget* guardedField(QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    const bool isField = qobject_cast<QAbstractSpinBox*>(widget) != nullptr ||
                         qobject_cast<QComboBox*>(widget) != nullptr ||
                         (qobject_cast<QAbstractSlider*>(widget) != nullptr &&
                          qobject_cast<QScrollBar*>(widget) == nullptr);
    return isField ? widget : nullptr;
}

bool hasFocusInside(const QWidget& field) {
    const QWidget* focus = QApplication::focusWidget();
    return focus != nullptr && (focus == &field || field.isAncestorOf(focus));
}

}  // namespace

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Polish) {
        QWidget* field = guardedField(watched);
        if (field != nullptr && field->focusPolicy() == Qt::WheelFocus) {
            field->setFocusPolicy(Qt::StrongFocus);
        }
    } else if (event->type() == QEvent::Wheel) {
        const QWidget* field = guardedField(watched);
        if (field != nullptr && !hasFocusInside(*field)) {
            event->ignore();  // on to what it stands in
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace cospadi::ui
