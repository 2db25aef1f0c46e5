#include "ui/base/workbench_style.h"

#include <QPainter>
#include <QPainterPath>
#include <QStyleFactory>
#include <QStyleOptionToolButton>
#include <QToolButton>
#include <algorithm>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

constexpr int kArrowRoom = 14;  // pixels beside the words of a button with a menu
constexpr double kArrowWidth = 7;

bool hasMenu(const QStyleOption* option, const QWidget* widget) {
    const auto* button = qobject_cast<const QToolButton*>(widget);
    const auto* tool = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    return button != nullptr && tool != nullptr &&
           (tool->features & QStyleOptionToolButton::HasMenu) != 0 &&
           button->popupMode() != QToolButton::MenuButtonPopup;
}

void drawArrow(const QRect& button, bool enabled, QPainter& painter) {
    const QPointF tip(button.right() - kArrowRoom / 2.0, button.center().y() + 2.5);
    QPainterPath arrow(tip);
    arrow.lineTo(tip + QPointF(-kArrowWidth / 2, -4));
    arrow.lineTo(tip + QPointF(kArrowWidth / 2, -4));
    arrow.closeSubpath();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(arrow, enabled ? theme().muted : theme().faint);
    painter.restore();
}

void drawCheckBox(const QStyleOption& option, QPainter& painter) {
    const bool enabled = (option.state & QStyle::State_Enabled) != 0;
    const bool partly = (option.state & QStyle::State_NoChange) != 0;
    const bool checked = (option.state & QStyle::State_On) != 0;
    const bool focused = (option.state & QStyle::State_HasFocus) != 0;
    const int side = std::min(option.rect.width(), option.rect.height());
    QRectF box(0, 0, side - 1, side - 1);
    box.moveCenter(QRectF(option.rect).center());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(!enabled ? theme().faint : focused ? theme().accent : theme().outline, 1));
    painter.setBrush(theme().panel);
    painter.drawRoundedRect(box, 2, 2);
    const QColor ink = enabled ? theme().text : theme().faint;
    if (partly) {
        const double inset = side * 0.28;
        painter.fillRect(box.adjusted(inset, inset, -inset, -inset), ink);
    } else if (checked) {
        painter.setPen(
            QPen(ink, std::max(1.6, side / 8.0), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const auto at = [&](double x, double y) {
            return QPointF(box.left() + x * box.width(), box.top() + y * box.height());
        };
        painter.drawPolyline(QPolygonF({at(0.22, 0.52), at(0.43, 0.74), at(0.79, 0.27)}));
    }
    painter.restore();
}

}  // namespace

WorkbenchStyle::WorkbenchStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {
    setObjectName(QStringLiteral("workbench"));
}

void WorkbenchStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const {
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck) {
        drawCheckBox(*option, *painter);
    } else if (element == PE_IndicatorArrowDown && hasMenu(option, widget)) {
        drawArrow(widget->rect(), (option->state & State_Enabled) != 0, *painter);
    } else {
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void WorkbenchStyle::drawControl(ControlElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
    if (element == CE_ToolButtonLabel && hasMenu(option, widget)) {
        QStyleOptionToolButton words(*qstyleoption_cast<const QStyleOptionToolButton*>(option));
        words.rect.adjust(0, 0, -kArrowRoom + 2, 0);
        QProxyStyle::drawControl(element, &words, painter, widget);
        return;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

QSize WorkbenchStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                       const QSize& size, const QWidget* widget) const {
    QSize whole = QProxyStyle::sizeFromContents(type, option, size, widget);
    if (type == CT_ToolButton && hasMenu(option, widget)) {
        whole.rwidth() += kArrowRoom;
    }
    return whole;
}

}  // namespace cospadi::ui
