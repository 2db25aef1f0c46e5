#include "ui/pages/plan/plan_help.h"

#include <QEvent>

namespace cospadi::ui {

PlanHelp::PlanHelp(QWidget* parent) : QLabel(parent) {
    setObjectName(QStringLiteral("planHelp"));
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setText(tr("Point at a field, or focus it, to see what it means in the paper."));
}

void PlanHelp::explain(QWidget* field, const QString& symbol, const QString& help) {
    field->setProperty("help", QStringLiteral("<b>%1</b> &nbsp;%2").arg(symbol, help));
    field->setToolTip(help);
    field->setAccessibleDescription(help);
    field->installEventFilter(this);
    for (QWidget* part : field->findChildren<QWidget*>()) {
        part->installEventFilter(this);
    }
}

bool PlanHelp::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::Enter) {
        for (const QObject* at = watched; at != nullptr; at = at->parent()) {
            const QString help = at->property("help").toString();
            if (!help.isEmpty()) {
                setText(help);
                break;
            }
        }
    }
    return QLabel::eventFilter(watched, event);
}

}  // namespace cospadi::ui
