#include "ui/shortcut_guard.h"

#include <QKeyEvent>
#include <QWidget>

namespace cospadi::ui {

bool ShortcutGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isPalette = key->key() == Qt::Key_K && key->modifiers() == Qt::ControlModifier;
        const auto* field = qobject_cast<QWidget*>(watched);
        const bool isOfThePlan =
            field != nullptr && m_plan->isAncestorOf(field) &&
            (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo));
        if (isPalette || isOfThePlan) {
            event->ignore();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace cospadi::ui
