// The widget of this type and object name in another one, which is known to be there: a test ends
// where it is not.
#pragma once

#include <QString>
#include <QWidget>

namespace cospadi::ui {

template <typename Widget>
Widget* childOf(const QWidget& parent, const char* name) {
    auto* widget = parent.findChild<Widget*>(QString::fromLatin1(name));
    if (widget == nullptr) {
        qFatal("%s has no %s", parent.metaObject()->className(), name);
    }
    return widget;
}

}  // namespace cospadi::ui
