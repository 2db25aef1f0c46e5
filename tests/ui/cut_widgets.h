// A window at a size, page by page: does it take the size, and has everything with words the room
// that it needs? Words that break into lines need less and are not looked at, nor are those that
// give way by their policy, as a card's note does, which stands whole in its tip.
#pragma once

#include <QLabel>
#include <QStringList>
#include <QTabWidget>
#include <QtTest>

#include "tests/ui/nameless_widgets.h"
#include "ui/main_window.h"

namespace cospadi::ui {

constexpr QSize kSmallScreen(1024, 560);  // of 600, with a frame around it

inline bool holdsWords(const QWidget& widget) {
    const auto* label = qobject_cast<const QLabel*>(&widget);
    return (label != nullptr && !label->wordWrap() && !label->text().isEmpty() &&
            label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored) ||
           widget.inherits("QAbstractButton") || widget.inherits("QAbstractSpinBox") ||
           widget.inherits("QComboBox");
}

// What is cut off of what stands in `root`, in words. Empty: nothing.
inline QStringList cutBelow(const QWidget& root, const QString& name) {
    QStringList cut;
    for (const QWidget* widget : root.findChildren<QWidget*>()) {
        const QSize least = widget->minimumSizeHint();
        if (widget->isVisible() && holdsWords(*widget) && !isPartOfAnother(*widget) &&
            (widget->width() < least.width() || widget->height() < least.height())) {
            cut << QString("%1: %2 has %3 x %4 of %5 x %6")
                       .arg(name, described(*widget))
                       .arg(widget->width())
                       .arg(widget->height())
                       .arg(least.width())
                       .arg(least.height());
        }
    }
    return cut;
}

inline QStringList cutIn(MainWindow& window, const QSize& size) {
    QStringList cut;
    for (int page = 0; page < window.pages().tabs->count(); ++page) {
        window.pages().tabs->setCurrentIndex(page);
        window.resize(size);
        QTest::qWait(1);
        const QString name = window.pages().tabs->tabText(page);
        if (window.size() != size) {
            cut << QString("%1 makes the window %2 x %3")
                       .arg(name)
                       .arg(window.width())
                       .arg(window.height());
        }
        const QRect whole(window.pages().tabs->mapTo(&window, QPoint(0, 0)),
                          window.pages().tabs->size());
        if (!window.rect().contains(whole)) {  // it would have to be scrolled
            cut << QString("%1 needs %2 x %3").arg(name).arg(whole.width()).arg(whole.height());
        }
        cut << cutBelow(window, name);
    }
    return cut;
}

}  // namespace cospadi::ui
