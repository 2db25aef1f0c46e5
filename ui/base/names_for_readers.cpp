#include "ui/base/names_for_readers.h"

#include <QAccessible>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <algorithm>

namespace cospadi::ui {

namespace {

const char* const kTold = "toldToReaders";  // a property

// As Qt looks for it: among the widgets beside the box.
QLabel* labelOf(const QComboBox& box) {
    const QList<QLabel*> labels =
        box.parentWidget()->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
    const auto own = std::find_if(labels.begin(), labels.end(),
                                  [&](const QLabel* label) { return label->buddy() == &box; });
    return own == labels.end() ? nullptr : *own;
}

}  // namespace

void tellReaders(QWidget* chart, const QString& words) {
    chart->setAccessibleDescription(words);
    chart->setProperty(kTold, words);
    QAccessibleInterface* const told =
        chart->hasFocus() ? QAccessible::queryAccessibleInterface(chart) : nullptr;
    const int value = told == nullptr ? -1 : told->childCount() - 1;
    if (value >= 0 && told->child(value)->text(QAccessible::Name) == words) {
        QAccessibleEvent event(chart, QAccessible::Focus);
        event.setChild(value);
        QAccessible::updateAccessibility(&event);
    }
}

QString toldWords(const QObject& chart) { return chart.property(kTold).toString(); }

void NamesForReaders::namePages(QTabWidget* tabs) {
    auto* stack = tabs->findChild<QStackedWidget*>(QString(), Qt::FindDirectChildrenOnly);
    if (stack == nullptr || !stack->accessibleName().isEmpty()) {
        return;  // it is named already
    }
    const auto name = [tabs, stack] {
        stack->setAccessibleName(tabs->tabText(tabs->currentIndex()).remove(QLatin1Char('&')));
    };
    connect(tabs, &QTabWidget::currentChanged, stack, name);
    name();
}

bool NamesForReaders::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn && !toldWords(*watched).isEmpty()) {
        watched->setProperty(kTold, QVariant());
    }
    if (event->type() != QEvent::Show) {
        return QObject::eventFilter(watched, event);
    }
    if (auto* tabs = qobject_cast<QTabWidget*>(watched)) {
        namePages(tabs);
    }
    auto* box = qobject_cast<QComboBox*>(watched);
    if (box != nullptr && box->parentWidget() != nullptr && !box->accessibleName().isEmpty() &&
        labelOf(*box) == nullptr) {
        auto* label = new QLabel(box->accessibleName(), box->parentWidget());
        label->setBuddy(box);
        label->hide();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace cospadi::ui
