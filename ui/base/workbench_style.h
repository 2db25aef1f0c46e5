// Fusion with what it draws too faint or too small drawn anew, in the colours of theme(): check
// boxes whose empty frame is seen on dark ground, too, and an arrow beside the words of a tool
// button that opens a menu, where Fusion puts three pixels below them.
#pragma once

#include <QProxyStyle>

namespace cospadi::ui {

class WorkbenchStyle : public QProxyStyle {
    Q_OBJECT

  public:
    WorkbenchStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
};

}  // namespace cospadi::ui
