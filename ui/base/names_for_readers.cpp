#include "ui/base/names_for_readers.h"

#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <algorithm>

namespace cospadi::ui {

namespace {

// As Qt looks for it: among the widgets beside the box.
QLabel* labelOf(const QComboBox& box) {
    const QList<QLabel*> labels =
        box.parentWidget()->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
    const auto own = std::find_if(labels.begin(), labels.end(),
                                  [&](const QLabel* label) { return label->buddy() == &box; });
    return own == labels.end() ? nullptr : *own;
}

}  // namespace

bool NamesForReaders::eventFilter(QObject* watched, QEvent* event) {
    auto* box = event->type() == QEvent::Show ? qobject_cast<QComboBox*>(watched) : nullptr;
    if (box != nullptr && box->parentWidget() != nullptr && !box->accessibleName().isEmpty() &&
        labelOf(*box) == nullptr) {
        auto* label = new QLabel(box->accessibleName(), box->parentWidget());
        label->setBuddy(box);
        label->hide();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace cospadi::ui
